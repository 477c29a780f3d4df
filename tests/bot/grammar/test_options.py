"""Options: each key in each form fills its field, and nonsense is refused by name."""

import pytest

from bot.command import Ask, IncompleteRequestError, format_request
from sizing.errors import InvalidRequestError, SizingError, UnknownEngineError
from sizing.request import Mode
from sizing.speculation import SpecMethod, Speculation
from sizing.spending import Means

FORMS = [
    ("context_tokens", 8192, ["ctx=8k", "--ctx 8k", "--ctx=8k", "contexto de 8k", "8k context",
                              "contexto: 8192", "ctx 8k", "--max-model-len 8192", "8192",
                              "max_model_len=8192", "8.192 tokens", "8k de contexto", "len 8192"]),
    ("concurrent_requests", 20, ["users=20", "--users 20", "20 users", "20 usuarios", "usuarios=20",
                                 "20 concurrent users", "usuarios: 20", "20 sesiones simultáneas",
                                 "batch=20", "lote=20", "batch size 20", "20 requests"]),
    ("memory_fraction", 0.9, ["util=0.9", "util 0,9", "--gpu-memory-utilization 0.9", "util=90%"]),
    ("tensor_parallel", 4, ["tp=4", "tp 4", "tp4", "-tp 4", "--tensor-parallel-size=4"]),
    ("pipeline_parallel", 2, ["pp=2", "pp2", "--pipeline-parallel-size 2"]),
    ("expert_parallel", 8, ["ep=8", "ep8"]),
    ("budget_usd", 40000, ["budget=40k", "presupuesto de 40.000", "$40k", "40k usd",
                           "presupuesto=40000", "40.000 dólares", "US$ 40,000"]),
    ("network_gbps", 100, ["red 100 Gb", "net=100", "100Gbps", "red=100gb"]),
    ("host_ram_gb", 256, ["ram=256", "256GB RAM", "256 GB de RAM", "--ram 256gb"]),
    ("power_limit_w", 3000, ["power=3kw", "potencia 3000w"]),
    ("requests_per_s", 3, ["rps=3", "3 rps", "3 requests/s", "qps=3", "--request-rate 3",
                           "3 requests per second", "3 peticiones por segundo",
                           "tres solicitudes por segundo", "3 queries a second",
                           "3 consultas/s"]),
    ("requests_per_s", 0.5, ["rps=0.5", "rps=0,5", "0.5 rps"]),
    ("batched_tokens", 8192, ["batched=8192", "--max-num-batched-tokens 8192"]),
    ("adapters", 8, ["loras=8", "8 loras", "--max-loras 8"]),
    ("adapter_rank", 64, ["rank=64", "--max-lora-rank 64"]),
    ("input_tokens", 1000, ["in=1000", "1000 input tokens", "1000 tokens de entrada"]),
    ("output_tokens", 500, ["out=500", "500 output tokens", "500 tokens de salida"]),
    ("kv_precision", "fp8", ["kv=fp8", "kv fp8", "fp8 kv cache", "--kv-cache-dtype fp8", "kv8"]),
    ("kv_precision", "q8-0", ["kv=q8_0", "kv q8_0", "-ctk q8_0"]),
    ("kv_in_host", True, ["kv=host", "kv=cpu", "kv=ram", "kv=offload", "kv: host", "--kv host",
                          "offload=kv", "--offload kv", "--no-kv-offload", "-nkvo",
                          "--enable-hierarchical-cache", "enable_hierarchical_cache=true",
                          "cache_implementation=offloaded", "kv offload", "kv cache offloaded",
                          "kv cache offloading to cpu", "kv cache cpu offload",
                          "offload kv cache to the cpu",
                          "kv cache in host memory", "kv cache on cpu", "kv en la ram",
                          "offloading of the kv cache", "caché kv en la memoria del servidor",
                          "kv en memoria del host"]),
    ("kv_host_gib", 64, ["kv_host=64", "kv-host=64gb", "--kv-offloading-size 64", "kv host 64 GiB",
                         "kv_offloading_size=64", "kv_host=64GiB",
                         "kv en memoria del host de 64 GB"]),
    ("kv_host_gib", 1536, ["kv_host=1.5tb", "kv_host=1,5TiB", "kv cache in host memory 1.5 TB"]),
    ("engine", "vllm", ["engine=vllm", "vllm", "motor=vllm", "--engine vllm", "motor: vLLM"]),
    ("engine", "llamacpp", ["llama.cpp", "engine=llamacpp", "ollama", "llama-cpp"]),
    ("engine", "trtllm", ["TRT-LLM", "TensorRT-LLM", "tensorrt llm"]),
    ("precision", "int8", ["int8", "INT-8", "precision=int8", "precisión: int8", "--dtype int8",
                           "w8a8", "8 bits"]),
    ("precision", "awq", ["awq", "AWQ int4", "int4 awq", "--quantization awq"]),
    ("mode", Mode.LORA, ["mode=lora", "lora", "modo=lora"]),
    ("mode", Mode.QLORA, ["mode=qlora", "QLoRA"]),
    ("mode", Mode.FULL, ["mode=full", "full finetune", "fine tuning completo", "full parameter"]),
    ("adapter_rank", 32, ["lora rank 32", "lora r=32", "qlora lora_rank=32"]),
    ("concurrent_requests", 4, ["lora per_device_train_batch_size=4", "lora micro-batch=4"]),
    ("context_tokens", 4096, ["lora cutoff_len=4096", "qlora --max_length 4096"]),
    ("eager", True, ["eager", "--enforce-eager"]),
    ("prefix_caching", True, ["prefix-caching", "--enable-prefix-caching"]),
    ("disaggregated", True, ["disaggregated", "disagg", "desagregado"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [(field, value, text) for field, value, texts in FORMS for text in texts],
)
def test_every_form_of_an_option(ask, field, value, text):
    """Before the model and behind it, in any form, an option says the same."""
    for line in (f"llama-2-13b {text}", f"{text} llama-2-13b"):
        request = ask(line)
        assert getattr(request, field) == value, line
        assert request.model_id == "llama-2-13b"
        assert request.read_as == ()


@pytest.mark.parametrize("text", ["2x3090 cpu offload", "2x 3090 CPU offloading"])
def test_a_card_before_cpu_offload_counts_no_processors(ask, text):
    choice = ask(f"llama-2-13b {text}").gpus[0]
    assert (choice.gpu, choice.count) == ("rtx-3090", 2)


def test_only_the_cache_is_asked_for_in_host_memory(ask):
    with pytest.raises(InvalidRequestError) as caught:
        ask("llama-2-13b offload=weights")
    assert caught.value.values["suggestions"] == ("offload=kv",)


def test_other_kinds_of_cache_are_left_out_and_told(ask):
    request = ask("llama-2-13b cache_implementation=static")
    assert (request.kv_in_host, request.ignored) == (False, ("cache-implementation=static",))


@pytest.mark.parametrize(
    ("text", "rate", "read_as"),
    [
        # 600 / 60 and 10,000 / 86,400
        ("600 requests a minute", 10, "rps=10"),
        ("10.000 consultas al día", 0.115741, "rps=0.115741"),
        ("1800 solicitudes por hora", 0.5, "rps=0.5"),
    ],
)
def test_arrivals_over_a_longer_time_are_told_by_the_second(ask, text, rate, read_as):
    request = ask(f"llama-2-13b {text}")
    assert (request.requests_per_s, request.concurrent_requests) == (rate, None)
    assert [one.read_as for one in request.read_as] == [read_as]


def test_speculative_decoding(ask):
    """What drafts, how many tokens, how many of them are accepted, how large a draft model is."""
    request = ask("llama 70b spec=draft draft=1b accept=0,7 draft-tokens=4")
    drafting = request.speculation
    assert drafting == Speculation(
        spec=SpecMethod.DRAFT, draft_tokens=4, acceptance=0.7, draft_parameters=10**9
    )
    assert (request.parameters, request.model_id) == (None, "llama-3.3-70b")
    for text in ("spec=eagle3", "spec=eagle-3", "--speculative-algorithm EAGLE3"):
        assert ask(f"llama 70b {text}").speculation == Speculation(spec=SpecMethod.EAGLE3)
    assert ask("deepseek-v3 spec=mtp --num-speculative-tokens 2").speculation == Speculation(
        spec=SpecMethod.MTP, draft_tokens=2
    )
    with pytest.raises(InvalidRequestError) as caught:
        ask("llama 70b spec=ngram")
    assert caught.value.values["suggestions"] == ("spec=eagle3", "spec=mtp", "spec=draft")


@pytest.mark.parametrize("text", ["-m", "--model", "--gpu"])
def test_a_name_that_does_not_follow_is_left_out_and_told(ask, text):
    request = ask(f"llama-13b int8 {text}")
    assert (request.model_id, request.gpus, request.ignored) == ("llama-2-13b", (), (text,))


def test_arrivals_over_a_month_are_no_rate(ask):
    request = ask("llama-2-13b 1000 requests per month")
    assert (request.requests_per_s, request.concurrent_requests) == (None, None)
    assert request.ignored == ("1000 requests per month",)


SERVED = (
    ("users=200", "concurrent_requests", 200),
    ("rps=3", "requests_per_s", 3),
    ("in=2000", "input_tokens", 2000),
    ("out=400", "output_tokens", 400),
    ("ttft<1000", "targets.ttft_ms", 1000),
    ("itl<40", "targets.itl_ms", 40),
    ("tps>=20", "targets.tokens_per_s", 20),
    ("batch=64", "concurrent_requests", 64),
)
"""Each option of serving, its field and its value."""


@pytest.mark.parametrize(("option", "field", "value"), SERVED)
def test_each_option_of_serving_survives_being_written_and_read(ask, option, field, value):
    request = ask(f"llama 70b fp8 {option}")
    found = request
    for name in field.split("."):
        found = getattr(found, name)
    assert found == value
    written = format_request(request)
    assert option.replace("batch=", "users=") in written.split()
    assert ask(written).model_copy(update={"model_is_default": True}) == request


def test_all_options_of_serving_stand_in_one_line(ask):
    options = [option for option, *_ in SERVED if "batch" not in option]
    request = ask(f"llama 70b fp8 {' '.join(options)}")
    written = format_request(request)
    assert set(options) <= set(written.split())
    assert request.context_tokens == 2400
    assert ask(written).model_copy(update={"model_is_default": True}) == request


def test_users_and_batch_say_the_same_and_may_not_differ(ask):
    assert ask("70b batch=8 users=8").concurrent_requests == 8
    with pytest.raises(InvalidRequestError) as caught:
        ask("70b batch=8 users=20")
    assert caught.value.values["reason"] == "given_twice"


def test_wishes_about_speed(ask):
    targets = ask("13b ttft<500ms itl<50ms tps>=30").targets
    assert (targets.ttft_ms, targets.itl_ms, targets.tokens_per_s) == (500, 50, 30)
    assert ask("13b ttft < 1s").targets.ttft_ms == 1000


@pytest.mark.parametrize(
    "text", ["21 t/s", "43 tok/s", "2000 tok/s", "8.7 t/s", "194s", "2500 fps"]
)
def test_a_speed_that_was_seen_is_no_size_and_no_wish(ask, text):
    request = ask(f"llama-13b {text}")
    assert request.model_copy(update={"ignored": ()}) == ask("llama-13b")


def test_prompt_and_output_make_the_context(ask):
    assert ask("13b in=1000 out=500").context_tokens == 1500
    assert ask("13b in=1000 out=500 ctx=1500").context_tokens == 1500


def test_a_range_is_read_at_its_upper_end_and_told(ask):
    request = ask("13b 20-80 usuarios 10k-30k tokens")
    assert (request.concurrent_requests, request.context_tokens) == (80, 30720)
    told = [(one.typed, one.read_as) for one in request.read_as]
    assert told == [("20-80", "80"), ("10k-30k", "30k")]


def test_a_cap_on_cached_tokens_is_sized_as_one_request(ask):
    request = ask("13b max-batch-total-tokens 30816")
    assert (request.context_tokens, request.read_as[0].read_as) == (30816, "ctx=30816")


def test_each_request_with_its_own_adapter(ask):
    request = ask("batch 16, cada petición con su LoRA, llama 7B")
    assert (request.mode, request.adapters) == (Mode.INFER, 16)


def test_training_without_a_method_is_read_as_full_and_told(ask):
    request = ask("entrenar 100B con 12 billones de tokens")
    assert (request.parameters, request.mode, request.context_tokens) == (
        100 * 10**9,
        Mode.FULL,
        None,
    )
    assert request.read_as[0].read_as == "mode=full"


@pytest.mark.parametrize(
    "text", ["zero=0", "zero3", "checkpointing=off", "optimizer=adamw", "rlhf=dpo"]
)
def test_an_option_of_training_alone_is_read_as_full_and_told(ask, text):
    request = ask(f"llama-13b {text}")
    assert request.mode is Mode.FULL
    assert [one.read_as for one in request.read_as if one.read_as != "llama-13b"] == ["mode=full"]


def test_the_rank_of_a_lora_leaves_the_word_its_meaning(ask):
    request = ask("lora rank 32 alpha=64 llama-13b")
    assert (request.mode, request.adapter_rank, request.adapters) == (Mode.LORA, 32, 0)
    assert request.precision is None


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        ("llama-13b full", Mode.FULL),
        ("llama-13b full ctx=4k", Mode.FULL),
        ("llama-13b int8 full gpu=l40s", Mode.FULL),
        ("does llama-13b fit in full", Mode.INFER),
        ("llama-13b full context 8k", Mode.INFER),
        ("llama-13b full precision", Mode.INFER),
    ],
)
def test_full_alone_is_a_mode_where_nothing_else_is_full(ask, text, mode):
    assert ask(text).mode is mode


