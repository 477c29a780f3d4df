"""MIG slices as shares of a card: where they stand, who has one, and what is typed for it."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sizing.answer import Verdict
from sizing.catalogue import load_catalogue
from sizing.engine import size
from sizing.records import GpuRecord
from sizing.request import GpuChoice, SizingRequest, Targets
from sizing.spec.answer import Spec
from sizing.spec.cards import CardSet, choose_cards
from sizing.spec.mig_layout import (
    SliceCopies,
    compute_slices,
    memory_slices,
    packed,
    starts,
    width,
)
from sizing.spec.plan import spec_of
from sizing.spec.request import SpecRequest, Workload
from sizing.spec.servers import card_places
from sizing.spec.sharing import Seat, cards_of, shared_cards, sliced_cards
from sizing.spec.wishes import Orchestrator, Sharing, SoftwareWishes

CATALOGUE = load_catalogue()
CUT = sorted(gpu.id for gpu in CATALOGUE.gpus.values() if gpu.mig_profiles)
H100 = CATALOGUE.gpus["h100-sxm"]

CHAT = SizingRequest(model_id="llama-3.1-8b", concurrent_requests=20)
EMBEDDER = SizingRequest(model_id="bge-m3")
SPEECH = SizingRequest(model_id="whisper-large-v3")


def on(gpu: str, demand: SizingRequest, **choice: object) -> SizingRequest:
    return demand.model_copy(update={"gpus": (GpuChoice(gpu=gpu, **choice),)})


def chosen(*demands: SizingRequest, sharing: Sharing = Sharing.SLICES) -> CardSet:
    return choose_cards(demands, partial(size, catalogue=CATALOGUE), CATALOGUE, sharing=sharing)


def planned(*demands: SizingRequest, sharing: Sharing = Sharing.SLICES, **wishes: object) -> Spec:
    workloads = tuple(Workload(request=demand) for demand in demands)
    return spec_of(SpecRequest(workloads=workloads, sharing=sharing, **wishes), CATALOGUE)


def codes(spec: Spec) -> set[str]:
    return {note.code for note in (*spec.warnings, *spec.assumptions)}


def copies_of(gpu: GpuRecord, profiles: dict[str, int]) -> list[SliceCopies]:
    return [
        SliceCopies(place, copies, gpu.mig_profile(name))
        for place, (name, copies) in enumerate(profiles.items())
    ]


def held(gpu: GpuRecord, seats: tuple[Seat, ...], card: int) -> list[int]:
    """Return the memory slices in use on a card, those taken twice twice."""
    return sorted(
        part
        for seat in seats
        if card in seat.cards
        for part in range(
            seat.memory_slice, seat.memory_slice + width(gpu.mig_profile(seat.mig_profile), gpu)
        )
    )


@pytest.mark.parametrize(
    ("profile", "places", "size"),
    [
        ("1g.10gb", [0, 1, 2, 3, 4, 5, 6], 1),
        ("1g.20gb", [0, 2, 4, 6], 2),
        ("2g.20gb", [0, 2, 4], 2),
        ("3g.40gb", [0, 4], 4),
        ("4g.40gb", [0], 4),
        ("7g.80gb", [0], 8),
    ],
)
@pytest.mark.parametrize("gpu", ["a100-sxm-80", "h100-sxm"])
def test_places_are_those_that_nvidia_smi_prints(gpu, profile, places, size) -> None:
    """`nvidia-smi mig -lgipp`, as the MIG user guide prints it of an A100."""
    known = CATALOGUE.gpus[gpu]
    found = known.mig_profile(profile)
    assert (list(starts(found, known)), width(found, known)) == (places, size)


def test_cards_with_four_and_with_two_memory_slices() -> None:
    """A30: four of 6 GB, two of 12 GB. RTX PRO 5000: two of 24 GB (MIG user guide)."""
    a30, pro = CATALOGUE.gpus["a30"], CATALOGUE.gpus["rtx-pro-5000-48"]
    assert (memory_slices(a30), memory_slices(pro)) == (4, 2)
    assert list(starts(a30.mig_profile("2g.12gb"), a30)) == [0, 2]
    assert list(starts(pro.mig_profile("1g.24gb"), pro)) == [0, 1]


@pytest.mark.parametrize(
    ("profiles", "cards"),
    [
        ({"1g.10gb": 7}, 1),
        ({"1g.10gb": 8}, 2),  # eight memory slices, but seven places
        ({"3g.40gb": 2}, 1),
        ({"4g.40gb": 1, "3g.40gb": 1}, 1),
        ({"4g.40gb": 2}, 2),  # one place alone
        ({"4g.40gb": 2, "3g.40gb": 2}, 2),
        ({"3g.40gb": 1, "2g.20gb": 1, "1g.10gb": 2}, 1),  # 3-2-1-1 of the user guide
        ({"2g.20gb": 1, "1g.10gb": 5}, 1),  # 2-1-1-1-1-1 of the user guide
        ({"2g.20gb": 3, "1g.20gb": 1}, 1),
        ({"2g.20gb": 4}, 2),  # three places
        ({"3g.40gb": 1, "1g.10gb": 4}, 1),
        ({"3g.40gb": 1, "1g.10gb": 5}, 2),
    ],
)
def test_combinations_on_an_h100(profiles, cards) -> None:
    assert cards_of(packed(H100, copies_of(H100, profiles), 0)) == cards


def test_a_half_stands_where_it_covers_the_slice_without_compute() -> None:
    """3g at 4 covers memory slice 7, which no 1g may use: 0 to 3 stay for small ones."""
    seats = packed(H100, copies_of(H100, {"1g.10gb": 2, "3g.40gb": 1}), 5)
    assert [(seat.cards, seat.mig_profile, seat.memory_slice) for seat in seats] == [
        ((5,), "3g.40gb", 4),
        ((5,), "1g.10gb", 3),
        ((5,), "1g.10gb", 2),
    ]


@given(st.sampled_from(CUT), st.data())
def test_no_card_is_cut_into_more_than_it_has(gpu: str, data: st.DataObject) -> None:
    """Memory is used once, compute slices stay inside the card's, every place is legal."""
    known = CATALOGUE.gpus[gpu]
    names = st.sampled_from([each.name for each in known.mig_profiles])
    counts = data.draw(st.dictionaries(names, st.integers(1, 9), min_size=1))
    seats = packed(known, copies_of(known, counts), 0)
    assert len(seats) == sum(counts.values())
    most = max(map(compute_slices, known.mig_profiles))
    for card in {seat.cards[0] for seat in seats}:
        parts = held(known, seats, card)
        assert len(parts) == len(set(parts))
        assert set(parts) <= set(range(memory_slices(known)))
        profiles = [known.mig_profile(seat.mig_profile) for seat in seats if card in seat.cards]
        assert sum(map(compute_slices, profiles)) <= most
    for seat in seats:
        assert seat.memory_slice in starts(known.mig_profile(seat.mig_profile), known)


