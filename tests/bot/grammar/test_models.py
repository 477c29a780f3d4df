"""Names of models: every spelling of a model is that model, and never another."""

import pytest

from bot.command import format_request
from sizing.errors import InvalidRequestError, SizingError, UnknownModelError, UnknownPrecisionError


@pytest.mark.parametrize(
    ("text", "model"),
    [
        # No Llama 3 of 13 B exists; Llama 1 and 2 of that size have 13,015,864,320 parameters both.
        ("llama-13b", "llama-2-13b"),
        ("llama-7b", "llama-2-7b"),
        ("llama-8b", "llama-3.1-8b"),
        ("llama-70b", "llama-3.3-70b"),
        ("llama2-70b", "llama-2-70b"),
        ("llama3-70b", "llama-3-70b"),
        ("llama-3.1-70b", "llama-3.1-70b"),
        ("command-r", "command-r"),
        ("command-r-08-2024", "command-r-08-2024"),
        ("command-r+", "command-r-plus"),
        ("qwen-32b", "qwen2.5-32b"),
        ("qwen1.5-32b", "qwen1.5-32b"),
        ("qwen3-32b", "qwen3-32b"),
        ("mistral-small-2409", "mistral-small-22b"),
        ("mistral-small-24b", "mistral-small-3.2-24b"),
        ("mistral-large", "mistral-large-2-123b"),
        ("falcon-7b", "falcon-7b"),
        ("falcon3-7b", "falcon3-7b"),
        ("falcon 3 7b", "falcon3-7b"),
        ("phi-4", "phi-4"),
        ("phi-4-mini", "phi-4-mini"),
        ("deepseek-v2-lite", "deepseek-v2-lite"),
        ("gemma-3n-e4b", "gemma-3n-e4b"),
        ("gpt-oss-20b", "gpt-oss-20b"),
        ("kimi-k2-thinking", "kimi-k2-thinking"),
        ("405b", "llama-3.1-405b"),
        ("8x7b", "mixtral-8x7b"),
        ("8x22b", "mixtral-8x22b"),
        # ollama's `deepseek-r1:NNb` are the distilled models; only `:671b` is the mixture.
        ("deepseek-r1:70b", "deepseek-r1-distill-llama-70b"),
        ("deepseek-r1:7b", "deepseek-r1-distill-qwen-7b"),
        ("deepseek-r1:671b", "deepseek-r1"),
        ("R1 671b", "deepseek-r1"),
    ],
)
def test_names_that_are_easily_confused(ask, text, model):
    assert ask(text).model_id == model


@pytest.mark.parametrize(
    "text",
    [
        "llama-3.1-8b", "llama31-8b", "llama 3.1 8B", "llama v3.1 8b", "llama 3 1 8b",
        "Llama3.1:8b", "llama_3.1_8b", "LLAMA-3-1-8B", "llama3.1 8 B", "8b llama 3.1",
        "llama 8b 3.1", "llama-3.1-8b-instruct", "meta-llama/Llama-3.1-8B-Instruct",
        "hf:meta-llama/Llama-3.1-8B-Instruct", "Meta Llama 3.1 8B Instruct",
        "https://huggingface.co/meta-llama/Llama-3.1-8B-Instruct", "llama–3.1—8b",
        "unsloth/Meta-Llama-3.1-8B-Instruct",
    ],
)  # fmt: skip
def test_spellings_of_one_model_are_no_corrections(ask, text):
    request = ask(text)
    assert (request.model_id, request.read_as) == ("llama-3.1-8b", ())


