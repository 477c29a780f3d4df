"""What holds for every text: no crash, no dependence on looks, and a way back from each request."""

import re
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.command import Ask, Grammar, format_request, parse
from bot.grammar.goals import KINDS
from bot.names import digits_of
from sizing.catalogue import load_catalogue
from sizing.errors import SizingError
from sizing.records import Attention
from sizing.request import Goal, GpuChoice, Mode, Shape, SizingRequest, Targets
from sizing.speculation import SpecMethod, Speculation
from sizing.spending import Means, Spending
from sizing.tuning import (
    AdapterTargets,
    Encoders,
    Loss,
    Method,
    Offload,
    Optimizer,
    Tuner,
    Tuning,
)

CATALOGUE = load_catalogue()
GRAMMAR = Grammar(CATALOGUE)
MODELS = sorted(CATALOGUE.models)
VOCABULARY = """
    llama-13b llama 13b 70b mixtral 8x7b
    8x13b 120b-a12b a12b active layers=60 qwen3 r1 int8 fp16 q4_k_m awq kv fp8 ctx 8k 32k contexto
    kv=host kv_host=64 offload host
    de users usuarios 20 0 -5 2 dos x 2x 4x 8xh100 l40s a100 80gb 24gb 2x24gb rtx 6000 gpu= gpu
    gpus<=4 ttft<500ms = < > : -- --users --ctx=8k tp=4 tp vllm ollama lora full finetune + , ; / o
    y $40k 100 gb red ram mig 3g.20gb h100:3g.40gb budget=1 7,5 mil millones billones 13.000m t/s
    what fits caben max contexto users= kwh=0,15 pue=1.3 years=3 horas=12 hours rent comprar
    modelo foo-bar-9000 <!channel> <@U1> — “ ” ¿ é lang=es --json help show list in=1 out=2 params=
"""
WORDS = st.sampled_from(sorted(set(VOCABULARY.split())))
LINES = st.lists(WORDS, max_size=12).map(" ".join)
QUESTIONS = (
    "llama-13b int8",
    "llama 3.1 70B fp8 ctx=32k users=64 gpu=4xH100 ttft<500ms",
    "Qwen2.5-72B AWQ int4 on single RTX 6000 Ada 48G, kv fp8, ctx 15360, util 0.98",
    "un 34B denso, GQA, 32k, 20 usuarios",
    "2 nodos 8xH100 deepseek-r1 128k",
    "lama-13b presupuesto 40k red 100 Gb",
    "3090 24Gb + 3070 8Gb mistral 7b",
)


def _outcome(text):
    try:
        return GRAMMAR.parse(text)
    except SizingError as error:
        return (error.code, error.values)


@given(st.text(max_size=200) | LINES | st.tuples(LINES, st.text(max_size=20)).map("".join))
@settings(max_examples=600, deadline=None)
def test_any_text_is_understood_or_refused_in_words(text):
    """Nothing but SizingError leaves the grammar; what it reads can be written down again."""
    command = _outcome(text)
    if isinstance(command, Ask):
        assert format_request(command.request)


@pytest.mark.parametrize("question", QUESTIONS)
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_looks_do_not_matter(question, data):
    """Case, white space and the kind of dash change nothing."""
    spaces = st.sampled_from([" ", "  ", "\t", "\u00a0", " \n"])
    dashes = st.sampled_from(["-", "‐", "‑", "–", "—", "−"])
    cased = data.draw(st.sampled_from([question, question.upper(), question.lower()]))
    spaced = re.sub(" ", lambda _: data.draw(spaces), cased)
    dashed = re.sub("-", lambda _: data.draw(dashes), spaced)
    assert _outcome(f"  {dashed} ") == _outcome(question)


counts = st.integers(1, 100_000)
tokens = st.integers(1, 10_000_000)
rates = st.floats(0.001, 10_000).map(lambda rate: round(rate, 6))


def figures(least: float, most: float) -> st.SearchStrategy[float]:
    return st.floats(least, most).map(lambda figure: round(figure, 6))


gpu_choices = st.builds(
    GpuChoice, gpu=st.sampled_from(sorted(CATALOGUE.gpus)), count=st.none() | counts
)
slices = st.sampled_from(
    [(gpu.id, each.name) for gpu in CATALOGUE.gpus.values() for each in gpu.mig_profiles]
)
gpu_choices |= st.builds(
    lambda found, count: GpuChoice(gpu=found[0], mig_profile=found[1], count=count),
    slices,
    st.none() | counts,
)
gpu_choices |= st.builds(
    GpuChoice, memory_gb=st.integers(1, 999).map(float), count=st.none() | counts
)


