from __future__ import annotations

import pytest

from bot.labels import Labels, architecture_name
from bot.messages import load_messages
from sizing.catalogue import load_catalogue


def test_names_of_the_catalogue(catalogue):
    labels = Labels(catalogue)
    assert labels.gpu("l4") == "L4 24 GB"
    # A name that says its memory already does not say it twice.
    assert labels.gpu("h100-sxm") == "H100 SXM5 80GB"
    assert labels.model("llama-2-13b") == "Llama 2 13B"
    assert (labels.precision("int8"), labels.kv_precision("fp16")) == ("INT8", "FP16")
    assert labels.engine("vllm") == "vLLM"


@pytest.mark.parametrize(
    ("gpu", "english", "spanish"),
    [
        ("a16", "A16 (one of four GPUs) 16 GB", "A16 (una de cuatro GPU) 16 GB"),
        ("l4", "L4 24 GB", "L4 24 GB"),
        # The code name of a chip is one in every language.
        ("gb10", "DGX Spark (GB10) 128 GB", "DGX Spark (GB10) 128 GB"),
    ],
)
def test_which_part_of_a_card_is_said_in_words(gpu, english, spanish):
    labels = Labels(load_catalogue())
    said = [load_messages(language, labels).labels.gpu(gpu) for language in ("en", "es")]
    assert said == [english, spanish]


def test_every_part_of_a_card_has_words():
    catalogue = load_catalogue()
    spanish = load_messages("es", Labels(catalogue)).labels
    assert not [name for name in map(spanish.gpu, catalogue.gpus) if "(one of" in name]


@pytest.mark.parametrize("kind", ["gpu", "model", "precision", "kv_precision", "engine"])
def test_id_that_left_the_catalogue_names_itself(catalogue, kind):
    assert getattr(Labels(catalogue), kind)("gone-1") == "gone-1"
    assert getattr(Labels(), kind)("l4") == "l4"


@pytest.mark.parametrize(
    ("name", "short"),
    [("INT8 (W8A8)", "INT8"), ("FP8, blocks of 128 x 128", "FP8"), ("Q4_K_M", "Q4_K_M")],
)
def test_a_format_is_named_without_its_details(catalogue, name, short):
    record = catalogue.precisions["int8"].model_copy(update={"name": name})
    renamed = Labels(_with_precision(catalogue, record))
    assert renamed.precision("int8") == short


def _with_precision(catalogue, record):
    from dataclasses import replace

    return replace(catalogue, precisions={record.id: record})


@pytest.mark.parametrize(
    ("fields", "english", "spanish"),
    [
        ({"gpu": "l4", "gpus": 2}, "2 × L4 24 GB", "2 × L4 24 GB"),
        (
            {"gpu": "l40s", "gpus": 16, "nodes": 2},
            "16 × L40S 48 GB in 2 servers",
            "16 × L40S 48 GB en 2 servidores",
        ),
        ({"gpu": "any-24gb", "gpus": 2}, "2 × 24 GB (any card)", "2 × 24 GB (cualquier tarjeta)"),
        (
            {"gpu": "h100-sxm", "gpus": 1, "mig_profile": "3g.40gb"},
            "1 × slice 3g.40gb of H100 SXM5 80GB",
            "1 × partición 3g.40gb de H100 SXM5 80GB",
        ),
    ],
)
def test_set_of_gpus_as_people_write_it(catalogue, samples, fields, english, spanish):
    wanted = samples["fits"].options[0].model_copy(update=fields)
    assert load_messages("en", Labels(catalogue)).gpu_set(wanted) == english
    assert load_messages("es", Labels(catalogue)).gpu_set(wanted) == spanish


def test_memory_alone_inside_a_sentence():
    text = load_messages("en").text("out_of_production", {"gpu": "any-24gb"})
    assert text.startswith("GPU 24 GB is not sold new any more")


@pytest.mark.parametrize(
    ("architecture", "name"), [("ampere", "Ampere"), ("cdna3", "CDNA3"), ("blackwell", "Blackwell")]
)
def test_architectures_as_their_vendors_write_them(architecture, name):
    assert architecture_name(architecture) == name
