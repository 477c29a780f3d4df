"""KV cache in host memory: computed from there, or kept there to be copied back."""

from __future__ import annotations

import pytest

from bot.command import parse
from sizing.answer import Note, Option, SizingAnswer, Verdict
from sizing.catalogue import Catalogue
from sizing.engine import size
from sizing.inverse import what_fits
from sizing.records import HostCacheUse
from sizing.units import GB, GIB

SMALL = "llama 3.1 8b q8_0 gpu=1xt4 ctx=128k"
"""One request: 131,072 tokens x 32 layers x 8 heads x 256 numbers x 2 bytes = 2^34 bytes, on 16 GB
beside weights of 8.5 GB."""

LARGE = "llama 3.1 70b fp8 gpu=4xh100 users=16 ctx=8k"
"""One request on one of four GPUs: 8,192 tokens x 80 layers x 2 heads x 256 numbers x 2 bytes."""

LARGE_REQUEST_BYTES = 8192 * 80 * 2 * 256 * 2

REUSING = ("vllm", "nim", "sglang", "trtllm")
ABOUT_CACHE = ("host_cache", "cache_", "no_host_cache")


def answer(catalogue: Catalogue, question: str) -> SizingAnswer:
    return size(parse(question, catalogue).request, catalogue)


def first(catalogue: Catalogue, question: str) -> Option:
    return answer(catalogue, question).options[0]


def notes_of(option: Option) -> dict[str, Note]:
    return {one.code: one for one in option.reasons if one.code.startswith(ABOUT_CACHE)}