sides = st.integers(64, 16_384)
kinds = st.lists(st.sampled_from(sorted(KINDS)), unique=True)
families = st.lists(
    st.sampled_from(sorted({model.family for model in CATALOGUE.models.values()})),
    unique=True,
    max_size=3,
)


shapes = st.builds(Shape, **dict.fromkeys(Shape.model_fields, st.none() | st.integers(1, 10**5)))

open_switches = st.sampled_from([None, True, False])
open_counts = st.none() | counts
shares = st.integers(1, 999).map(lambda share: share / 1000)
SETTINGS = {
    "framework": st.none() | st.sampled_from(sorted(CATALOGUE.frameworks)),
    "method": st.none() | st.sampled_from(Method),
    "beside": st.none() | st.sampled_from(MODELS),
    "tuner": st.none() | st.sampled_from(Tuner),
    "targets": st.none() | st.sampled_from(AdapterTargets),
    "trained_layers": open_counts,
    "embeddings": st.booleans(),
    "encoders": st.none() | st.sampled_from(Encoders),
    "optimizer": st.none() | st.sampled_from(Optimizer),
    "step_in_backward": st.booleans(),
    "autocast": st.booleans(),
    "zero_stage": st.none() | st.integers(0, 3),
    "shard_gpus": open_counts,
    "context_parallel": open_counts,
    "offload": st.none() | st.sampled_from(Offload),
    "offload_fraction": st.none() | shares,
    "offload_activations": st.booleans(),
    "checkpointing": open_switches,
    "encoder_checkpointing": open_switches,
    "flash_attention": open_switches,
    "compiled": st.booleans(),
    "loss": st.none() | st.sampled_from(Loss),
    "packed": st.booleans(),
    "run_tokens": st.none() | st.integers(1, 10**15),
    "rollout_fraction": st.none() | shares,
}
tunings = st.builds(Tuning, **SETTINGS)


def test_every_setting_of_a_run_is_drawn():
    assert set(SETTINGS) == set(Tuning.model_fields)


@st.composite
def requests(draw):
    """Draw requests that a person could have asked, fields that depend on others in agreement."""
    open_or = lambda values: draw(st.none() | values)  # noqa: E731
    names_model = draw(st.booleans())
    prompt, output = open_or(tokens), open_or(tokens)
    context = prompt + output if prompt and output else open_or(st.integers(10**7, 10**8))
    chosen = draw(st.lists(gpu_choices, max_size=3, unique_by=lambda one: (one.gpu, one.memory_gb)))
    is_sliced = any(one.mig_profile for one in chosen)
    mixed = len(chosen) > 1 and not is_sliced and draw(st.booleans())
    if mixed:
        chosen = [one.model_copy(update={"count": one.count or 1}) for one in chosen]
    goal = draw(st.sampled_from(Goal))
    if goal is Goal.WHAT_FITS:
        names_model, chosen, mixed = None, chosen[:1] or [draw(gpu_choices)], False
    is_search = goal is Goal.WHAT_FITS
    picture = open_or(st.tuples(sides, sides)) or (None, None)
    return SizingRequest(
        goal=goal,
        kinds=tuple(draw(kinds)) if is_search else (),
        families=tuple(draw(families)) if is_search else (),
        model_id=draw(st.sampled_from(MODELS)) if names_model else None,
        parameters=None if names_model is not False else draw(st.integers(1000, 10**13)),
        experts=open_or(counts) if names_model is False else None,
        active_parameters=open_or(st.integers(1000, 10**13)) if names_model is False else None,
        shape=draw(shapes) if names_model is False else Shape(),
        attention=None if names_model is not False else open_or(st.sampled_from(Attention)),
        precision=open_or(st.sampled_from(sorted(CATALOGUE.precisions))),
        kv_precision=open_or(st.sampled_from(sorted(CATALOGUE.kv_precisions))),
        kv_in_host=draw(st.booleans()),
        kv_host_gib=open_or(rates),
        engine=open_or(st.sampled_from(sorted(CATALOGUE.engines))),
        mode=draw(st.sampled_from(Mode)),
        context_tokens=context,
        input_tokens=prompt,
        output_tokens=output,
        width_pixels=picture[0],
        height_pixels=picture[1],
        images=open_or(counts),
        frames=open_or(counts),
        seconds=open_or(counts),
        concurrent_requests=open_or(counts),
        requests_per_s=open_or(rates),
        memory_fraction=open_or(st.integers(1, 1000).map(lambda share: share / 1000)),
        tensor_parallel=open_or(counts),
        pipeline_parallel=open_or(counts),
        expert_parallel=open_or(counts),
        gpus=tuple(chosen),
        mixed_gpus=mixed,
        max_gpus=open_or(counts),
        batched_tokens=open_or(tokens),
        eager=draw(st.booleans()),
        targets=Targets(ttft_ms=open_or(rates), itl_ms=open_or(rates), tokens_per_s=open_or(rates)),
        budget_usd=open_or(rates),
        network_gbps=open_or(rates),
        power_limit_w=open_or(rates),
        host_ram_gb=open_or(rates),
        adapters=draw(st.integers(0, 1000)),
        adapter_rank=open_or(counts),
        prefix_caching=draw(st.booleans()),
        disaggregated=draw(st.booleans()),
        speculation=Speculation(
            spec=open_or(st.sampled_from(SpecMethod)),
            draft_tokens=open_or(st.integers(1, 64)),
            acceptance=open_or(shares),
            draft_parameters=open_or(st.integers(1000, 10**13)),
        ),
        tuning=draw(tunings),
        spending=draw(spendings()),
    )


