"""Text from phones, terminals and Slack becomes the same plain words."""

import pytest

from bot.text import clean, fold, words_of


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("/gpusize  llama-13b\tint8\n", "llama-13b int8"),
        ("@gpusize: llama-13b", "llama-13b"),
        ("<@U024BE7LH> llama-13b", "llama-13b"),
        ("llama-13b <!channel> <!here|here> int8", "llama-13b int8"),
        ("<#C024BE7LR|general> 13b", "13b"),
        ("<!subteam^S123|@infra> 13b", "13b"),
        ("<http://llama.cpp|llama.cpp> 7b", "llama.cpp 7b"),
        ("<https://huggingface.co/Qwen/Qwen3-8B|este>", "qwen/qwen3-8b"),
        ("see https://example.org/x?y=1 13b", "see 13b"),
        ("ttft&lt;500ms &amp; tps&gt;=30", "ttft<500ms & tps>=30"),
        ("“llama-13b” ‘int8’ «x»", "llama-13b int8 x"),
        ("llama‑13b —private –json", "llama-13b -private -json"),
        ("llama\u00a013b\u200b", "llama 13b"),
        ("ＬＬＡＭＡ２　１３Ｂ", "llama2 13b"),
        ("Llama™ 13b", "llama 13b"),
        ("ttft≤500 2×L40S", "ttft<=500 2xl40s"),
    ],
)
def test_clean(text, cleaned):
    assert clean(text) == cleaned


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("13b, int8; 20 users.", ["13b", "int8", "20", "users"]),
        ("llama2(70b) ¿cabe?", ["llama2", "70b", "cabe"]),
        ("70 b, 24 gb, 100 gbps, 21 t/s", ["70b", "24gb", "100gbps", "21t/s"]),
        ("2 x l40s 8*24g 8 x 7b", ["2xl40s", "8x24g", "8x7b"]),
        ("h200x8 rtx 4090 x 2", ["h200", "x8", "rtx", "4090", "x2"]),
        ("7,5 mil millones", ["7,5b"]),
        ("1,3 billones 70 billion 13.000 millones", ["1,3t", "70b", "13.000m"]),
        ("40 mil", ["40000"]),
        ("users = 20 ctx= 8k", ["users=20", "ctx=8k"]),
        ("gpu=4090,3090 util=0,9", ["gpu=4090", "3090", "util=0,9"]),
        ("1,000,000 128,000", ["1,000,000", "128,000"]),
        ("a - b / c", ["a", "b", "c"]),
        ("us$ 40k", ["us$40k"]),
        ("h100 kw a100 80 gb", ["h100", "kw", "a100", "80gb"]),
        ("2 xeon", ["2", "xeon"]),
        ("q4 k m", ["q4", "k", "m"]),
    ],
)
def test_words(text, words):
    """Numbers keep their unit and multiplier, names keep their own digits."""
    assert list(words_of(text)) == words


def test_fold_drops_accents_and_case():
    assert fold("Precisión CUÁNTOS") == "precision cuantos"


def test_a_word_without_end_is_cut():
    assert [len(word) for word in words_of("a" * 5000)] == [120]
