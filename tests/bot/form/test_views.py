"""What the views of the form offer."""

from __future__ import annotations

import pytest

from bot.command import Grammar
from bot.form.choices import Choices
from bot.form.views import Draft, second_view
from bot.labels import Labels
from bot.limits import assert_valid
from bot.messages import load_messages
from sizing.catalogue import Catalogue


@pytest.mark.parametrize(
    ("language", "sharing"),
    [("en", "MIG slices, kept apart"), ("es", "Con particiones MIG, aislados")],
)
def test_sharing_and_software_are_chosen_from_lists(catalogue: Catalogue, language, sharing):
    """Systems keep the names that their tables of support have, in both languages."""
    choices = Choices(catalogue, Grammar(catalogue).asks)
    view = second_view(
        Draft(language, {}, {"share": "mig"}), choices, load_messages(language, Labels(catalogue))
    )
    assert_valid("modal", view)
    elements = {block["block_id"]: block["element"] for block in view["blocks"]}
    assert elements["share"]["initial_option"]["text"]["text"] == sharing
    systems = [option["text"]["text"] for option in elements["system"]["options"]]
    assert systems[1:] == ["Ubuntu 24.04", "Ubuntu 22.04", "RHEL 10", "RHEL 9", "RHEL 8"]
    assert [option["value"] for option in elements["orchestrator"]["options"]] == [
        "any",
        "docker",
        "kubernetes",
    ]