@pytest.mark.parametrize(
    ("text", "model", "precision"),
    [
        ("llama3.1:70b-instruct-q4_K_M", "llama-3.1-70b", "q4-k-m"),
        ("Meta-Llama-3.1-70B-Instruct-Q4_K_M.gguf", "llama-3.1-70b", "q4-k-m"),
        ("Meta-Llama-3.1-70B-Instruct-UD-Q4_K_XL.gguf", "llama-3.1-70b", "q4-k-m"),
        ("bartowski/Llama-3.1-8B-Instruct-GGUF Q8_0", "llama-3.1-8b", "q8-0"),
        ("gpt-oss-20b-MXFP4.gguf", "gpt-oss-20b", "mxfp4"),
        ("TheBloke/CodeLlama-7B-AWQ", "codellama-7b", "awq"),
        ("Qwen2.5-72B-Instruct-GPTQ-Int4", "qwen2.5-72b", "gptq-int4"),
        ("unsloth/Llama-3.1-8B-Instruct-bnb-4bit", "llama-3.1-8b", "bnb-nf4"),
        ("RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w8a8", "llama-3.1-8b", "int8"),
        ("neuralmagic/Meta-Llama-3.1-70B-Instruct-FP8-dynamic", "llama-3.1-70b", "fp8"),
        ("nvidia/Llama-3.1-70B-Instruct-NVFP4", "llama-3.1-70b", "nvfp4"),
        ("Llama-3.1-8B i1-IQ2_M", "llama-3.1-8b", "iq2-m"),
        ("gemma3:27b-it-qat", "gemma-3-27b", "q4-0"),
        ("Qwen3-235B-A22B-FP8", "qwen3-235b-a22b", "fp8"),
        ("7b-awq", None, "awq"),
        ("70B-Instruct-AWQ", None, "awq"),
    ],
)
def test_a_name_may_end_in_its_precision(ask, text, model, precision):
    request = ask(text)
    assert (request.model_id, request.precision) == (model, precision)


@pytest.mark.parametrize(
    ("text", "checkpoint", "precision"),
    [
        ("Inferact/Qwen3.8-27B-NVFP4", "Inferact/Qwen3.8-27B-NVFP4", "nvfp4"),
        ("hf:inferact/qwen3.8-27b-nvfp4 gpu=h100", "Inferact/Qwen3.8-27B-NVFP4", "nvfp4"),
        ("nvidia/Qwen3.8-27B-NVFP4 nvfp4", "nvidia/Qwen3.8-27B-NVFP4", "nvfp4"),
        # Its name says FP8 only, and the catalogue which kind.
        ("Qwen/Qwen3.8-2.4T-A95B-FP8", "Qwen/Qwen3.8-2.4T-A95B-FP8", "fp8-block"),
        # Nobody's in particular, or one whose formats are not known.
        ("Qwen3.8-27B-NVFP4", None, "nvfp4"),
        ("someone/Qwen3.8-27B-NVFP4", None, "nvfp4"),
        ("Qwen/Qwen3.8-27B", None, None),
        ("nvidia/Qwen3.8-27B-NVFP4 or Inferact/Qwen3.8-27B-NVFP4", None, "nvfp4"),
    ],
)
def test_a_published_checkpoint_is_told_from_others(ask, text, checkpoint, precision):
    request = ask(text)
    assert (request.checkpoint, request.precision) == (checkpoint, precision)
    assert not request.model_is_default
    assert ask(format_request(request)) == request


def test_every_checkpoint_is_found_by_its_repository(ask, catalogue):
    for model in catalogue.models.values():
        for one in model.checkpoints:
            request = ask(one.repository)
            found = (request.model_id, request.checkpoint, request.precision)
            assert found == (model.id, one.repository, one.precision)


def test_a_checkpoint_in_another_precision_is_two_questions(ask):
    with pytest.raises(InvalidRequestError) as refusal:
        ask("Inferact/Qwen3.8-27B-NVFP4 fp8")
    assert refusal.value.suggestions == ("qwen3.8-27b nvfp4", "qwen3.8-27b fp8")


@pytest.mark.parametrize("size", ["7b", "13b", "34b", "0.5b", "1.5b", "70b", "100b"])
def test_a_bare_size_names_no_model(ask, size):
    request = ask(size)
    assert request.model_id is None
    assert request.parameters == round(float(size[:-1]) * 1e9)