def test_three_models_on_one_h100() -> None:
    """8B: 16.1 GB of weights and 20 x 4,096 x 131,072 bytes = 10.7 GB of cache: 27 GB and overhead
    are above the 21 GB of 1g.20gb and below the 42.4 GB of 3g.40gb. The others take 10.5 GB.
    """
    cards = chosen(on("h100-sxm", CHAT), EMBEDDER, SPEECH)
    assert (cards.cards, cards.in_slices, cards.runs) == (1, 3, True)
    assert [seat.mig_profile for seat in cards.seats] == ["3g.40gb", "1g.10gb", "1g.10gb"]


@pytest.mark.parametrize(
    ("demand", "code"),
    [
        (on("h100-sxm", SizingRequest(model_id="llama-3.1-70b")), "mig_whole_size"),
        (
            on("h100-sxm", SizingRequest(model_id="llama-3.1-8b", requests_per_s=2)),
            "mig_whole_speed",
        ),
        (
            on("h100-sxm", CHAT.model_copy(update={"targets": Targets(itl_ms=50)})),
            "mig_whole_speed",
        ),
    ],
)
def test_what_has_whole_cards_is_told_why(demand, code) -> None:
    spec = planned(demand, EMBEDDER)
    large, small = spec.workloads
    assert large.answer.options[0].mig_profile is None
    assert small.answer.options[0].mig_profile == "1g.10gb"
    assert code in codes(spec)
    assert not {card for seat in large.seats for card in seat.cards} & {
        card for seat in small.seats for card in seat.cards
    }


