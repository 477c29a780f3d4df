"""Answers about training, worded from the packaged catalogue: `pytest --snapshot-update`."""

from __future__ import annotations

import json
import re

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from bot.blocks import to_message
from bot.command import parse
from bot.contract import to_contract
from bot.limits import assert_valid
from bot.render import Renderer
from bot.reply import Reply, ReplyKind
from bot.start import starts_of
from sizing.catalogue import load_catalogue
from sizing.engine import size
from sizing.tuning import Method, Optimizer

QUESTIONS = {
    "fits": "llama-3.1-8b qlora",
    "several": "llama-2-70b mode=full gpu=8xa100-sxm-80",
    "tight": "qwen3-30b-a3b lora gpu=4xrtx-4090 checkpointing=off ctx=512",
    "none": "llama-3.1-405b mode=full gpus<=8",
    "unsupported": "llama-3.1-8b lora gpu=1xtpu-v5e tp=2",
    "asked": "qwen2.5-vl-7b mode=full ctx=4k batch=2 optimizer=adamw-8bit zero=2 gpu=4xl40s",
    "kinds": "qwen3-30b-a3b lora dora dpo unsloth targets=qv gpu=2xh100-sxm",
    "spread": "qwen3-30b-a3b full megatron tp=2 pp=2 ep=4 cp=2 optimizer=muon gpu=8xh100-sxm",
    "undivided": "llama-3.1-8b lora tp=2 gpu=3xh100-sxm",
    "offloaded": "llama-3.1-8b full offload=all offload=activations in-backward=on loss=fused"
    " compile=on packing=on gpu=1xrtx-4090",
    "encoders": "qwen2.5-vl-7b lora encoders=trained train-embeddings=on flash=off",
    "picture": "qwen2.5-vl-7b full encoders=trained encoder-checkpointing=off res=1400x700",
    "rollouts": "llama-3.1-8b full ppo gpu=8xh100-sxm",
    "beside": "qwen2.5-7b full gkd teacher=qwen2.5-14b rollout=0.3 offload=beside",
    "part": "llama-3.1-8b full tuner=lisa optimizer=paged-adamw autocast=on shard=2",
    "projected": "llama-3.1-8b full galore offload=optimizer offload-fraction=0.5",
    "embedder": "bge-m3 full",
    "idle": "llama-3.1-8b lora teacher=qwen2.5-14b trained-layers=2",
    "bare": "8b qlora loss=chunked",
}
"""Questions that take each way through the page."""


class MarkdownFile(SingleFileSnapshotExtension):
    """Keeps each page in a file of its own, readable in a review."""

    file_extension = "md"
    _file_extension = "md"
    _write_mode = WriteMode.TEXT


@pytest.fixture(scope="module")
def real_catalogue():
    return load_catalogue()


@pytest.fixture(scope="module")
def renderer(real_catalogue):
    return Renderer(real_catalogue)


@pytest.fixture(params=sorted(QUESTIONS))
def answered(request, real_catalogue):
    return size(parse(QUESTIONS[request.param], real_catalogue).request, real_catalogue)


@pytest.fixture
def page(snapshot):
    return snapshot.use_extension(MarkdownFile)


def _before_the_table(text):
    """Return the part of a page that no new card in the catalogue changes."""
    return text.split("| GPU |")[0]


@pytest.mark.parametrize("question", ["fits", "several"])
def test_answer(renderer, real_catalogue, question, language, page):
    answer = size(parse(QUESTIONS[question], real_catalogue).request, real_catalogue)
    assert _before_the_table(renderer.answer(answer, language, "A-12")) == page


@pytest.mark.parametrize("question", ["fits"])
def test_explanation(renderer, real_catalogue, question, language, page):
    answer = size(parse(QUESTIONS[question], real_catalogue).request, real_catalogue)
    assert _before_the_table(renderer.explain(answer, language, "A-12")) == page


def test_every_page_is_worded_in_both_languages(renderer, answered, language):
    """No value is missing, and Slack takes the blocks."""
    summary = renderer.summary(answered, language)
    pages = (renderer.answer(answered, language), renderer.explain(answered, language, "A-1"))
    for markdown in pages:
        reply = Reply(kind=ReplyKind.ANSWER, markdown=markdown, language=language, summary=summary)
        assert_valid("message", to_message(reply))
        assert "None" not in markdown
    assert summary.endswith(".")


def test_parts_sum_to_the_total_as_shown(renderer, real_catalogue):
    """The rounded parts of the sentence add up to its rounded need."""
    answer = size(parse(QUESTIONS["fits"], real_catalogue).request, real_catalogue)
    text = renderer.answer(answer, "en")
    needs, parts = re.search(r"needs ([\d.]+) GB .*?: (weights .*)\.\n", text).groups()
    shown = [float(number) for number in re.findall(r"\d+\.\d", parts)]
    assert sum(shown) == pytest.approx(float(needs))