class TestComputedFrom:
    def test_llamacpp_frees_the_gpu_of_all_of_it(self, catalogue: Catalogue) -> None:
        option = first(catalogue, f"{SMALL} kv=host")
        assert first(catalogue, SMALL).verdict is Verdict.DOES_NOT_FIT
        assert (option.verdict, option.per_gpu.kv_cache_bytes) == (Verdict.FITS, 0)
        assert option.host_cache.use is HostCacheUse.RUNNING
        assert option.host_cache.size_bytes == 2**34
        assert option.host_cache.setting == "--no-kv-offload"
        assert (option.max_context_tokens, option.max_concurrent_requests) == (131_072, 1)

    def test_the_processor_reads_it_for_every_token(self, catalogue: Catalogue) -> None:
        """89.6 GB/s (two channels of DDR5-5600) and 460.8 (twelve of DDR5-4800) over 2^34 bytes."""
        values = notes_of(first(catalogue, f"{SMALL} kv=host"))["host_cache_processor"].values
        assert values["tokens_per_s"] == pytest.approx(89.6e9 / 2**34, rel=0.03)
        assert values["most_tokens_per_s"] == pytest.approx(460.8e9 / 2**34, rel=0.03)
        assert (values["flag"], values["cache_bytes"]) == ("--no-kv-offload", 2**34)

    def test_transformers_keeps_three_layers_at_a_time(self, catalogue: Catalogue) -> None:
        """3 layers x 8 heads x 256 numbers x 2 bytes x 65,536 tokens on the GPU; 32 in the host.

        Copies both ways reach 0.66 to 0.79 of 31.504 GB/s (PCIe 4.0 x16), for 2^33 bytes a token.
        """
        question = "llama 3.1 8b fp16 gpu=1x4090 ctx=64k engine=transformers"
        option = first(catalogue, f"{question} kv=host")
        assert first(catalogue, question).verdict is Verdict.DOES_NOT_FIT
        assert (option.verdict, option.per_gpu.kv_cache_bytes) == (
            Verdict.FITS,
            3 * 8 * 256 * 2 * 65_536,
        )
        values = notes_of(option)["host_cache_link"].values
        assert values["cache_bytes"] == option.host_cache.size_bytes == 2**33
        assert values["tokens_per_s"] == pytest.approx(0.66 * 31.504e9 / 2**33, rel=0.03)
        assert values["most_tokens_per_s"] == pytest.approx(0.79 * 31.504e9 / 2**33, rel=0.03)

    def test_requests_at_once_share_the_speed(self, catalogue: Catalogue) -> None:
        one, four = (
            notes_of(first(catalogue, f"{SMALL} users={users} kv=host"))["host_cache_processor"]
            for users in (1, 4)
        )
        assert four.values["cache_bytes"] == 4 * one.values["cache_bytes"]
        assert four.values["tokens_per_s"] == one.values["tokens_per_s"]

    @pytest.mark.parametrize(
        ("memory", "verdict"),
        [
            ("kv_host=16", Verdict.FITS),
            ("kv_host=15.99", Verdict.DOES_NOT_FIT),
            # 2^34 bytes and 10 GiB for the system: 27,917,287,424 bytes.
            ("ram=27.917288", Verdict.FITS),
            ("ram=27.917286", Verdict.DOES_NOT_FIT),
            ("ram=512 kv_host=15.99", Verdict.DOES_NOT_FIT),
            ("ram=8 kv_host=16", Verdict.DOES_NOT_FIT),
        ],
    )
    def test_named_memory_of_the_host_holds_it_or_not(
        self, catalogue: Catalogue, memory: str, verdict: Verdict
    ) -> None:
        option = first(catalogue, f"{SMALL} kv=host {memory}")
        assert option.verdict is verdict
        assert ("host_cache_short" in notes_of(option)) is (verdict is Verdict.DOES_NOT_FIT)
        assert "short" not in {one.code for one in option.reasons}
        assert "host_cache_unnamed" not in notes_of(option)

    def test_named_memory_bounds_context_and_requests(self, catalogue: Catalogue) -> None:
        """10 GiB hold 10 x 2^30 / 131,072 = 81,920 tokens; 100 GiB six requests of 2^34 bytes."""
        short = first(catalogue, f"{SMALL} kv_host=10")
        assert (short.max_context_tokens, short.max_concurrent_requests) == (81_920, 0)
        assert short.kv_pool_tokens == 81_920
        roomy = first(catalogue, f"{SMALL} kv_host=100")
        assert (roomy.max_context_tokens, roomy.max_concurrent_requests) == (131_072, 6)

    def test_copies_share_the_memory_of_the_host(self, catalogue: Catalogue) -> None:
        """Two copies with one request each need 32 GiB."""
        question = "llama 3.1 8b fp16 gpu=2x4090 dp=2 users=2 ctx=128k engine=transformers"
        fitting = first(catalogue, f"{question} kv_host=32")
        assert (fitting.replicas, fitting.verdict) == (2, Verdict.FITS)
        assert fitting.host_cache.size_bytes == 2 * 2**34
        assert first(catalogue, f"{question} kv_host=31").verdict is Verdict.DOES_NOT_FIT

    def test_nothing_fits_where_the_weights_do_not(self, catalogue: Catalogue) -> None:
        option = first(catalogue, "llama 3.1 70b q8_0 gpu=1xt4 ctx=8k kv=host kv_host=64")
        assert option.verdict is Verdict.DOES_NOT_FIT
        assert (option.max_context_tokens, option.max_concurrent_requests) == (0, 0)
        assert option.kv_pool_tokens == 0

    def test_unnamed_memory_is_said_and_recommends_nothing(self, catalogue: Catalogue) -> None:
        options = answer(catalogue, f"{SMALL} kv=host").options
        assert "host_cache_unnamed" in notes_of(options[0])
        assert not any(one.code == "recommended" for row in options for one in row.reasons)
        named = answer(catalogue, f"{SMALL} kv_host=64").options
        assert any(one.code == "recommended" for row in named for one in row.reasons)

    def test_unequal_cards_keep_it_in_the_host_too(self, catalogue: Catalogue) -> None:
        """Of 32 layers Transformers has three on each card at a time, llama.cpp none."""
        question = "llama 3.1 8b gpu=1x3090+1x4090 ctx=64k"
        with_llamacpp = first(catalogue, f"{question} q8_0 kv=host")
        assert (len(with_llamacpp.cards), with_llamacpp.per_gpu.kv_cache_bytes) == (2, 0)
        kept = first(catalogue, f"{question} fp16 engine=transformers kv=host")
        assert kept.per_gpu.kv_cache_bytes == 3 * 8 * 256 * 2 * 65_536
        assert kept.host_cache.size_bytes == 2**33