def test_counted_cards_stay_whole() -> None:
    spec = planned(on("h100-sxm", CHAT, count=2))
    assert (spec.mig, spec.workloads[0].answer.options[0].gpus) == ((), 2)
    assert not codes(spec) & {"mig_whole_size", "mig_whole_speed"}


def test_slices_that_take_as_many_cards_are_not_taken() -> None:
    """200 requests: six copies in 3g.40gb fill three cards, two whole cards do."""
    spec = planned(on("h100-sxm", CHAT.model_copy(update={"concurrent_requests": 200})))
    assert spec.mig == ()


def test_a_card_without_slices_is_shared_by_fractions() -> None:
    spec = planned(on("l40s", CHAT), EMBEDDER)
    (warning,) = (note for note in spec.warnings if note.code == "mig_not_on_card")
    assert warning.values["gpu"] == "l40s"
    assert all(CATALOGUE.gpus[gpu].mig_profiles for gpu in warning.values["gpus"])
    assert (spec.mig, spec.servers.shared_cards) == ((), 1)
    assert "shared_speed" in codes(spec)


def test_without_a_card_in_mind_one_with_slices_is_taken() -> None:
    """And some card carries several: a slice alone would be no better than a whole card."""
    cards = chosen(CHAT, EMBEDDER, SPEECH)
    assert cards.runs
    assert set(shared_cards(cards.seats)) & set(sliced_cards(cards.seats))


def test_slices_that_were_named_share_a_card() -> None:
    """Without any wish: 1g.10gb twice and 3g.40gb once are one card, not three."""
    spec = planned(
        on("h100-sxm", CHAT, mig_profile="3g.40gb"),
        on("h100-sxm", EMBEDDER, mig_profile="1g.10gb", count=2),
        sharing=Sharing.FRACTIONS,
    )
    assert (spec.servers.gpus_needed, len(spec.mig)) == (1, 1)
    assert "shared_speed" not in codes(spec)


def test_what_is_typed() -> None:
    spec = planned(on("h100-sxm", CHAT), EMBEDDER, SPEECH)
    (card,) = spec.mig
    assert (card.server, card.card) == (1, 0)
    assert card.commands == (
        "sudo nvidia-smi -i 0 -mig 1",
        "sudo nvidia-smi mig -i 0 -cgi 3g.40gb:4,1g.10gb:3,1g.10gb:2 -C",
    )
    assert [(part.workload, part.usable_bytes) for part in card.slices] == [
        (0, 40_448 * 2**20),
        (1, 9_984 * 2**20),
        (2, 9_984 * 2**20),
    ]
    assert card.slices[0].sm_percent == 45.5  # 60 of 132 multiprocessors


def test_cards_are_numbered_in_their_server() -> None:
    """Ten whole cards and one that is cut: the eleventh is number 2 of the second server."""
    cards = chosen(on("h100-sxm", CHAT), EMBEDDER)
    whole = tuple(Seat(workload=0, cards=(card,), fraction_percent=90) for card in range(10))
    cut = Seat(workload=1, cards=(10,), fraction_percent=13, mig_profile="1g.10gb", memory_slice=6)
    places = card_places(CardSet(cards.gpu, cards.answers, (*whole, cut)), most_per_server=None)
    assert (places[0], places[9], places[10]) == ((0, 0), (1, 1), (1, 2))