class TestDefaults:
    """A name that fits several models is told apart from one that fits a single model."""

    @pytest.mark.parametrize(
        "text",
        [
            "llama-13b", "llama 13B chat", "llama-13b-awq", "llama-70b", "llama-8b", "llama",
            "mixtral", "gpt-oss", "deepseek", "671b", "mistral 7b", "qwen-32b", "qwen3",
            "gemma-3", "kimi", "lama-13b", "deepseek-r1:8b",
        ],
    )  # fmt: skip
    def test_a_name_that_fits_several_models(self, ask, text):
        assert ask(text).model_is_default is True

    @pytest.mark.parametrize(
        "text",
        [
            "llama-2-13b", "Llama-2-13b-hf", "meta-llama/Llama-2-13b-hf", "llama2 13b",
            "TheBloke/Llama-2-13B-chat-GGUF Q4_K_M", "llama v2 13b", "13b llama 2", "llama31-8b",
            "mixtral-8x7b", "8x7b", "gpt-oss-20b", "gpt-oss fp8 20b", "gpt-oss params=20b",
            "llama-3.3-70b", "llama3.3", "deepseek-v3", "deepseek-v3-0324", "R1 671b",
            "mistral-7b-v0.3", "mistral-small-2506", "phi-4", "kimi-k2", "405b", "13b",
            # Only one of the models called so has this size.
            "phi-14b", "grok-314b", "qwen-8b",
            # No alternative of Llama 2 7B is a Llama 2: to name them would be wrong.
            "llama-2",
            # Named twice, once in full.
            "llama-13b llama-2-13b",
        ],
    )  # fmt: skip
    def test_a_name_that_fits_one_model(self, ask, text):
        assert ask(text).model_is_default is False

    def test_every_id_and_hub_name_fits_one_model(self, ask, catalogue):
        for model in catalogue.models.values():
            assert not ask(model.id).model_is_default, model.id
            assert not ask(model.hf_id).model_is_default, model.hf_id


class TestTypos:
    @pytest.mark.parametrize(
        ("text", "model", "read_as"),
        [
            ("lama-13b", "llama-2-13b", "llama-13b"),
            ("lama 13b", "llama-2-13b", "llama-13b"),
            ("mixtrl-8x7b", "mixtral-8x7b", "mixtral-8x7b"),
            ("mixtrl", "mixtral-8x7b", "mixtral"),
            ("quen3-32b", "qwen3-32b", "qwen3-32b"),
        ],
    )
    def test_a_typo_in_the_letters_is_corrected_and_told(self, ask, text, model, read_as):
        request = ask(text)
        told = [(one.typed, one.read_as) for one in request.read_as]
        assert (request.model_id, told) == (model, [(text, read_as)])

    @pytest.mark.parametrize(
        ("text", "word", "first"),
        [
            ("llama-12b", "llama-12b", {"llama-11b", "llama-13b"}),
            ("llama 12b", "llama 12b", {"llama-11b", "llama-13b"}),
            ("llama-3-18b int8", "llama-3-18b", {"llama-1-13b", "llama-2-13b"}),
            ("qwen3 12b", "qwen3 12b", {"qwen3-14b"}),
            ("llama3.3 8b", "llama3.3 8b", {"llama-3.1-8b", "llama-3-8b", "llama-8b"}),
            ("mistral-8x7b", "mistral-8x7b", {"mixtral-8x7b"}),
            ("mistral-small-2402", "mistral-small-2402", {"mistral-small-2409"}),
            ("llama-70b-3.2", "llama-70b-3.2", {"llama-70b"}),
        ],
    )
    def test_a_number_is_never_changed(self, grammar, text, word, first):
        with pytest.raises(UnknownModelError) as caught:
            grammar.parse(text)
        assert caught.value.word == word
        assert caught.value.suggestions[0] in first
        assert len(caught.value.suggestions) <= 3

    def test_a_mistyped_family_of_another_size_is_not_read_by_its_size(self, grammar):
        with pytest.raises(UnknownModelError):
            grammar.parse("lama-12b")

    def test_another_known_family_is_no_typo(self, grammar):
        """Llava and llama differ by one letter; 70 B exists of one only."""
        with pytest.raises(UnknownModelError):
            grammar.parse("llava-70b")