class TestOfferedUnasked:
    def test_where_it_makes_the_set_fit(self, catalogue: Catalogue) -> None:
        option = first(catalogue, "llama 3.1 8b fp16 gpu=1x4090 ctx=64k engine=transformers")
        note = notes_of(option)["cache_over_link"]
        assert note.values["flag"] == 'cache_implementation="offloaded"'
        assert first(catalogue, SMALL).host_cache is None

    @pytest.mark.parametrize(
        "question",
        [
            "llama 3.1 8b fp16 gpu=1x4090 engine=transformers",  # fits without
            "llama 3.1 8b fp16 gpu=1xm3-ultra ctx=128k users=64 engine=transformers",  # one memory
            "llama 3.1 70b fp16 gpu=1x4090 ctx=64k engine=transformers",  # too large without cache
            f"{SMALL} ram=20",  # 2^34 bytes do not go into 20 GB less 10 GiB
        ],
    )
    def test_nowhere_else(self, catalogue: Catalogue, question: str) -> None:
        assert notes_of(first(catalogue, question)) == {}

    @pytest.mark.parametrize("engine", REUSING)
    def test_what_is_kept_for_reuse_is_no_way_to_fit(
        self, catalogue: Catalogue, engine: str
    ) -> None:
        question = f"llama 3.1 8b fp16 gpu=1xl4 ctx=64k users=4 engine={engine}"
        assert first(catalogue, question).verdict is Verdict.DOES_NOT_FIT
        assert notes_of(first(catalogue, question)) == {}
        asked = first(catalogue, f"{question} kv=host")
        assert asked.host_cache is None
        assert list(notes_of(asked)) == ["host_cache_no_help"]


