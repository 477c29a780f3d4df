"""The form behind “Wrong number?”, and the line it says."""

from __future__ import annotations

import pytest

from bot.form.views import Origin
from bot.grammar.measured_words import measured_in
from bot.limits import assert_valid
from bot.measured_view import line_of, measured_view, origin_of, problems_of
from bot.messages import load_messages

ORIGIN = Origin(answer_id="A-12", language="es", channel="C1", thread_ts="17.1")


def filled(**typed: str):
    view = measured_view(ORIGIN, load_messages("en"))
    names = [block["block_id"] for block in view["blocks"]]
    told = {name.replace("_per_", "/"): text for name, text in typed.items()}
    return view | {"state": {"values": {n: {n: {"value": told.get(n)}} for n in names}}}


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_form_keeps_to_the_limits_and_carries_what_it_is_about(language) -> None:
    view = measured_view(ORIGIN, load_messages(language))
    assert_valid("modal", view)
    assert origin_of(view) == ORIGIN


def test_it_says_a_line_that_could_be_typed() -> None:
    view = filled(memory="38 GiB", itl="22 ms", note="driver 580 at 30 GB")
    assert problems_of(view, load_messages("en")) == {}
    line = line_of(view)
    assert line == "actual A-12 memory=38GiB itl=22ms -- driver 580 at 30 GB"
    figures, note = measured_in(line.removeprefix("actual A-12 "))
    assert figures.told == {"memory_bytes": 38 * 2**30, "itl_ms": 22}
    assert note == "driver 580 at 30 GB"


def test_what_is_not_readable_is_said_at_its_field() -> None:
    messages = load_messages("en")
    assert set(problems_of(filled(memory="much", ttft="350 ms"), messages)) == {"memory"}
    assert set(problems_of(filled(note="words alone"), messages)) == {"memory"}
    assert problems_of(filled(tok_per_s="92"), messages) == {}