def test_an_explicit_mode_stays(ask):
    assert ask("llama-13b mode=infer zero=2").mode is Mode.INFER


def test_attention_belongs_to_a_size(ask):
    assert ask("34B denso GQA").attention == "gqa"
    request = ask("llama-13b gqa")
    assert (request.attention, request.ignored) == (None, ("gqa",))


@pytest.mark.parametrize(("engine", "precision"), [("", "awq"), ("ollama", "q4-k-m")])
def test_q4_means_what_its_engine_means_by_it(ask, engine, precision):
    assert ask(f"llama-13b q4 {engine}").precision == precision


@pytest.mark.parametrize(
    ("text", "reason", "word"),
    [
        ("0 usuarios", "not_positive", "0 usuarios"),
        ("-5 users", "not_positive", "-5 users"),
        ("users=-5", "not_positive", "users=-5"),
        ("users=0", "not_positive", "users=0"),
        ("users=2.5", "not_whole", "users=2.5"),
        ("users=abc", "bad_value", "users=abc"),
        ("users=", "bad_value", "users="),
        ("util=1.5", "out_of_range", "util=1.5"),
        ("ctx=99999999999999", "out_of_range", "ctx=99999999999999"),
        ("0xh100", "not_positive", "0xh100"),
        ("999999999xh100", "out_of_range", "999999999xh100"),
        ("ctx=4096 in=1000 out=500", "context_mismatch", "ctx=4096"),
        ("ctx=100 in=1000", "context_mismatch", "ctx=100"),
        ("users=5 10 usuarios", "given_twice", "10 usuarios"),
        ("ctx=8k ctx=16k", "given_twice", "ctx=16k"),
        ("8k 16k", "given_twice", "16k"),
        ("ttft>500ms", "wrong_direction", "ttft>500ms"),
        ("tps<=30", "wrong_direction", "tps<=30"),
        ("40k€", "currency", "40k€"),
        ("presupuesto 500 euros", "currency", "500 euros"),
        ("budget=500€", "currency", "500€"),
        ("500 euros", "currency", "500 euros"),
        ("500utm", "currency", "500utm"),
        ("budget=500UTM", "currency", "500utm"),
        ("presupuesto de 500 UTM", "currency", "500 utm"),
        ("presupuesto=20.000.000 CLP", "currency", "20.000.000 clp"),
        ("20 millones de pesos", "currency", "20m de pesos"),
        ("presupuesto: 1000 UF", "currency", "1000 uf"),
        ("CLP 20.000.000", "currency", "clp 20.000.000"),
        ("300 mil reales", "currency", "300000 reales"),
        ("¥3m", "currency", "¥3m"),
        ("kwh=0,15 EUR", "currency", "0,15eur"),
        ("vllm sglang", "two_engines", None),
        ("fp8 int4", "two_precisions", None),
        ("lora qlora", "two_modes", None),
        ("mode=foo", "bad_value", "foo"),
        ("lora zero=4", "bad_value", "4"),
        ("lora checkpointing=maybe", "bad_value", "maybe"),
        ("lora optimizer=sophia", "bad_value", "sophia"),
        ("lora rlhf=rlaif", "bad_value", "rlaif"),
        ("lora offload=disk", "bad_value", "disk"),
        ("lora framework=keras", "bad_value", "keras"),
        ("lora tuner=hypernetwork", "bad_value", "hypernetwork"),
        ("lora zero=1 zero=2", "given_twice", "2"),
        ("lang=fr", "bad_value", "fr"),
        ("user=5", "unknown_key", "user=5"),
        ("foo=5", "unknown_key", "foo=5"),
        ("--foo 5", "unknown_key", "--foo 5"),
    ],
)  # fmt: skip
def test_contradictions_and_values_out_of_range(grammar, text, reason, word):
    with pytest.raises(InvalidRequestError) as caught:
        grammar.parse(f"llama-13b {text}")
    assert (caught.value.values["reason"], caught.value.word) == (reason, word)


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("fp8 int4", ("llama-2-13b fp8", "llama-2-13b int4")),
        ("lora qlora", ("llama-2-13b mode=lora", "llama-2-13b mode=qlora")),
        ("vllm vs sglang", ("llama-2-13b engine=vllm", "llama-2-13b engine=sglang")),
        # Each engine's users mean another file by `q4`.
        (
            "q4 vllm ollama",
            ("llama-2-13b awq engine=vllm", "llama-2-13b q4-k-m engine=llamacpp"),
        ),
    ],
)
def test_a_question_is_offered_for_each_reading(grammar, text, questions):
    with pytest.raises(InvalidRequestError) as caught:
        grammar.parse(f"llama-13b {text}")
    assert caught.value.suggestions == questions