@pytest.mark.parametrize(
    ("question", "english", "spanish"),
    [
        ("fits", "QLoRA fine-tuning", "ajuste fino con QLoRA"),
        ("several", "8 × A100 SXM 80 GB", "8 × A100 SXM 80 GB"),
        ("asked", "AdamW in 8 bits", "AdamW de 8 bits"),
        ("none", "no set within your limit", "ningún conjunto dentro de su límite"),
    ],
)
def test_words_of_each_page(renderer, real_catalogue, question, english, spanish):
    answer = size(parse(QUESTIONS[question], real_catalogue).request, real_catalogue)
    assert english in renderer.answer(answer, "en")
    assert spanish in renderer.answer(answer, "es")


@pytest.mark.parametrize(
    ("question", "english", "spanish"),
    [
        ("kinds", "LoRA fine-tuning (DoRA, DPO)", "ajuste fino con LoRA (DoRA, DPO)"),
        ("kinds", "Assumes Unsloth, sequences", "Supone Unsloth, secuencias"),
        ("kinds", "the query and value layers", "las capas de consultas y valores"),
        ("spread", "2 stages that work at once", "2 etapas que trabajan a la vez"),
        ("undivided", "do not divide by the split", "no se dividen entre el reparto"),
        ("offloaded", "114.0 GB in host memory", "114,0 GB en la memoria del anfitrión"),
        ("encoders", "half of the tokens", "la mitad de los tokens"),
        ("rollouts", "put together whole on each GPU", "reunido entero en cada GPU"),
        ("beside", "Qwen2.5 14B stands beside", "está Qwen2.5 14B como profesor"),
        ("beside", "takes 0.30 of each GPU", "toma 0,30 de cada GPU"),
        ("part", "2 of 32 layers", "2 de 32 capas"),
        ("projected", "gradients of rank 128", "gradientes de rango 128"),
        ("embedder", "(embeddings)", "(embeddings)"),
        (
            "idle",
            "change nothing in this run: “trained-layers”, “teacher”",
            "«trained-layers», «teacher»",
        ),
    ],
)
def test_settings_are_worded(renderer, real_catalogue, question, english, spanish):
    answer = size(parse(QUESTIONS[question], real_catalogue).request, real_catalogue)
    assert english in renderer.answer(answer, "en")
    assert spanish in renderer.answer(answer, "es")


@pytest.mark.parametrize(
    ("options", "formula"),
    [
        ("lora", "rank 16 × (inputs + outputs) of every linear layer"),
        ("dora", "and the outputs once more"),
        ("adalora", "rank 12 × (inputs + outputs + 1)"),
        ("lora tuner=vera", "rank 256 + outputs"),
        ("boft", "inputs × 4 + outputs"),
        ("lora tuner=bone", "rank 64 × outputs"),
        ("ia3", "keys, values and inner width"),
        ("lora tuner=prefix", "20 × the keys and values"),
        ("lora tuner=prompt", "20 × the width of the model"),
        ("lora tuner=bottleneck", "two of 2 × 128"),
        ("full tuner=freeze", "layers trained: 2"),
        ("badam", "layers trained at once: 1"),
        ("llamapro", "layers added: 4"),
    ],
)
def test_the_explanation_says_what_is_trained(renderer, real_catalogue, language, options, formula):
    answer = size(parse(f"llama-3.1-8b {options}", real_catalogue).request, real_catalogue)
    page = renderer.explain(answer, language)
    assert "None" not in page
    assert formula in renderer.explain(answer, "en")


@pytest.mark.parametrize("optimizer", Optimizer)
@pytest.mark.parametrize("method", Method)
def test_every_optimizer_and_method_has_its_words(renderer, real_catalogue, optimizer, method):
    question = f"llama-3.1-8b full optimizer={optimizer.value} method={method.value}"
    answer = size(parse(question, real_catalogue).request, real_catalogue)
    for language in ("en", "es"):
        messages = renderer.messages(language)
        assert optimizer.value in messages.tables["words"]
        assert method.value in messages.tables["settings"]
        assert "None" not in renderer.explain(answer, language)


def test_the_sources_of_the_training_software_are_named(renderer, real_catalogue):
    answer = size(parse("llama-3.1-8b lora megatron", real_catalogue).request, real_catalogue)
    assert "Training software Megatron-LM: NVIDIA/Megatron-LM@" in renderer.explain(answer, "en")


def test_contract_carries_the_run(renderer, real_catalogue):
    answer = size(parse(QUESTIONS["asked"], real_catalogue).request, real_catalogue)
    contract = json.loads(json.dumps(to_contract(answer, renderer.messages("en"))))
    assert contract["understood"]["mode"] == "full"
    run = contract["training"]
    assert run.keys() >= {
        "weights_bytes",
        "gradient_bytes",
        "optimizer_bytes",
        "adapter_bytes",
        "activation_bytes",
        "trainable_parameters",
    }
    assert (run["optimizer"], run["sequence_tokens"], run["micro_batch"]) == (
        "adamw-8bit",
        4096,
        2,
    )
    assert contract["options"][0]["zero_stage"] == 2


def test_training_offers_no_command_that_serves(real_catalogue):
    answer = size(parse(QUESTIONS["fits"], real_catalogue).request, real_catalogue)
    assert starts_of(answer, real_catalogue) is None


def test_contract_has_no_run_where_the_model_only_answers(renderer, real_catalogue):
    answer = size(parse("llama-3.1-8b", real_catalogue).request, real_catalogue)
    assert to_contract(answer, renderer.messages("en"))["training"] is None
