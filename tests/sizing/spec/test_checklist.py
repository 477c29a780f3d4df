"""The checklist of a purchase: what is filled in, what is asked, and of whom."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.spec.checklist import checklist_of, find_items, load_checklist
from sizing.spec.checklist_records import Group, Kind, Person, State
from sizing.spec.facts import ChecklistFacts

EMPTY = ChecklistFacts()


def item(facts: ChecklistFacts, name: str):
    return next(item for item in checklist_of(facts).items if item.id == name)


def codes(facts: ChecklistFacts, name: str) -> list[str]:
    return [line.code for line in item(facts, name).lines]


def bill(facts: ChecklistFacts):
    return {line.id: line.quantity for line in checklist_of(facts).bill}


class TestOpenQuestions:
    def test_a_plan_without_figures_asks_for_all_of_them(self):
        checklist = checklist_of(EMPTY)
        wants = {record.id for record in load_checklist().item if record.has_question}
        assert {found.id for found in checklist.questions} == wants
        assert all(found.asks for found in checklist.questions)

    def test_whoever_is_asked_stands_at_open_items_alone(self, eight_h100):
        for found in checklist_of(eight_h100).items:
            assert (found.asks is not None) == (found.state is State.OPEN), found.id

    def test_a_full_plan_leaves_what_no_plan_can_know(self, eight_h100):
        """Questions of kind stay; of the rest, only what this plan has no figure for."""
        left = {q.id for q in checklist_of(eight_h100).questions if q.kind is not Kind.QUESTION}
        assert left == {"backup", "environment", "tco", "transients"}

    def test_every_question_of_kind_stays_open_unless_there_is_nothing_to_decide(self, eight_h100):
        kinds = {r.id for r in load_checklist().item if r.kind is Kind.QUESTION}
        asked = {q.id for q in checklist_of(eight_h100).questions}
        assert kinds <= asked
        published = eight_h100.runs[0].model_copy(update={"reference_precision": None})
        same = eight_h100.model_copy(update={"runs": (published,)})
        assert item(same, "allowed_loss").state is State.FILLED

    def test_a_sentence_with_our_own_default_alone_answers_nothing(self):
        assert codes(EMPTY, "burn_in") == ["hours", "pass"]
        assert item(EMPTY, "burn_in").state is State.CLAUSE
        assert "recheck" in codes(EMPTY, "benchmark")
        assert item(EMPTY, "benchmark").state is State.OPEN

    @pytest.mark.parametrize(
        ("name", "facts", "state"),
        [
            # A figure beside the point leaves the question open.
            ("circuits", {"breaker_share_percent": 80}, State.OPEN),
            ("psu", {"is_rack_mounted": True}, State.OPEN),
            ("growth", {"reserve_percent": 20}, State.OPEN),
            ("growth", {"growth_percent": 0, "horizon_years": 3}, State.FILLED),
            # Zero and false are answers.
            ("expansion", {"free_gpu_slots": 0}, State.FILLED),
            ("licenses", {"licenses": 0}, State.FILLED),
            ("coolant", {"liquid_required": False}, State.FILLED),
            # A number of licences without its name is half an answer.
            ("licenses", {"licenses": 8}, State.OPEN),
        ],
    )
    def test_what_settles_an_item(self, name, facts, state):
        assert item(ChecklistFacts(**facts), name).state is state


class TestFilled:
    def test_circuits_of_two_feeds(self, eight_h100):
        found = item(eight_h100, "circuits")
        assert [line.code for line in found.lines] == ["feeds", "three_phase", "dedicated"]
        values = found.lines[0].values
        assert (values["circuits_per_feed"], values["circuit_a"], values["feed_kw"]) == (
            3,
            32,
            53.2,
        )

    def test_circuits_of_one_feed(self, workstation):
        assert codes(workstation, "circuits") == ["one_feed", "dedicated"]

    def test_nvlink_only_where_a_model_is_split(self, eight_h100, workstation):
        assert codes(eight_h100, "gpu_interconnect") == ["link"]
        assert codes(workstation, "gpu_interconnect") == ["no_link"]
        assert codes(EMPTY, "gpu_interconnect") == []

    def test_a_split_over_cards_without_a_link(self):
        facts = ChecklistFacts(needs_gpu_link=True, gpu_has_link=False)
        assert codes(facts, "gpu_interconnect") == ["over_pcie"]
        assert item(facts, "gpu_interconnect").state is State.FILLED

    def test_one_machine_is_a_first_stage_already(self, eight_h100, workstation):
        assert codes(eight_h100, "start_small") == ["several"]
        assert codes(workstation, "start_small") == ["one"]

    def test_a_rack_and_a_desk(self, eight_h100, workstation):
        assert codes(eight_h100, "form_factor") == ["rack", "air"]
        assert codes(workstation, "form_factor") == ["desk", "air"]

    @pytest.mark.parametrize(
        ("serves", "trains", "line"),
        [(True, False, "serves_only"), (False, True, "trains_only"), (True, True, "trains_also")],
    )
    def test_what_the_servers_are_for(self, serves, trains, line):
        assert line in codes(ChecklistFacts(serves=serves, trains=trains), "workload_kind")

    def test_coolant(self):
        liquid = ChecklistFacts(liquid_required=True, supply_water_c=40, liquid_share_percent=95)
        assert codes(liquid, "coolant") == ["liquid", "water", "share"]
        assert codes(ChecklistFacts(liquid_required=False), "coolant") == ["air"]

    def test_diagnostics_that_run_on_these_cards(self, eight_h100, workstation):
        """NVIDIA's higher levels are for data centre cards alone."""
        assert codes(eight_h100, "health_checks") == ["inventory", "levels", "links"]
        assert codes(workstation, "health_checks") == ["inventory", "level_one"]
        amd = ChecklistFacts(gpu_is_nvidia=False, gpu_is_datacenter=True)
        assert codes(amd, "health_checks") == ["other"]

    def test_each_model_has_its_own_benchmark(self, eight_h100):
        second = eight_h100.runs[0].model_copy(
            update={"model": "BGE-M3 · FP16", "most_ttft_ms": None, "reference_precision": None}
        )
        both = eight_h100.model_copy(update={"runs": (eight_h100.runs[0], second)})
        lines = [
            (line.code, line.values["model"])
            for line in item(both, "benchmark").lines
            if "model" in line.values
        ]
        first, other = "Llama 3.1 70B · FP8", "BGE-M3 · FP16"
        assert lines == [
            *((code, first) for code in ("rate", "ttft", "itl", "lengths")),
            *((code, other) for code in ("rate", "itl", "lengths")),
        ]
        compared = [
            line.values["model"] for line in item(both, "quality").lines if "model" in line.values
        ]
        assert compared == [first]

    def test_a_line_carries_what_it_says_and_nothing_else(self, eight_h100):
        (line,) = item(eight_h100, "pcie").lines
        assert line.values == {"pcie_generation": 5, "pcie_lanes_per_gpu": 16}