class TestKeysWithTypos:
    def test_a_count_under_an_unknown_key_is_not_guessed(self, grammar):
        with pytest.raises(InvalidRequestError) as caught:
            grammar.parse("llama-13b user=5")
        assert caught.value.suggestions == ("users=5",)

    def test_a_word_under_a_mistyped_key_is_read_and_told(self, ask):
        request = ask("llama-13b precison=int8")
        told = [(one.typed, one.read_as) for one in request.read_as]
        assert (request.precision, told) == ("int8", [("precison", "precision")])

    def test_a_word_under_a_key_nobody_knows_is_left_out_and_told(self, ask):
        assert ask("llama-13b colour=blue").ignored == ("colour=blue",)

    def test_options_of_engines_that_move_nothing_are_left_out(self, ask):
        request = ask("vllm serve meta-llama/Llama-3.1-8B-Instruct --port 8000 -tp 2")
        assert (request.tensor_parallel, request.ignored) == (2, ("--port 8000",))


def test_unknown_engine(grammar):
    with pytest.raises(UnknownEngineError) as caught:
        grammar.parse("13b engine=vlm")
    assert caught.value.suggestions[0] == "vllm"


@pytest.mark.parametrize("text", ["lang=es", "--lang es", "--lang=es", "idioma=español"])
def test_language(grammar, text):
    command = grammar.parse(f"13b {text}")
    assert (command.language, command.private, command.as_json) == ("es", False, False)