class TestKeptForReuse:
    @pytest.mark.parametrize("engine", REUSING)
    def test_the_gpus_need_as_much_as_without(self, catalogue: Catalogue, engine: str) -> None:
        without = first(catalogue, f"{LARGE} engine={engine}")
        with_it = first(catalogue, f"{LARGE} engine={engine} kv=host")
        changed = {"host_cache": with_it.host_cache, "reasons": with_it.reasons}
        assert with_it == without.model_copy(update=changed)
        assert with_it.host_cache.use is HostCacheUse.REUSE

    @pytest.mark.parametrize(
        ("engine", "pools", "step", "parts", "words"),
        [
            ("vllm", 2, GIB, 1, "--kv-offloading-backend native --kv-offloading-size {gib}"),
            ("nim", 2, GIB, 1, "--kv-offloading-backend native --kv-offloading-size {gib}"),
            ("sglang", 2, GB, 4, "--enable-hierarchical-cache --hicache-size {gb}"),
            ("trtllm", 1, GIB, 4, "kv_cache_config.host_cache_size: {bytes}"),
        ],
    )
    def test_as_much_again_as_the_pools_hold(
        self, catalogue: Catalogue, engine: str, pools: int, step: int, parts: int, words: str
    ) -> None:
        """Twice the pools of four GPUs where blocks are copied early; all ranks or one by one."""
        option = first(catalogue, f"{LARGE} engine={engine} kv=host")
        each = pools * 4 * option.per_gpu.kv_pool_bytes // parts // step * step
        setting = words.format(gib=each // GIB, gb=each // GB, bytes=each)
        assert option.host_cache.setting == setting
        assert option.host_cache.size_bytes == each * parts
        assert option.host_cache.requests == each * parts // 4 // LARGE_REQUEST_BYTES

    @pytest.mark.parametrize(
        ("engine", "memory", "setting", "size_bytes"),
        [
            ("vllm", "kv_host=64", "--kv-offloading-size 64", 64 * GIB),
            ("vllm", "kv_host=12.3", "--kv-offloading-size 12.25", 12.25 * GIB),
            ("vllm", "kv=host ram=100", "--kv-offloading-size 83", 83 * GIB),  # 93.13 - 10 GiB
            ("sglang", "kv_host=64", "--hicache-size 17", 68 * GB),  # 68.7 GB over four GPUs
            ("sglang", "kv_host=1", "--hicache-size 1", 4 * GB),  # the least that it takes
            ("trtllm", "kv_host=64", f"size: {16 * GIB}", 64 * GIB),
        ],
    )
    def test_named_memory_is_what_is_set(
        self, catalogue: Catalogue, engine: str, memory: str, setting: str, size_bytes: float
    ) -> None:
        found = first(catalogue, f"{LARGE} engine={engine} {memory}").host_cache
        assert found.setting.endswith(setting)
        assert found.size_bytes == size_bytes

    def test_each_copy_of_the_attention_keeps_its_own(self, catalogue: Catalogue) -> None:
        """Two replicas of vLLM, and eight copies of the attention of one: as many settings."""
        two = first(catalogue, "llama 3.1 8b fp16 gpu=2xl40s dp=2 users=2 kv_host=64").host_cache
        assert two.setting.endswith("--kv-offloading-size 32")
        eight = first(catalogue, "deepseek v3 fp8 gpu=8xh200 dp=8 ctx=32k kv_host=64").host_cache
        assert eight.setting.endswith("--kv-offloading-size 8")
        assert two.size_bytes == eight.size_bytes == 64 * GIB
        # 61 layers x 576 numbers x 2 bytes x 32,768 tokens; 8 GiB hold three such requests.
        assert eight.requests == 8 * (8 * GIB // (61 * 576 * 2 * 32_768))

    def test_below_the_pools_hardly_anything_is_gained(self, catalogue: Catalogue) -> None:
        option = first(catalogue, f"{LARGE} kv=host")
        pools_gib = 4 * option.per_gpu.kv_pool_bytes / GIB
        for memory_gib, is_told in ((int(pools_gib), True), (int(pools_gib) + 1, False)):
            found = notes_of(first(catalogue, f"{LARGE} kv_host={memory_gib}"))
            assert ("host_cache_below_pool" in found) is is_told
        evicting = first(catalogue, f"{LARGE} kv_host=8 engine=trtllm")
        assert "host_cache_below_pool" not in notes_of(evicting)

    def test_a_host_without_memory_to_spare(self, catalogue: Catalogue) -> None:
        option = first(catalogue, f"{LARGE} kv=host ram=8")
        assert (option.verdict, option.host_cache) == (Verdict.FITS, None)
        assert list(notes_of(option)) == ["host_cache_no_memory"]

    def test_copying_is_set_against_computing(self, catalogue: Catalogue) -> None:
        """671 MB over 0.79 and 0.66 of 63.008 GB/s; 2 operations for each of 70.6 billion
        parameters over 0.75 and 0.30 of four times 1,979 TFLOPS, at most 2 x 80 layers x 8,192
        wide x 8,192^2 tokens of scores beside."""
        values = notes_of(first(catalogue, f"{LARGE} kv=host"))["host_cache_copy"].values
        copy_ms = LARGE_REQUEST_BYTES / 63.008e9 * 1000
        assert values["copy_ms"] == pytest.approx(copy_ms / 0.79, rel=0.05)
        assert values["most_copy_ms"] == pytest.approx(copy_ms / 0.66, rel=0.05)
        passes, scores = 2 * 70.55e9 * 8192, 2 * 80 * 8192 * 8192**2
        rate = 4 * 1979e12 / 1000
        assert values["compute_ms"] == pytest.approx(passes / (0.75 * rate), rel=0.05)
        assert values["most_compute_ms"] == pytest.approx(
            (passes + scores) / (0.3 * rate), rel=0.05
        )

    def test_an_unknown_link_has_no_time(self, catalogue: Catalogue) -> None:
        found = notes_of(first(catalogue, "llama 3.1 70b fp8 gpu=4xgb200 ctx=8k kv=host"))
        assert list(found) == ["host_cache_reuse"]


class TestNothingToGain:
    def test_one_memory_for_both(self, catalogue: Catalogue) -> None:
        question = "llama 3.1 8b q8_0 gpu=1xm3-ultra ctx=128k"
        without, with_it = first(catalogue, question), first(catalogue, f"{question} kv=host")
        assert with_it.per_gpu == without.per_gpu
        assert (list(notes_of(with_it)), with_it.host_cache) == (["host_cache_same_memory"], None)

    @pytest.mark.parametrize(
        "question",
        [
            "llama 3.1 8b bf16 gpu=1xgaudi3 ctx=8k kv=host",
            "llama 3.1 8b bf16 gpu=1xgaudi3 ctx=8k engine=transformers kv=host",
        ],
    )
    def test_accelerators_that_the_engine_does_not_do_it_on(
        self, catalogue: Catalogue, question: str
    ) -> None:
        option = first(catalogue, question)
        assert (list(notes_of(option)), option.host_cache) == (["host_cache_not_on"], None)
        assert option.per_gpu == first(catalogue, question.removesuffix(" kv=host")).per_gpu

    @pytest.mark.parametrize(
        ("engine", "precision"),
        [("tgi", "fp16"), ("lmdeploy", "fp16"), ("exllama", "exl3-4bpw"), ("mlx", "mlx-4bit")],
    )
    def test_engines_without_the_option_say_so(
        self, catalogue: Catalogue, engine: str, precision: str
    ) -> None:
        question = f"llama 3.1 8b {precision} engine={engine} ctx=8k"
        asked = answer(catalogue, f"{question} kv=host")
        assert [one.values for one in asked.warnings if one.code == "no_host_cache"] == [
            {"engine": engine}
        ]
        assert [row.host_cache for row in asked.options if row.host_cache] == []
        assert asked.options == answer(catalogue, question).options

    @pytest.mark.parametrize(
        ("question", "code", "option"),
        [
            ("llama 3.1 8b lora kv=host", "serving_options", ("kv=host",)),
            ("sdxl kv=host", "option_without_effect", "kv_host"),
            ("bge-m3 kv_host=8", "option_without_effect", "kv_host"),
        ],
    )
    def test_where_no_request_has_a_cache(
        self, catalogue: Catalogue, question: str, code: str, option: object
    ) -> None:
        found = [one for one in answer(catalogue, question).warnings if one.code == code]
        assert [tuple(one.values.values()) for one in found] == [(option,)]


class TestWhatFits:
    def test_more_models_where_requests_are_computed_from_it(self, catalogue: Catalogue) -> None:
        question = "what fits 1x4090 ctx=64k engine=llamacpp"
        without, with_it = (
            what_fits(parse(text, catalogue).request, catalogue)
            for text in (question, f"{question} kv=host")
        )
        assert {one.model_id for one in without.models} < {one.model_id for one in with_it.models}
        assert (with_it.understood.kv_in_host, without.understood.kv_in_host) == (True, False)

    @pytest.mark.parametrize(
        ("question", "code"),
        [
            ("what fits 1x4090 engine=llamacpp kv=host", "host_cache_unnamed"),
            ("what fits 1x4090 kv=host", "host_cache_no_help"),
            ("what fits 1x4090 engine=tgi kv=host", "no_host_cache"),
            ("what fits 1xm3-ultra kv=host", "host_cache_same_memory"),
            ("what fits 1xgaudi3 kv=host", "host_cache_not_on"),
        ],
    )
    def test_what_it_does_is_said_once(
        self, catalogue: Catalogue, question: str, code: str
    ) -> None:
        warnings = what_fits(parse(question, catalogue).request, catalogue).warnings
        assert [one.code for one in warnings if one.code.startswith(ABOUT_CACHE)] == [code]