class TestDefaults:
    def test_each_default_that_is_stated_is_listed(self, eight_h100):
        listed = {note.code: dict(note.values) for note in checklist_of(eight_h100).defaults}
        assert listed == {
            "benchmark": {"recheck_percent": 90.0},
            "burn_in": {"burn_in_hours": 72},
            "allowed_loss": {"loss_percent": 1.0},
            "health_checks": {"diag_level": 3},
            "maintenance_windows": {"dust_months": 6},
        }

    def test_a_default_that_is_not_stated_is_not_listed(self):
        listed = {note.code for note in checklist_of(EMPTY).defaults}
        assert "coolant" not in listed
        liquid = checklist_of(ChecklistFacts(liquid_required=True))
        assert "coolant" in {note.code for note in liquid.defaults}


class TestBill:
    def test_quantities_are_of_all_servers(self, eight_h100):
        """Three servers with 8 GPUs, 2 processors, 32 modules, 2 + 8 disks, 2 ports, 6 supplies."""
        found = bill(eight_h100)
        assert found["servers"] == 3
        assert found["gpus"] == 24
        assert found["processors"] == 6
        assert found["ram_modules"] == 96
        assert (found["system_disks"], found["nvme_disks"]) == (6, 24)
        assert found["network_ports"] == 6
        assert found["power_supplies"] == 18
        assert (found["circuits"], found["distribution_units"]) == (6, 2)

    def test_what_is_not_needed_is_not_listed(self, eight_h100, workstation):
        assert not {"fabric_ports", "coolant_loop", "subscriptions"} & bill(eight_h100).keys()
        assert not {"racks", "distribution_units"} & bill(workstation).keys()
        assert bill(workstation)["circuits"] == 1

    def test_what_is_not_known_is_listed_without_a_quantity(self):
        found = {line.id: line for line in checklist_of(EMPTY).bill}
        assert found["gpus"].quantity is None
        assert not found["gpus"].is_described
        assert found["spare_parts"].quantity is None
        assert found["installation"].quantity == 1

    @given(servers=st.integers(1, 64), gpus=st.integers(1, 72), more=st.integers(0, 8))
    def test_more_servers_never_need_fewer_parts(self, servers, gpus, more):
        def parts(count):
            facts = ChecklistFacts(
                total_servers=count, gpus_per_server=gpus, cpu_sockets=2, psus=4, ram_modules=16
            )
            return {name: found for name, found in bill(facts).items() if found is not None}

        few, many = parts(servers), parts(servers + more)
        assert few.keys() == many.keys()
        assert all(few[name] <= many[name] for name in few)
        assert many["gpus"] == (servers + more) * gpus


class TestOrderAndSearch:
    def test_groups_come_in_the_order_of_the_work(self, eight_h100):
        checklist = checklist_of(eight_h100)
        for rows in (checklist.items, checklist.bill):
            places = [list(Group).index(row.group) for row in rows]
            assert places == sorted(places)
        assert {found.group for found in checklist.items} == set(Group)
        assert {found.kind for found in checklist.items} == set(Kind)
        assert {record.asks for record in load_checklist().item} == set(Person)

    @pytest.mark.parametrize(
        ("words", "found"),
        [
            # Tender of a university: the lift rules out a rack, water is required.
            (["delivery_path", "coolant"], {"delivery_path", "coolant"}),
            (["lift", "hoses"], {"delivery_path", "coolant"}),
            (["Thermal paste"], {"maintenance_windows"}),
            (["break-even"], {"tco"}),
            (["optics", "vram", "ports"], {"network", "gpu_memory"}),
            (["no such thing"], set()),
        ],
    )
    def test_items_are_found_by_name_and_topic(self, words, found):
        assert {item.id for item in find_items(checklist_of(EMPTY), words)} == found

    def test_the_checklist_is_plain_data(self, eight_h100):
        data = json.loads(checklist_of(eight_h100).model_dump_json())
        assert data["items"][0]["group"] == "workload"


@given(
    known=st.sets(st.sampled_from(sorted(ChecklistFacts.model_fields.keys() - {"runs"}))),
    more=st.sets(st.sampled_from(sorted(ChecklistFacts.model_fields.keys() - {"runs"}))),
)
def test_knowing_more_never_opens_a_question(known, more, full_values):
    few = ChecklistFacts(**{name: full_values[name] for name in known})
    many = ChecklistFacts(**{name: full_values[name] for name in known | more})
    before = {q.id for q in checklist_of(few).questions}
    assert {q.id for q in checklist_of(many).questions} <= before