def test_privacy_and_form(grammar):
    command = grammar.parse("13b —private --json")
    assert isinstance(command, Ask)
    assert (command.private, command.as_json) == (True, True)


@pytest.mark.parametrize(
    ("words", "means"),
    [
        ("rent", Means.RENT),
        ("alquilar", Means.RENT),
        ("--comprar", Means.BUY),
        ("purchase=rent", Means.RENT),
        ("compra=comprar", Means.BUY),
        ("buy or rent", None),
        ("", None),
    ],
)
def test_buying_or_renting(ask, words, means):
    request = ask(f"13b {words}")
    assert (request.spending.means, request.ignored) == (means, ())


@pytest.mark.parametrize(
    ("words", "field", "value"),
    [
        ("kwh=0.15", "electricity_usd_per_kwh", 0.15),
        ("kwh=0,15", "electricity_usd_per_kwh", 0.15),
        ("electricidad=$0.2", "electricity_usd_per_kwh", 0.2),
        ("kwh=10", "electricity_usd_per_kwh", 10),
        ("pue=1.3", "pue", 1.3),
        ("pue=1", "pue", 1),
        ("years=3", "lifetime_years", 3),
        ("años=4", "lifetime_years", 4),
        ("--years 2.5y", "lifetime_years", 2.5),
        ("amortización=5", "lifetime_years", 5),
        ("hours=12", "hours_per_day", 12),
        ("horas=8h", "hours_per_day", 8),
        ("hours/day=24", "hours_per_day", 24),
    ],
)
def test_what_costs_rest_on(ask, words, field, value):
    assert getattr(ask(f"13b {words}").spending, field) == value


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("pue=0.99", "out_of_range"),
        ("pue=0", "not_positive"),
        ("hours=25", "out_of_range"),
        ("hours=0", "not_positive"),
        ("years=51", "out_of_range"),
        ("kwh=11", "out_of_range"),
        ("kwh=0.2€", "currency"),
        ("kwh=cheap", "bad_value"),
        ("purchase=steal", "bad_value"),
    ],
)
def test_figures_that_no_site_has(ask, words, reason):
    with pytest.raises(InvalidRequestError) as caught:
        ask(f"13b {words}")
    assert caught.value.values["reason"] == reason