def test_cards_of_a_copy_over_two_servers_are_numbered_too() -> None:
    """Ten cards of one copy are five in each server; the cut one is the sixth there."""
    spec = planned(on("h100-sxm", CHAT, count=10), EMBEDDER)
    assert [(card.server, card.card) for card in spec.mig] == [(1, 5)]


def test_what_keeps_the_mode_over_a_restart() -> None:
    """MIG user guide: on Ampere the mode is kept, on later ones it is not; slices never are."""
    assert "mig_mode_kept" in codes(planned(on("a100-sxm-80", EMBEDDER), SPEECH))
    assert "mig_mode_lost" in codes(planned(on("h100-sxm", EMBEDDER), SPEECH))


def test_workstation_cards_are_set_to_compute_first() -> None:
    """MIG user guide: their display mode is graphics; that of server cards is not."""
    assert "mig_display_mode" in codes(planned(on("rtx-pro-6000-ws", EMBEDDER), SPEECH))
    assert "mig_display_mode" not in codes(planned(on("rtx-pro-6000-server", EMBEDDER), SPEECH))


@pytest.mark.parametrize(
    ("orchestrator", "code"),
    [(Orchestrator.DOCKER, "mig_docker"), (Orchestrator.KUBERNETES, "mig_kubernetes")],
)
def test_how_containers_get_a_slice(orchestrator, code) -> None:
    wishes = SoftwareWishes(orchestrator=orchestrator)
    spec = planned(on("h100-sxm", EMBEDDER), SPEECH, software=wishes)
    assert {code, "orchestrator_asked"} <= codes(spec)


def test_fractions_say_what_slices_would_take() -> None:
    """On one H100 all three fit in slices too; 70B on two cards leaves them a third one."""
    same = planned(on("h100-sxm", CHAT), EMBEDDER, SPEECH, sharing=Sharing.FRACTIONS)
    large = SizingRequest(model_id="llama-3.1-70b", precision="fp8", concurrent_requests=8)
    more = planned(on("h100-sxm", large, count=2), EMBEDDER, sharing=Sharing.FRACTIONS)
    assert "mig_would_do" in codes(same)
    (note,) = (note for note in more.assumptions if note.code == "mig_takes_more")
    assert (note.values["cards"], note.values["mig_cards"]) == (2, 3)


def test_seven_copies_on_one_card_are_rented_as_one() -> None:
    """Copies in slices of one board of four H100: not seven cards."""
    spec = planned(on("h100-sxm", EMBEDDER, mig_profile="1g.10gb", count=7))
    assert spec.servers.gpus == 4
    assert spec.cost.cloud.rental.gpus == 4


@settings(max_examples=15, deadline=None)
@given(
    st.sampled_from(["h100-sxm", "a100-pcie-40", "rtx-pro-6000-server", "h200-sxm", "b200-sxm"]),
    st.lists(
        st.sampled_from(
            ["llama-3.2-1b", "llama-3.1-8b", "bge-m3", "whisper-large-v3", "qwen3-32b"]
        ),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 60),
)
def test_every_workload_has_the_memory_it_needs(gpu: str, models: list[str], users: int) -> None:
    """Each slice holds the high bound of its copy; every copy has a seat; seats are legal."""
    demands = [
        SizingRequest(model_id=model, concurrent_requests=users)
        if CATALOGUE.models[model].family not in {"bge", "whisper"}
        else SizingRequest(model_id=model)
        for model in models
    ]
    cards = chosen(on(gpu, demands[0]), *demands[1:])
    for place, option in enumerate(cards.options):
        seats = [seat for seat in cards.seats if seat.workload == place]
        if option.mig_profile is None:
            continue
        profile = cards.gpu.mig_profile(option.mig_profile)
        assert option.verdict is Verdict.FITS
        assert len(seats) == option.gpus
        assert option.per_gpu.need_high_bytes <= profile.usable_bytes
    for card in range(cards.cards):
        parts = held(cards.gpu, tuple(one for one in cards.seats if one.mig_profile), card)
        assert len(parts) == len(set(parts)) <= memory_slices(cards.gpu)
