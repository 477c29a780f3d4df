"""Which sets an answer names, and in what order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sizing.answer import Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.errors import InvalidRequestError, UnknownGpuError
from sizing.price import Basis
from sizing.records import Attention, PriceBook
from sizing.request import GpuChoice, SizingRequest


def answer(catalogue: Catalogue, **fields: object) -> SizingAnswer:
    return size(SizingRequest(**fields), catalogue)


def with_reason(found: SizingAnswer, code: str) -> list[Option]:
    return [
        option for option in found.options if any(reason.code == code for reason in option.reasons)
    ]


def test_the_asked_set_comes_first_then_what_is_safe_on_the_same_card(catalogue) -> None:
    """70B in BF16 on two A100 80 GB: 75.0 GB of 77.3 GB on each, 80.8 GB at worst."""
    found = answer(
        catalogue,
        model_id="llama-3-70b",
        precision="bf16",
        gpus=(GpuChoice(gpu="a100-sxm-80", count=2),),
    )
    first, second = found.options[:2]
    assert (first.gpus, first.verdict) == (2, Verdict.TIGHT)
    assert (second.gpu, second.gpus, second.verdict) == ("a100-sxm-80", 4, Verdict.FITS)


def test_an_open_number_is_answered_with_the_fewest_that_fit(catalogue) -> None:
    found = answer(catalogue, model_id="llama-3.1-405b", gpus=(GpuChoice(gpu="h100-sxm"),))
    assert with_reason(found, "smallest") == [found.options[0]]
    first = found.options[0]
    assert (first.gpu, first.gpus, first.nodes) == ("h100-sxm", 16, 2)
    assert (first.tensor_parallel, first.pipeline_parallel) == (8, 2)


def test_many_users_are_shared_by_replicas(catalogue) -> None:
    found = answer(
        catalogue,
        model_id="llama-3.1-8b",
        concurrent_requests=200,
        context_tokens=8192,
        gpus=(GpuChoice(gpu="l4"),),
    )
    first = with_reason(found, "smallest")[0]
    assert first.verdict is Verdict.FITS
    assert first.max_concurrent_requests >= 200
    assert first.gpus == first.replicas * first.tensor_parallel * first.pipeline_parallel


def test_without_prices_fewer_cards_less_memory_measured_fewer_watts(catalogue) -> None:
    unpriced = replace(catalogue, prices=PriceBook())
    found = answer(unpriced, model_id="llama-2-13b", precision="int8")
    assert found.ordered_by is Basis.SIZE
    rest = [option for option in found.options[2:] if option.verdict is Verdict.FITS]
    gpus = [catalogue.gpus[option.gpu] for option in rest]
    keys = [
        (o.gpus, gpu.memory_gb * o.gpus, not gpu.usable_is_measured, o.power_w, o.gpu)
        for o, gpu in zip(rest, gpus, strict=True)
    ]
    assert keys == sorted(keys)
    assert {gpu.usable_is_measured for gpu in gpus} == {True, False}


def test_modules_are_proposed_in_whole_boards_only(catalogue) -> None:
    for model_id in ("llama-2-13b", "llama-3.3-70b", "llama-3.1-405b", "mixtral-8x22b"):
        for option in answer(catalogue, model_id=model_id).options:
            assert catalogue.gpus[option.gpu].is_sold_as(option.gpus)


def test_a_named_module_may_be_any_number_and_says_how_it_is_sold(catalogue) -> None:
    gpus = (GpuChoice(gpu="h100-sxm", count=1),)
    found = answer(catalogue, model_id="llama-2-13b", gpus=gpus)
    assert found.options[0] in with_reason(found, "sold_on_boards")


def test_no_more_cards_than_the_asker_takes(catalogue) -> None:
    found = answer(catalogue, model_id="llama-3.3-70b", max_gpus=2)
    assert found.options
    assert max(option.gpus for option in found.options) <= 2


def test_nothing_that_cannot_run_the_format_is_proposed(catalogue) -> None:
    found = answer(catalogue, model_id="llama-3.1-8b", precision="nvfp4")
    assert {option.verdict for option in found.options} == {Verdict.FITS}


def test_memory_alone_stands_for_the_least_usable_card(catalogue) -> None:
    """24 GB: an L4 or A10 shows 22.5 GiB, an RTX 3090 24.0."""
    found = answer(catalogue, model_id="llama-2-13b", gpus=(GpuChoice(memory_gb=24, count=1),))
    assert found.options[0].gpu == "any-24gb"
    assert found.options[0].per_gpu.usable_bytes < 23 * 2**30


def test_memory_alone_is_a_single_card(catalogue) -> None:
    """The least usable card of 80 GB is sold on boards of four and eight; others are not."""
    found = answer(catalogue, model_id="qwen2.5-7b", gpus=(GpuChoice(memory_gb=80),))
    assert found.options[0].gpus == 1
    assert found.options[0] not in with_reason(found, "sold_on_boards")


def test_a_memory_that_no_card_has_is_an_error(catalogue) -> None:
    with pytest.raises(UnknownGpuError):
        answer(catalogue, model_id="llama-2-13b", gpus=(GpuChoice(memory_gb=23.5),))


def split(option: Option) -> tuple[int, int, int, int]:
    return (
        option.gpus,
        option.tensor_parallel,
        option.pipeline_parallel,
        option.replicas,
    )


def test_copies_come_before_one_copy_over_several_servers(catalogue) -> None:
    """An 8B fits every H100 with room for requests of 32k: nothing needs a second server."""
    found = answer(
        catalogue,
        model_id="llama-3.1-8b",
        concurrent_requests=200,
        context_tokens=32_768,
        gpus=(GpuChoice(gpu="h100-sxm"),),
    )
    assert split(with_reason(found, "smallest")[0])[2] == 1


def test_copies_share_the_requests(catalogue) -> None:
    """8 requests over 2 copies: each GPU caches 4 x 4,096 tokens of 131,072 bytes."""
    found = answer(
        catalogue,
        model_id="llama-3.1-8b",
        concurrent_requests=8,
        tensor_parallel=1,
        gpus=(GpuChoice(gpu="l40s", count=2),),
    )
    first = found.options[0]
    assert first.replicas == 2
    assert first.per_gpu.kv_cache_bytes == 4 * 4096 * 131_072
    assert first.max_concurrent_requests == 2 * (first.kv_pool_tokens // 4096)


def test_stages_alone_leave_the_tensor_degree_open(catalogue) -> None:
    """141 GB on two stages of one H100 are tight; two GPUs a stage fit."""
    found = answer(
        catalogue,
        model_id="llama-3.1-70b",
        pipeline_parallel=2,
        gpus=(GpuChoice(gpu="h100-sxm"),),
    )
    assert split(found.options[0]) == (4, 2, 2, 1)


def test_an_asked_set_may_be_the_smallest(catalogue) -> None:
    """Three cards need pipeline stages, which are never proposed where tensors can be split."""
    found = answer(
        catalogue, model_id="llama-3.1-70b", gpus=(GpuChoice(gpu="a100-sxm-80", count=3),)
    )
    assert with_reason(found, "smallest") == with_reason(found, "asked") == [found.options[0]]


def test_where_nothing_fits_for_certain_the_smallest_tight_set_is_shown(catalogue) -> None:
    found = answer(catalogue, model_id="llama-3.1-8b", gpus=(GpuChoice(gpu="rtx-4060"),))
    first = found.options[0]
    assert (first.gpu, first.gpus, first.verdict) == ("rtx-4060", 4, Verdict.TIGHT)


def test_a_recommendation_is_there_whenever_something_fits(catalogue) -> None:
    for users in (1, 20, 200, 500):
        for model_id in ("llama-3.1-8b", "llama-3.1-70b", "llama-3.1-405b"):
            found = answer(
                catalogue, model_id=model_id, concurrent_requests=users, context_tokens=32_768
            )
            (recommended,) = with_reason(found, "recommended")
            assert recommended.max_concurrent_requests * 4 >= users * 5


def test_a_named_module_is_recommended_in_the_number_the_load_needs(catalogue) -> None:
    """One MI300X of eight on its board: the note says how many are bought."""
    gpus = (GpuChoice(gpu="mi300x", count=8),)
    found = answer(catalogue, model_id="llama-2-70b", gpus=gpus)
    (recommended,) = with_reason(found, "recommended")
    assert recommended.gpus == 1
    assert recommended in with_reason(found, "sold_on_boards")


@pytest.mark.parametrize(
    ("degree", "count", "code"),
    [(4, 2, "count_below_parallel"), (2, 3, "gpus_left_idle")],
)
def test_a_count_that_the_split_does_not_use_is_said(catalogue, degree, count, code) -> None:
    found = answer(
        catalogue,
        model_id="llama-2-13b",
        precision="int8",
        tensor_parallel=degree,
        gpus=(GpuChoice(gpu="h100-sxm", count=count),),
    )
    assert code in {note.code for note in found.warnings}
    assert with_reason(found, "asked") == []


def test_an_illegal_split_is_named_without_any_gpu(catalogue) -> None:
    """40 heads over 3 ranks; what fits without the split stands behind."""
    found = answer(catalogue, model_id="llama-2-13b", precision="int8", tensor_parallel=3)
    assert found.options[0].verdict is Verdict.UNSUPPORTED
    assert found.options[0] in with_reason(found, "tensor_parallel_illegal")
    assert found.options[1].verdict is Verdict.FITS


def test_a_split_that_engines_stop_at_is_never_proposed(catalogue) -> None:
    """40 heads divide by 5, an FFN of 13,824 does not."""
    found = answer(catalogue, model_id="llama-2-13b", precision="int8", tensor_parallel=5)
    assert with_reason(found, "smallest") == with_reason(found, "recommended") == []


def test_a_limit_that_leaves_nothing_is_said(catalogue) -> None:
    found = answer(
        catalogue, model_id="llama-2-13b", precision="int8", max_gpus=1, concurrent_requests=100
    )
    assert found.options == ()
    assert "none_within_limit" in {note.code for note in found.warnings}


def test_rack_systems_are_not_proposed_unasked(catalogue) -> None:
    found = answer(catalogue, model_id="llama-3.1-405b")
    assert not {"gb200", "gb300"} & {option.gpu for option in found.options}


@pytest.mark.parametrize(
    ("gpu", "count", "nodes"),
    [("gb10", 2, 2), ("gb300", 8, 2), ("h100-sxm", 16, 2), ("l40s", 8, 1)],
)
def test_servers_are_counted_by_what_they_take(catalogue, gpu, count, nodes) -> None:
    found = answer(catalogue, model_id="llama-3.1-8b", gpus=(GpuChoice(gpu=gpu, count=count),))
    assert found.options[0].nodes == nodes


@pytest.mark.parametrize("gpu", ["l40s", "h200-nvl"])
@pytest.mark.parametrize("users", [1, 3, 20])
def test_what_is_promised_is_kept(catalogue, gpu, users) -> None:
    """The longest context and the most requests of an answer, asked for, still run."""
    fields = {"model_id": "llama-3.1-8b", "gpus": (GpuChoice(gpu=gpu, count=1),)}
    first = answer(catalogue, concurrent_requests=users, context_tokens=4096, **fields).options[0]
    longest = answer(
        catalogue,
        concurrent_requests=users,
        context_tokens=first.max_context_tokens,
        **fields,
    )
    most = answer(
        catalogue,
        concurrent_requests=first.max_concurrent_requests,
        context_tokens=4096,
        **fields,
    )
    for found in (longest, most):
        assert found.options[0].verdict in (Verdict.FITS, Verdict.TIGHT)


def test_the_published_sixteen_bits_may_be_the_other_sixteen(catalogue) -> None:
    """A T4 has no BF16; nobody asked for it, so FP16 of the same size is sized and said."""
    found = answer(catalogue, model_id="llama-3.1-8b", gpus=(GpuChoice(gpu="t4", count=4),))
    assert found.understood.precision == "fp16"
    assert found.options[0].verdict is Verdict.FITS
    assert "twin_precision" in {note.code for note in found.assumptions}


def test_unequal_counts_follow_the_asked_parallel_degree(catalogue) -> None:
    found = answer(
        catalogue,
        model_id="llama-2-13b",
        tensor_parallel=4,
        gpus=(GpuChoice(gpu="l40s", count=2),),
    )
    assert found.options[0].gpus == 4
    assert any(note.code == "count_below_parallel" for note in found.warnings)


@pytest.fixture
def unpublished(catalogue) -> Catalogue:
    """Return a catalogue in which nothing but the size of DeepSeek V3 is known."""
    model = catalogue.models["deepseek-v3"]
    shape = model.architecture.model_copy(update={"cache_is_known": False})
    unknown = model.model_copy(update={"architecture": shape})
    return replace(catalogue, models={**catalogue.models, unknown.id: unknown})


class TestUnpublishedShapes:
    def test_no_total_and_no_sets(self, unpublished) -> None:
        found = answer(unpublished, model_id="deepseek-v3")
        assert not found.supported
        assert found.options == ()
        assert found.memory.kv_bytes_per_token is None
        assert found.memory.weights_bytes > 600 * 10**9

    def test_weights_alone_can_rule_a_set_out(self, unpublished) -> None:
        """671 B parameters in FP8 are 673 GB; eight 80 GB cards offer 616 GB."""
        gpus = (GpuChoice(gpu="h100-sxm", count=8), GpuChoice(gpu="h200-sxm", count=8))
        found = answer(unpublished, model_id="deepseek-v3", gpus=gpus)
        assert [(o.gpu, o.verdict) for o in found.options] == [("h100-sxm", Verdict.DOES_NOT_FIT)]
        assert with_reason(found, "weights_alone_exceed")


class TestBareSizes:
    def test_groups_sum_to_the_asked_size(self, catalogue) -> None:
        for parameters in (1_300_000, 500_000_000, 13 * 10**9, 10**12):
            found = answer(catalogue, parameters=parameters)
            assert found.understood.parameters == parameters
            assert sum(group.parameters for group in found.memory.groups) == parameters

    def test_shape_is_borrowed_and_said(self, catalogue) -> None:
        found = answer(catalogue, parameters=70 * 10**9)
        note = next(note for note in found.assumptions if note.code == "dense_size")
        assert "70B" in note.values["shape_of"]
        assert found.memory.kv_bytes_per_token == 327_680

    def test_attention_can_be_said(self, catalogue) -> None:
        """A 13B of the first generation caches 800 KiB a token, a grouped one far less."""
        mha = answer(catalogue, parameters=13 * 10**9, attention=Attention.MHA)
        gqa = answer(catalogue, parameters=13 * 10**9)
        assert mha.memory.kv_bytes_per_token == pytest.approx(819_200, rel=0.002)
        assert gqa.memory.kv_bytes_per_token < 819_200 / 3

    def test_a_larger_size_never_caches_less(self, catalogue) -> None:
        sizes = [round(10 ** (8 + step / 10)) for step in range(41)]
        cached = [answer(catalogue, parameters=size).memory.kv_bytes_per_token for size in sizes]
        assert cached == sorted(cached)

    def test_attention_without_a_dense_model_is_an_error(self, catalogue) -> None:
        with pytest.raises(InvalidRequestError) as caught:
            answer(catalogue, parameters=13 * 10**9, attention=Attention.MLA)
        assert caught.value.values["reason"] == "no_shape"


def test_two_figures_that_disagree_are_an_error(catalogue) -> None:
    with pytest.raises(InvalidRequestError):
        answer(
            catalogue,
            model_id="llama-3-8b",
            context_tokens=8192,
            input_tokens=1000,
            output_tokens=500,
        )


def test_a_format_of_whole_computers_names_those(catalogue) -> None:
    """MLX runs on Macs alone, which are proposed for nothing else unasked."""
    found = answer(catalogue, model_id="llama-3.1-8b", precision="mlx-4bit")
    vendors = {catalogue.gpus[option.gpu].vendor for option in found.options}
    assert vendors == {"Apple"}


@pytest.mark.parametrize(("gpu", "engine"), [("m2-ultra", "transformers"), ("h100-sxm", "vllm")])
def test_the_default_engine_runs_on_the_named_card(catalogue, gpu: str, engine: str) -> None:
    found = answer(catalogue, model_id="llama-3.1-8b", gpus=(GpuChoice(gpu=gpu, count=1),))
    assert found.understood.engine == engine


def test_a_server_is_filled_with_pipeline_stages_where_tensors_do_not_divide(catalogue) -> None:
    """Phi-4 has 40 heads and 10 key-value heads: two T4 by tensors, four as two such stages."""
    found = answer(catalogue, model_id="phi-4", gpus=(GpuChoice(gpu="t4"),))
    option = found.options[0]
    assert (option.gpus, option.tensor_parallel, option.pipeline_parallel) == (4, 2, 2)
    assert (option.nodes, option.verdict) == (1, Verdict.FITS)


def test_copies_of_the_attention_are_proposed_for_a_latent_cache(catalogue) -> None:
    """Copied to 16 ranks the cache of 50 requests does not fit; shared out it does."""
    found = answer(
        catalogue,
        model_id="deepseek-r1",
        gpus=(GpuChoice(gpu="h100-sxm"),),
        concurrent_requests=50,
        context_tokens=16_384,
    )
    option = found.options[0]
    assert (option.gpus, option.data_parallel, option.expert_parallel) == (16, 16, 16)
    assert option.verdict is Verdict.FITS


def test_no_second_server_where_one_holds_the_typical_need(catalogue) -> None:
    """Gemma 3n E4B is tight on two T4: its image encoder may take more than they have."""
    found = answer(catalogue, model_id="gemma-3n-e4b", gpus=(GpuChoice(gpu="t4"),))
    assert {option.nodes for option in found.options if option.gpu == "t4"} == {1}


def test_a_refused_split_says_nothing_else_about_itself(catalogue) -> None:
    gpus = (GpuChoice(gpu="h100-sxm", count=8),)
    option = answer(catalogue, model_id="llama-3.1-8b", tensor_parallel=7, gpus=gpus).options[0]
    codes = {reason.code for reason in option.reasons}
    assert "tensor_parallel_illegal" in codes
    assert not codes & {"ffn_not_divisible", "pipeline", "kv_heads_replicated"}


def test_what_stands_beside_the_budget_can_make_it_tight(catalogue) -> None:
    """A T4 leaves a tenth of its 16.1 GB beside the budget; context and graphs may take 2.8 GB."""
    gpus = (GpuChoice(gpu="t4", count=1),)
    option = answer(catalogue, model_id="llama-3.1-8b", precision="fp8", gpus=gpus).options[0]
    note = next(reason for reason in option.reasons if reason.code == "little_beside")
    part = option.per_gpu
    assert option.verdict is Verdict.TIGHT
    assert part.need_high_bytes <= part.budget_bytes
    assert note.values["left_bytes"] == part.usable_bytes - part.budget_bytes
    assert note.values["outside_bytes"] > note.values["left_bytes"]
