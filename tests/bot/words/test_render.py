"""Whole pages are compared with files beside this one: `pytest --snapshot-update` writes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from bot.parts import shown_parts
from bot.reply import HistoryEntry, Listing
from bot.views import AnswerView
from sizing.answer import note
from sizing.errors import UnknownModelError
from sizing.request import SizingRequest


class MarkdownFile(SingleFileSnapshotExtension):
    """Keeps each page in a file of its own, readable in a review."""

    file_extension = "md"
    _file_extension = "md"
    _write_mode = WriteMode.TEXT


@pytest.fixture
def page(snapshot):
    return snapshot.use_extension(MarkdownFile)


def test_answer(renderer, sample, sample_name, language, page):
    text = renderer.answer(sample, language, "A-12")
    assert text == page


@pytest.mark.parametrize(
    "sample_name", ["fits", "several_gpus", "many_users", "arrivals", "unsupported_architecture"]
)
def test_explanation(renderer, sample, sample_name, language, page):
    text = renderer.explain(sample, language, "A-12")
    assert text == page


def test_help(renderer, language, page):
    assert renderer.help(language, command="gpusize") == page


@pytest.mark.parametrize("language", ["en"])
def test_the_question_everyone_asks_first(renderer, samples, language):
    """`llama-13b int8`; derivations stand beside the figures in `conftest.py`."""
    text = renderer.answer(samples["fits"], language, "A-12")
    for words in (
        "13.0 B parameters",
        "13.4 GB of weights",
        "819,200 bytes of KV cache per token",
        "Rule of thumb +25 %: 16.3 GB, 2.5 GB less than this load would need",
        "leaves no room for the KV cache (3.4 GB)",
        "# Llama 2 13B · INT8 → 1 × L4 24 GB",
        "1 request of 4,096 tokens",
        "Catalogue 2026-11-28",
    ):
        assert words in text


def test_the_same_question_in_spanish(renderer, samples):
    text = renderer.answer(samples["fits"], "es", "A-12")
    for words in (
        "13,0 mil millones (13,0 B) de parámetros",
        "13,4 GB de pesos",
        "819.200 bytes de caché KV por token",
        "Regla práctica +25 %: 16,3 GB, 2,5 GB menos de lo que requeriría esta carga",
        "no deja lugar para la caché KV (3,4 GB)",
        "1 solicitud de 4.096 tokens",
        "fracción de memoria 0,90",
    ):
        assert words in text


def test_spanish_pages_have_no_decimal_points(renderer, sample):
    """Points in Spanish numbers only group thousands; names and versions keep theirs."""
    for text in (renderer.answer(sample, "es"), renderer.explain(sample, "es")):
        plain = re.sub(r"[Ll]lama[ -]3\.[13]|gpusize 0\.1\.0|vLLM 0\.11\.0", "", text)
        assert not re.search(r"\d\.\d{1,2}(?!\d)", plain)


def test_verdict_comes_first(renderer, sample, language):
    lines = [line for line in renderer.answer(sample, language).splitlines() if line]
    assert lines[0].startswith("# ")
    assert lines[1][0] in "✅⚠❌⛔"


def test_unsupported_architecture_shows_no_number_that_depends_on_its_cache(renderer, samples):
    text = renderer.answer(samples["unsupported_architecture"], "en")
    assert "is not published" in text
    assert "672.9 GB" in text
    assert "|" not in text


def test_table_has_at_most_four_rows_and_three_columns(renderer, samples):
    text = renderer.answer(samples["fits"], "en")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + 4
    assert {row.count("|") for row in rows} == {4}
    assert "4 of 5 sets shown" in text


@pytest.mark.parametrize(
    ("weights", "cache", "activation", "runtime"),
    [
        # 13.35 + 3.36 + 0.38 + 1.68 = 18.76: rounded one by one they would sum to 18.9.
        (13_352_478_720, 3_355_443_200, 375_809_638, 1_677_721_600),
        (49_000_000, 40_000_000, 30_000_000, 1_600_000_000),
    ],
)
def test_parts_shown_sum_to_the_total_shown(weights, cache, activation, runtime, samples):
    total = weights + cache + activation + runtime
    changed = samples["fits"].memory.model_copy(
        update={
            "weights_bytes": weights,
            "kv_cache_bytes": cache,
            "activation_bytes": activation,
            "runtime_bytes": runtime,
        }
    )
    parts = shown_parts(changed, total)
    shown = (
        parts.weights_bytes + parts.kv_cache_bytes + parts.activation_bytes + parts.runtime_bytes
    )
    assert shown == round(total / 10**8) * 10**8
    assert parts.weights_bytes == round(weights / 10**8) * 10**8


ADAPTERS = 500_000_000


@pytest.fixture
def with_adapters(samples):
    """Return Llama 2 13B on an L4 with 0.5 GB of adapters, 19.3 GB in all."""
    answer = samples["fits"]
    first = answer.options[0]
    gpu = first.per_gpu.model_copy(
        update={
            "adapter_bytes": ADAPTERS,
            "need_bytes": first.per_gpu.need_bytes + ADAPTERS,
        }
    )
    need = answer.memory.model_copy(
        update={
            "adapter_bytes": ADAPTERS,
            "total_bytes": answer.memory.total_bytes + ADAPTERS,
        }
    )
    options = (first.model_copy(update={"per_gpu": gpu}), *answer.options[1:])
    return answer.model_copy(update={"memory": need, "options": options})


def test_adapters_are_a_part_of_their_own(renderer, with_adapters):
    """18.76 + 0.50 = 19.26 GB; the runtime, 1.68 GB, is not raised by them."""
    english = renderer.answer(with_adapters, "en")
    assert "needs 19.3 GB" in english
    assert "KV cache 3.4 · adapters 0.5 · activations 0.4 · runtime 1.6." in english
    assert "adaptadores 0,5 · activaciones 0,4" in renderer.answer(with_adapters, "es")
    explained = renderer.explain(with_adapters, "en")
    assert "**Adapters: 0.50 GB**" in explained
    assert "+ adapters 0.50 GB +" in explained
    spanish = renderer.explain(with_adapters, "es")
    assert "**Adaptadores: 0,50 GB**" in spanish
    assert "+ adaptadores 0,50 GB +" in spanish


def test_without_adapters_there_is_no_such_part(renderer, samples, language):
    for page in (renderer.answer, renderer.explain):
        assert not re.search(r"adapters \d|adaptadores \d", page(samples["fits"], language))


def test_tight_answer_names_the_next_safe_choice(renderer, samples):
    assert AnswerView(samples["tight"]).next_safe.gpu == "l40s"
    assert "**Next safe choice**: 1 × L40S 48 GB" in renderer.answer(samples["tight"], "en")


def test_asked_set_comes_first_then_what_fits_instead(renderer, samples):
    text = renderer.answer(samples["does_not_fit"], "en")
    asked, instead = text.index("Does not fit 1 × T4"), text.index("What fits instead")
    assert asked < instead
    # 18.761 GB needed, budget 15,095 MiB x 0.9 = 14.245 GB: 4.516 GB short.
    assert "4.5 GB more than its 14.2 GB budget" in text


def test_a_limit_that_leaves_no_set_is_the_askers_own(renderer, samples):
    answer = samples["nothing_fits"]
    limited = answer.model_copy(update={"warnings": (note("none_within_limit", max_gpus=2),)})
    for text in (renderer.answer(limited, "en"), renderer.summary(limited, "en")):
        assert "within your limit holds it" in text
        assert "in the catalogue" not in text
    for text in (renderer.answer(limited, "es"), renderer.summary(limited, "es")):
        assert "dentro de su límite alcanza" in text


def test_summary_is_one_sentence(renderer, sample, language):
    summary = renderer.summary(sample, language)
    assert summary.endswith(".")
    assert "\n" not in summary


def test_explanation_puts_the_numbers_in(renderer, samples):
    text = renderer.explain(samples["fits"], "en", "A-12")
    formula = "40 layers × 40 heads × 256 numbers × 16 bits ÷ 8 = 819,200 bytes"
    assert formula in text
    assert "1 request of 4,096 tokens, whole blocks = 3,355,443,200 bytes" in text
    assert "Feed-forward: 8,493,465,600 × 8.01 bits" in text
    assert "= 13,352,478,720 bytes" in text
    # 23,034 MiB = 24.15 GB; x 0.9 = 21.74 GB.
    assert "24.15 GB usable (22.49 GiB, measured) × memory fraction 0.90 = 21.74 GB" in text
    assert text.count("(checked 2026-11-28)") == 5


def test_explanation_of_a_model_that_left_the_catalogue(renderer, samples):
    """Without the record there is no formula, and no invented one."""
    text = renderer.explain(samples["several_gpus"], "en")
    assert "- One token: 819,200 bytes" in text
    assert "key-value heads ×" not in text


def test_error_page_says_what_to_type(renderer):
    error = UnknownModelError(word="fo*o", suggestions=("llama-2-13b",))
    assert renderer.error(error, "en", command="/gpusize") == (
        "⚠️ I don't know the model “fo\\*o”. Did you mean `llama-2-13b`?\n"
    )


def test_lists(renderer, catalogue):
    models = renderer.models(list(catalogue.models.values()), "en", command="gpusize")
    # Counted from the shape: 13,015,864,320.
    assert "| Llama 2 13B | `llama-2-13b` | 13.0 B |" in models
    gpus = renderer.gpus(list(catalogue.gpus.values()), "es", text="l4", command="/gpusize")
    assert gpus.startswith("# GPU: l4\n")
    assert "| L4 | `l4` | 24 GB |" in gpus
    assert "`/gpusize modelos" not in gpus


def test_empty_lists_say_what_else_works(renderer):
    assert "`gpusize 13b int8`" in renderer.models([], "en", text="foo", command="gpusize")
    assert "`gpusize 13b int8`" in renderer.models([], "es", text="foo", command="gpusize")
    assert "gpu=24gb`" in renderer.gpus([], "en", text="foo", command="gpusize")
    assert "No answers yet" in renderer.history(Listing(), "en", command="gpusize")


def test_long_list_says_how_many_are_left_out(renderer, catalogue):
    many = list(catalogue.gpus.values()) * 20
    assert "> 40 more: add a part of the name" in renderer.gpus(many, "en", command="/gpusize")
    assert "more: add" not in renderer.gpus(many, "en", command="gpusize")


@pytest.fixture
def entry(samples):
    return HistoryEntry(
        answer_id="A-12",
        asked_at=datetime(2026, 11, 30, 14, 5, tzinfo=UTC),
        asker="U1",
        question="llama-13b <int8> | *now*",
        request=SizingRequest(model_id="llama-2-13b", precision="int8"),
        answer=samples["fits"],
        version="0.1.0",
        language="en",
    )


def test_history_shows_answer_day_and_result(renderer, entry):
    row = "| A-12 | 2026-11-30 14:05 UTC | Llama 2 13B · INT8 → 1 × L4 24 GB |"
    page = renderer.history(Listing((entry,)), "en", command="gpusize")
    assert row in page
    assert "another version" not in page


@pytest.mark.parametrize(
    ("unreadable", "language", "sentence"),
    [
        (1, "en", "1 answer of another version is not shown."),
        (2, "en", "2 answers of another version are not shown."),
        (1, "es", "No se muestra 1 respuesta de otra versión."),
        (2, "es", "No se muestran 2 respuestas de otra versión."),
    ],
)
def test_history_says_what_it_cannot_read(renderer, entry, unreadable, language, sentence):
    alone = renderer.history(Listing((), unreadable), language, command="gpusize")
    assert sentence in alone
    assert not re.search("yet|Todavía", alone)
    beside = renderer.history(Listing((entry,), unreadable), language, command="gpusize")
    assert sentence in beside
    assert "| A-12 |" in beside


def test_shown_answer_says_who_asked_what_and_when(renderer, entry, language):
    text = renderer.shown(entry, language)
    assert text.startswith("# Llama 2 13B")
    last = text.splitlines()[-1]
    assert last.startswith("> ")
    assert "2026-11-30 14:05 UTC" in last
    assert r"llama-13b \<int8\> \| \*now\*" in last