class TestUnknown:
    @pytest.mark.parametrize(
        ("text", "word"),
        [
            ("modelo foo-bar-9000", "foo-bar-9000"),
            ("foo-bar-9000 int8 2xL40S", "foo-bar-9000"),
            ("foobar int8", "foobar"),
            ("gemini large v3 turbo en T4", "gemini large v3 turbo"),
            ("nous-hermes-llama-2-13b", "nous-hermes-llama-2-13b"),
        ],
    )
    def test_what_looks_like_a_name_is_asked_about(self, grammar, text, word):
        with pytest.raises(UnknownModelError) as caught:
            grammar.parse(text)
        assert caught.value.word == word

    def test_an_unknown_family_is_estimated_by_the_size_in_its_name(self, ask):
        request = ask("wizardlm-13b int4")
        assert (request.model_id, request.parameters) == (None, 13 * 10**9)
        assert [(one.typed, one.read_as) for one in request.read_as] == [("wizardlm-13b", "13b")]

    def test_a_precision_within_an_unknown_name_is_refused(self, grammar):
        with pytest.raises(UnknownPrecisionError) as caught:
            grammar.parse("llama-13b-fp3")
        assert caught.value.word == "fp3"


class TestSeveral:
    @pytest.mark.parametrize(
        ("text", "suggestions"),
        [
            ("llama-2-7b ; 13B", ("llama-2-7b", "13b")),
            (
                "llama 3.1 70B and 405B ctx=8k",
                ("llama-3.1-70b ctx=8192", "llama-3.1-405b ctx=8192"),
            ),
            ("qwen3-1.7b-bnb-4bit ; gemma-3-1b", ("qwen3-1.7b bnb-nf4", "gemma-3-1b")),
            ("7b o 13b fp16", ("7b fp16", "13b fp16")),
            ("llama-7b-awq ; gemma-3-27b-fp8", ("llama-2-7b awq", "gemma-3-27b fp8")),
        ],
    )
    def test_two_models_are_offered_as_two_questions(self, grammar, text, suggestions):
        with pytest.raises(InvalidRequestError) as caught:
            grammar.parse(text)
        assert caught.value.values["reason"] == "two_models"
        assert caught.value.suggestions == suggestions

    @pytest.mark.parametrize(
        "text", ["llama-13b llama-2-13b", "deepseek-r1 671B", "command-r+ 104b"]
    )
    def test_the_same_model_twice_is_one(self, ask, text):
        assert ask(text).model_id in {"llama-2-13b", "deepseek-r1", "command-r-plus"}

    def test_a_claim_about_a_model_is_set_aside(self, ask):
        request = ask("mixtral 8x22B = 176B?")
        assert (request.model_id, request.ignored) == ("mixtral-8x22b", ("176b",))


class TestNumbersBesideNames:
    @pytest.mark.parametrize(
        ("text", "model", "users", "count"),
        [
            ("qwen 2 users", "qwen3-8b", 2, None),
            ("llama 7b 2 L40S", "llama-2-7b", None, 2),
            ("deepseek v3 1 h100", "deepseek-v3", None, 1),
            ("phi 4 8 usuarios", "phi-4", 8, None),
            ("llama 3 8b 3 x a100", "llama-3-8b", None, 3),
        ],
    )
    def test_a_name_leaves_the_count_that_follows_it(self, ask, text, model, users, count):
        request = ask(text)
        assert request.model_id == model
        assert request.concurrent_requests == users
        assert [one.count for one in request.gpus] == ([count] if count else [])


def test_every_id_alias_and_hub_name_is_found(grammar, catalogue):
    """What the catalogue lists can be typed."""
    missed = []
    for model in catalogue.models.values():
        for name in (model.id, *model.aliases, model.hf_id):
            try:
                found = grammar.parse(f"{name} users=3").request.model_id
            except SizingError as error:
                found = repr(error)
            if found != model.id:
                missed.append((name, model.id, found))
    assert missed == []