def test_hours_and_years_of_a_sentence_are_no_options(ask):
    request = ask("13b for 24 hours 7 days a week, 3 years")
    assert (request.spending.hours_per_day, request.spending.lifetime_years) == (None, None)


def test_without_a_model_the_rest_is_kept(grammar):
    with pytest.raises(IncompleteRequestError) as caught:
        grammar.parse("int8 2xL40S ctx=8k")
    assert caught.value.values == {"reason": "no_model", "understood": "int8 gpu=2xl40s ctx=8192"}
    assert caught.value.partial.context_tokens == 8192


def test_what_contradicts_itself_is_not_kept_without_a_model(grammar):
    with pytest.raises(IncompleteRequestError) as caught:
        grammar.parse("4090 fp8 int4 vllm vs sglang")
    assert caught.value.values["understood"] == "gpu=rtx-4090"


@pytest.mark.parametrize("text", ["70b models", "70b servers"])
def test_a_size_before_a_plural_stays_a_size(ask, text):
    assert ask(f"GPU for {text}").parameters == 70 * 10**9


def test_words_that_changed_nothing_are_told_and_function_words_are_not(ask):
    request = ask("what do I need for llama-13b with prefix caching please")
    assert request.ignored == ("prefix", "caching")


def test_a_wrong_name_is_reported_before_the_missing_model(grammar):
    with pytest.raises(SizingError) as caught:
        grammar.parse("2xfoo100")
    assert caught.value.code == "unknown_gpu"