@st.composite
def spendings(draw):
    """Wishes about costs."""

    def open_or(strategy):
        return draw(st.none() | strategy)

    return Spending(
        wants_api=draw(st.booleans()),
        means=open_or(st.sampled_from(Means)),
        electricity_usd_per_kwh=open_or(figures(0.001, 10)),
        pue=open_or(figures(1, 10)),
        lifetime_years=open_or(figures(0.1, 50)),
        hours_per_day=open_or(figures(0.1, 24)),
    )


@given(requests())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_request_survives_being_written_and_read(request):
    command = GRAMMAR.parse(format_request(request))
    assert isinstance(command, Ask)
    assert command.request == request


@pytest.mark.parametrize("question", QUESTIONS)
def test_what_was_read_can_be_asked_again(question):
    request = GRAMMAR.parse(question).request
    told = request.model_copy(update={"read_as": (), "ignored": (), "model_is_default": False})
    assert GRAMMAR.parse(format_request(request)).request == told


@given(st.sampled_from(MODELS), st.data())
@settings(max_examples=400, deadline=None)
def test_a_typo_never_changes_a_number(name, data):
    """Whatever one wrong letter does to a name: its digits stay, or it is refused.

    A name of no known family is estimated by the size it says, and keeps that.
    """
    place = data.draw(st.integers(0, len(name) - 1))
    letter = data.draw(st.sampled_from("abcdefghijklmnopqrstuvwxyz"))
    if not name[place].isalpha():
        return
    typo = f"{name[:place]}{letter}{name[place + 1 :]}"
    command = _outcome(typo)
    if not isinstance(command, Ask) or not command.request.read_as:
        return
    read_as = command.request.read_as[0].read_as
    if command.request.model_id is None:
        assert read_as in typo
    else:
        assert digits_of(read_as) == digits_of(typo)


@given(st.sampled_from([name for name in MODELS if re.search(r"\db$", name)]), st.integers(1, 999))
@settings(max_examples=300, deadline=None)
def test_another_size_is_another_model_or_none(name, size):
    """With another size in its place, a name means a model that is called so, or is refused."""
    changed = re.sub(r"[\d.]+b$", f"{size}b", name)
    command = _outcome(changed)
    if not isinstance(command, Ask):
        return
    model = CATALOGUE.models[command.request.model_id]
    spellings = " ".join((model.id, *model.aliases, model.name, model.hf_id)).lower()
    assert f"{size}b" in spellings


@pytest.mark.parametrize(
    "unit",
    ["llama ", "2x", "a100 80gb ", "foo-bar-9000 ", "1,", "<", "-", "((", "12b ", "8k\u00a0"],
)
def test_time_grows_with_the_length_not_with_its_square(unit):
    """Ten times the text may take at most forty times as long; a square would take a hundred."""

    def seconds(length):
        text = (unit * length)[:length]
        best = float("inf")
        for _ in range(3):
            start = time.process_time()
            _outcome(text)
            best = min(best, time.process_time() - start)
        return best

    assert seconds(20_000) < 40 * seconds(2_000) + 0.05


def test_one_line_can_be_read_without_a_grammar():
    assert parse("llama-13b int8", CATALOGUE) == GRAMMAR.parse("llama-13b int8")
