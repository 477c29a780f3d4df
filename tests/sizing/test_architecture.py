"""Parameters and KV layout, each derived by hand from the published shape."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.architecture import (
    active_parameter_count,
    parameter_count,
    tensor_groups,
)
from sizing.kv_cache import cache_layout
from sizing.records import (
    ArchitectureRecord,
    Attention,
    AttentionVariantRecord,
    IndexerRecord,
    MlaRecord,
    MoeRecord,
    TensorGroup,
)

LLAMA_2_13B = ArchitectureRecord(
    layers=40,
    hidden_size=5_120,
    heads=40,
    kv_heads=40,
    head_dim=128,
    ffn_size=13_824,
    vocabulary_size=32_000,
    tied_embeddings=False,
    attention=Attention.MHA,
)

MIXTRAL_8X7B = ArchitectureRecord(
    layers=32,
    hidden_size=4_096,
    heads=32,
    kv_heads=8,
    head_dim=128,
    ffn_size=0,
    vocabulary_size=32_000,
    tied_embeddings=False,
    attention=Attention.GQA,
    moe=MoeRecord(experts=8, experts_per_token=2, expert_ffn_size=14_336, layers=32),
)

DEEPSEEK_V3 = ArchitectureRecord(
    layers=61,
    hidden_size=7_168,
    heads=128,
    kv_heads=128,
    head_dim=192,
    ffn_size=18_432,
    vocabulary_size=129_280,
    tied_embeddings=False,
    attention=Attention.MLA,
    moe=MoeRecord(
        experts=256,
        experts_per_token=8,
        expert_ffn_size=2_048,
        layers=58,
        shared_ffn_size=2_048,
        router_bias=True,
    ),
    mla=MlaRecord(
        kv_lora_rank=512, q_lora_rank=1_536, rope_head_dim=64, nope_head_dim=128, value_head_dim=128
    ),
)

GPT_OSS_20B = ArchitectureRecord(
    layers=24,
    hidden_size=2_880,
    heads=64,
    kv_heads=8,
    head_dim=64,
    ffn_size=0,
    vocabulary_size=201_088,
    tied_embeddings=False,
    attention=Attention.GQA,
    qkv_bias=True,
    attention_output_bias=True,
    attention_sinks=True,
    attention_variants=(AttentionVariantRecord(layers=12, window_tokens=128),),
    moe=MoeRecord(
        experts=32,
        experts_per_token=4,
        expert_ffn_size=2_880,
        layers=24,
        expert_bias=True,
        router_bias=True,
    ),
)


def sizes(architecture: ArchitectureRecord) -> dict[TensorGroup, int]:
    return {size.group: size.parameters for size in tensor_groups(architecture)}


def channels(architecture: ArchitectureRecord) -> dict[TensorGroup, int]:
    return {size.group: size.output_channels for size in tensor_groups(architecture)}


def changed(architecture: ArchitectureRecord, **values: object) -> ArchitectureRecord:
    """Return a checked copy: `model_copy` alone would accept anything."""
    return ArchitectureRecord(**{**dict(architecture), **values})


def test_plain_transformer() -> None:
    """Llama 2 13B: 13,015,864,320."""
    assert sizes(LLAMA_2_13B) == {
        TensorGroup.EMBEDDING: 163_840_000,  # 32,000 x 5,120
        TensorGroup.HEAD: 163_840_000,
        TensorGroup.ATTENTION: 4_194_304_000,  # 40 x 4 x 5,120 x 5,120
        TensorGroup.FFN: 8_493_465_600,  # 40 x 3 x 5,120 x 13,824
        TensorGroup.NORM: 414_720,  # (40 x 2 + 1) x 5,120
    }
    assert parameter_count(LLAMA_2_13B) == 13_015_864_320
    assert active_parameter_count(LLAMA_2_13B) == 13_015_864_320


def test_output_channels_are_the_rows_of_the_matrices() -> None:
    assert channels(LLAMA_2_13B) == {
        TensorGroup.EMBEDDING: 0,
        TensorGroup.HEAD: 32_000,
        TensorGroup.ATTENTION: 819_200,  # 40 x (q 5,120 + k 5,120 + v 5,120 + o 5,120)
        TensorGroup.FFN: 1_310_720,  # 40 x (gate 13,824 + up 13,824 + down 5,120)
        TensorGroup.NORM: 0,
    }


def test_grouped_queries_with_head_norms() -> None:
    """Qwen3 8B: q and o 4,096 x 4,096, k and v 4,096 x 1,024, norms of 128 on q and k."""
    qwen3_8b = ArchitectureRecord(
        layers=36,
        hidden_size=4_096,
        heads=32,
        kv_heads=8,
        head_dim=128,
        ffn_size=12_288,
        vocabulary_size=151_936,
        tied_embeddings=False,
        attention=Attention.GQA,
        qk_norm_size=256,
    )
    found = sizes(qwen3_8b)
    assert found[TensorGroup.ATTENTION] == 36 * (2 * 16_777_216 + 2 * 4_194_304)
    assert found[TensorGroup.NORM] == 73 * 4_096 + 36 * 256
    assert parameter_count(qwen3_8b) == 8_190_735_360


def test_biases_are_a_group_of_their_own() -> None:
    """Qwen2.5 7B: 28 x (3,584 + 2 x 512) biases, which number formats leave in 16 bits."""
    qwen25_7b = ArchitectureRecord(
        layers=28,
        hidden_size=3_584,
        heads=28,
        kv_heads=4,
        head_dim=128,
        ffn_size=18_944,
        vocabulary_size=152_064,
        tied_embeddings=False,
        attention=Attention.GQA,
        qkv_bias=True,
    )
    assert sizes(qwen25_7b)[TensorGroup.OTHER] == 129_024
    assert parameter_count(qwen25_7b) == 7_615_616_512


def test_tied_embeddings_have_no_head() -> None:
    """Llama 3.2 1B: 128,256 x 2,048 once, and heads of 64 that do not fill KV heads."""
    llama_32_1b = ArchitectureRecord(
        layers=16,
        hidden_size=2_048,
        heads=32,
        kv_heads=8,
        head_dim=64,
        ffn_size=8_192,
        vocabulary_size=128_256,
        tied_embeddings=True,
        attention=Attention.GQA,
    )
    assert TensorGroup.HEAD not in sizes(llama_32_1b)
    assert parameter_count(llama_32_1b) == 1_235_814_400
    assert parameter_count(changed(llama_32_1b, tied_embeddings=False)) == 1_498_482_688


def test_parallel_block_with_layer_norms() -> None:
    """GPT-J 6B.

    embedding      50,400 x 4,096                         =   206,438,400
    head           50,400 x (4,096 + 1)                   =   206,488,800
    attention      28 x 4 x 4,096 x 4,096                 = 1,879,048,192
    FFN            28 x 2 x 4,096 x 16,384                = 3,758,096,384
    FFN biases     28 x (16,384 + 4,096)                  =       573,440
    norms          (28 x 1 + 1) x 4,096 x 2               =       237,568
    """
    gpt_j = ArchitectureRecord(
        layers=28,
        hidden_size=4_096,
        heads=16,
        kv_heads=16,
        head_dim=256,
        ffn_size=16_384,
        vocabulary_size=50_400,
        tied_embeddings=False,
        attention=Attention.MHA,
        gated_ffn=False,
        ffn_bias=True,
        head_bias=True,
        norms_per_layer=1,
        norm_bias=True,
    )
    assert sizes(gpt_j)[TensorGroup.HEAD] == 206_488_800
    assert sizes(gpt_j)[TensorGroup.OTHER] == 573_440
    assert sizes(gpt_j)[TensorGroup.NORM] == 237_568
    assert parameter_count(gpt_j) == 6_050_882_784


def test_learned_positions() -> None:
    """GPT-2: 12 layers of 768; 1,024 positions beside 50,257 tokens; 124,439,808 in all."""
    gpt2 = ArchitectureRecord(
        layers=12,
        hidden_size=768,
        heads=12,
        kv_heads=12,
        head_dim=64,
        ffn_size=3_072,
        vocabulary_size=50_257,
        tied_embeddings=True,
        attention=Attention.MHA,
        gated_ffn=False,
        qkv_bias=True,
        attention_output_bias=True,
        ffn_bias=True,
        norm_bias=True,
        position_entries=1_024,
    )
    assert sizes(gpt2)[TensorGroup.EMBEDDING] == (50_257 + 1_024) * 768
    assert parameter_count(gpt2) == 124_439_808


def test_norm_behind_the_embedding() -> None:
    """BLOOM 560M: (24 x 2 + 1 + 1) LayerNorms of 2 x 1,024; 559,214,592 in all."""
    bloom = ArchitectureRecord(
        layers=24,
        hidden_size=1_024,
        heads=16,
        kv_heads=16,
        head_dim=64,
        ffn_size=4_096,
        vocabulary_size=250_880,
        tied_embeddings=True,
        attention=Attention.MHA,
        gated_ffn=False,
        qkv_bias=True,
        attention_output_bias=True,
        ffn_bias=True,
        norm_bias=True,
        embedding_norm=True,
    )
    assert sizes(bloom)[TensorGroup.NORM] == 102_400
    assert parameter_count(bloom) == 559_214_592


def test_a_group_without_parameters_is_left_out() -> None:
    """OLMo 7B has norms without weights."""
    olmo = changed(LLAMA_2_13B, norms_per_layer=0, final_norm=False)
    assert TensorGroup.NORM not in sizes(olmo)
    assert parameter_count(olmo) == 13_015_864_320 - 414_720


def test_mixture_of_experts() -> None:
    """Mixtral 8x7B is 46.7 B, not 56 B: only the FFN is there eight times.

    one expert     3 x 4,096 x 14,336     = 176,160,768
    all            32 x 8 x 176,160,768   = 45,097,156,608
    left out       32 x 6 x 176,160,768   = 33,822,867,456 of 46,702,792,704
    """
    found = sizes(MIXTRAL_8X7B)
    assert found[TensorGroup.EXPERTS] == 45_097_156_608
    assert found[TensorGroup.ROUTER] == 32 * 8 * 4_096
    assert TensorGroup.FFN not in found
    assert parameter_count(MIXTRAL_8X7B) == 46_702_792_704
    assert active_parameter_count(MIXTRAL_8X7B) == 12_879_925_248
    assert channels(MIXTRAL_8X7B)[TensorGroup.EXPERTS] == 32 * 8 * (2 * 14_336 + 4_096)


def test_shared_experts_with_a_gate() -> None:
    """Qwen1.5-MoE A2.7B: shared width 5,632; the gate is one more row of the router."""
    moe = MoeRecord(
        experts=60,
        experts_per_token=4,
        expert_ffn_size=1_408,
        layers=24,
        shared_ffn_size=5_632,
        shared_gate=True,
    )
    qwen = ArchitectureRecord(
        layers=24,
        hidden_size=2_048,
        heads=16,
        kv_heads=16,
        head_dim=128,
        ffn_size=0,
        vocabulary_size=151_936,
        tied_embeddings=False,
        attention=Attention.MHA,
        qkv_bias=True,
        moe=moe,
    )
    assert sizes(qwen)[TensorGroup.SHARED_EXPERTS] == 24 * 3 * 2_048 * 5_632
    assert sizes(qwen)[TensorGroup.ROUTER] == 24 * 61 * 2_048
    assert parameter_count(qwen) == 14_315_784_192


def test_dense_ffn_beside_the_experts() -> None:
    """Grok-2 runs an FFN in every expert layer: 32 x 3 x 4,096 x 1,000 more."""
    moe = MoeRecord(
        experts=8,
        experts_per_token=2,
        expert_ffn_size=14_336,
        layers=32,
        dense_beside_experts=True,
    )
    beside = changed(MIXTRAL_8X7B, ffn_size=1_000, moe=moe)
    assert parameter_count(beside) - parameter_count(MIXTRAL_8X7B) == 393_216_000


def test_latent_attention() -> None:
    """DeepSeek V3.

    attention of a layer   q_a  1,536 x 7,168             =  11,010,048
                           q_b  128 x 192 x 1,536         =  37,748,736
                           kv_a (512 + 64) x 7,168        =   4,128,768
                           kv_b 128 x (128 + 128) x 512   =  16,777,216
                           o    7,168 x 128 x 128         = 117,440,512
                                                            187,105,280
    matrices, embeddings and norms of the text model       671,026,404,352
    balancing bias         58 x 256                       =      14,848
    """
    found = sizes(DEEPSEEK_V3)
    assert found[TensorGroup.ATTENTION] == 61 * 187_105_280
    assert found[TensorGroup.FFN] == 3 * 3 * 7_168 * 18_432
    assert found[TensorGroup.NORM] == 123 * 7_168 + 61 * (1_536 + 512)
    assert parameter_count(DEEPSEEK_V3) == 671_026_404_352 + 14_848
    assert active_parameter_count(DEEPSEEK_V3) == (
        671_026_419_200 - 58 * (256 - 8) * 3 * 7_168 * 2_048
    )


def test_latent_attention_without_a_query_latent() -> None:
    """DeepSeek V2 Lite projects queries directly: 16 x 192 x 2,048 a layer."""
    moe = MoeRecord(
        experts=64, experts_per_token=6, expert_ffn_size=1_408, layers=26, shared_ffn_size=2_816
    )
    mla = MlaRecord(
        kv_lora_rank=512, q_lora_rank=0, rope_head_dim=64, nope_head_dim=128, value_head_dim=128
    )
    lite = changed(
        DEEPSEEK_V3,
        layers=27,
        hidden_size=2_048,
        heads=16,
        kv_heads=16,
        ffn_size=10_944,
        vocabulary_size=102_400,
        moe=moe,
        mla=mla,
    )
    assert parameter_count(lite) == 15_706_484_224


def test_index_of_sparse_attention() -> None:
    """DeepSeek V3.2 adds to each layer wq_b, wk, weights_proj and a LayerNorm.

    64 x 128 x 1,536 + 128 x 7,168 + 64 x 7,168 + 2 x 128 = 13,959,424
    """
    indexed = changed(DEEPSEEK_V3, indexer=IndexerRecord(layers=61, heads=64, head_dim=128))
    assert parameter_count(indexed) - parameter_count(DEEPSEEK_V3) == 61 * 13_959_424


def test_expert_biases_and_sinks() -> None:
    """gpt-oss 20B.

    attention biases and sinks   24 x (64 + 2 x 8) x 64 + 24 x 2,880 + 24 x 64   =     193,536
    expert biases                24 x 32 x (2 x 2,880 + 2,880)                   =   6,635,520
    experts                      24 x 32 x 3 x 2,880 x 2,880                     = 19,110,297,600
    router                       24 x 32 x (2,880 + 1)                           =   2,212,608
    idle of 32 experts: 28       28 x 24 x (24,883,200 + 8,640)                  = 16,727,316,480
    """
    found = sizes(GPT_OSS_20B)
    assert found[TensorGroup.OTHER] == 193_536 + 6_635_520
    assert found[TensorGroup.EXPERTS] == 19_110_297_600
    assert found[TensorGroup.ROUTER] == 2_212_608
    assert parameter_count(GPT_OSS_20B) == 20_914_757_184
    assert active_parameter_count(GPT_OSS_20B) == 20_914_757_184 - 16_727_316_480


def test_given_sizes_replace_and_add_groups() -> None:
    given = {TensorGroup.FFN: 1_000, TensorGroup.VISION: 419_816_304}
    model = changed(LLAMA_2_13B, given_parameters=given)
    assert parameter_count(model) == 13_015_864_320 - 8_493_465_600 + 1_000 + 419_816_304
    assert channels(model)[TensorGroup.FFN] == 0


def test_layers_without_attention_count_no_attention() -> None:
    """Nemotron Super 49B attends in 49 of 80 layers: 49 x 2 x 8 x 128 elements a token."""
    nas = changed(LLAMA_2_13B, layers=80, kv_heads=8, attention=Attention.GQA, ffn_only_layers=31)
    assert [group.layers for group in cache_layout(nas).groups] == [49]
    assert cache_layout(nas).elements_per_token == 100_352
    assert sizes(nas)[TensorGroup.ATTENTION] == 49 * 2 * (5_120 * 5_120 + 1_024 * 5_120)


@pytest.mark.parametrize(
    ("kv_heads", "attention", "elements"),
    [
        (40, Attention.MHA, 409_600),  # 2 x 40 x 40 x 128: 819,200 bytes in 16 bits
        (8, Attention.GQA, 81_920),
        (1, Attention.MQA, 10_240),
    ],
)
def test_kv_cache_of_a_token(kv_heads: int, attention: Attention, elements: int) -> None:
    layout = cache_layout(changed(LLAMA_2_13B, kv_heads=kv_heads, attention=attention))
    assert layout.elements_per_token == elements
    assert [(group.heads, group.layers) for group in layout.groups] == [(kv_heads, 40)]


shapes = st.builds(
    lambda layers, heads, ffn_size, vocabulary_size, flags: changed(
        LLAMA_2_13B,
        layers=layers,
        heads=heads,
        kv_heads=1,
        hidden_size=heads * 128,
        ffn_size=ffn_size,
        vocabulary_size=vocabulary_size,
        attention=Attention.MQA,
        tied_embeddings=flags[0],
        gated_ffn=flags[1],
        qkv_bias=flags[2],
        ffn_bias=flags[3],
        norm_bias=flags[4],
    ),
    layers=st.integers(1, 200),
    heads=st.integers(1, 200),
    ffn_size=st.integers(0, 80_000),
    vocabulary_size=st.integers(1, 300_000),
    flags=st.tuples(*[st.booleans()] * 5),
)

GROWING = ("layers", "hidden_size", "heads", "kv_heads", "head_dim", "ffn_size", "vocabulary_size")


@given(shapes, st.sampled_from(GROWING), st.integers(1, 1_000))
def test_a_larger_shape_never_has_fewer_parameters(
    shape: ArchitectureRecord, field: str, more: int
) -> None:
    larger = changed(shape, **{field: getattr(shape, field) + more})
    assert parameter_count(larger) >= parameter_count(shape)
    assert cache_layout(larger).elements_per_token >= cache_layout(shape).elements_per_token


@given(shapes)
def test_groups_are_positive_and_sum_to_the_count(shape: ArchitectureRecord) -> None:
    groups = tensor_groups(shape)
    assert len({size.group for size in groups}) == len(groups)
    assert all(size.parameters > 0 for size in groups)
    assert sum(size.parameters for size in groups) == parameter_count(shape)


@given(st.integers(1, 64), st.data())
def test_a_token_never_passes_more_than_the_model(experts: int, data: st.DataObject) -> None:
    passed = data.draw(st.integers(1, experts))
    moe = MoeRecord(
        experts=experts, experts_per_token=passed, expert_ffn_size=512, layers=32, expert_bias=True
    )
    model = changed(MIXTRAL_8X7B, moe=moe)
    active = active_parameter_count(model)
    assert active <= parameter_count(model)
    assert (active == parameter_count(model)) == (passed == experts)
