"""What servers draw: parts that sum, printed maxima, and machines worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.catalogue import Catalogue, load_catalogue
from sizing.performance import Estimate
from sizing.spec.electricity import load_electricity
from sizing.spec.host_parts import HostParts, usual_parts
from sizing.spec.power import ServerPower, server_power
from sizing.spec.supplies import Redundancy

FACTS = load_electricity()
CATALOGUE = load_catalogue()


def power(gpu: str, gpus: int, *, cpu_w: float | None = None, **more) -> ServerPower:
    record = CATALOGUE.gpus[gpu]
    host = usual_parts(record, gpus, FACTS, cpu_w=cpu_w)
    return server_power(record, gpus, host, FACTS, **more)


def codes(server: ServerPower) -> list[str]:
    return [note.code for note in server.notes]


@pytest.mark.parametrize(
    ("gpu", "cpu_w", "most_w"),
    [
        ("a100-sxm-80", 450, 6_500),
        ("h100-sxm", 700, 10_200),
        ("b200-sxm", 700, 14_300),
    ],
)
def test_published_maxima_lie_inside(gpu: str, cpu_w: float, most_w: float) -> None:
    """DGX A100 (two EPYC 7742 of 225 W), DGX H100 and XE9680, DGX B200, from their parts alone."""
    wall_w = power(gpu, 8, cpu_w=cpu_w).wall_w
    assert wall_w.low < most_w < wall_w.high
    assert wall_w.typical == pytest.approx(most_w, rel=0.13)


def test_a_rack_of_72_lies_inside_too() -> None:
    """GB200 NVL72 120 kW; GB300 NVL72 132 to 142 by source. Eighteen trays with two processors."""
    blackwell, ultra = power("gb200", 72), power("gb300", 72)
    assert blackwell.wall_w.low < 120_000 < blackwell.wall_w.high
    assert blackwell.wall_w.typical == pytest.approx(120_000, rel=0.05)
    assert 132_000 < ultra.wall_w.typical < 142_000
    drawn = {part.code: part.draw_w.typical for part in blackwell.parts}
    assert drawn["cpus"] == 36 * 350
    assert "supplies_beyond" in codes(blackwell)


def test_seven_cards_and_an_epyc_by_hand() -> None:
    """7 x 450 + 280 + 8 modules x 8 + 2 drives x 10 + 25 + 40 = 3,579 W, and 1 % for fans: 3,615.

    The margin: 0.4 x 3,150 = 1,260 W more, 4,875; four supplies of 1,300 W (3 x 1,600 = 4,800).
    They run at 3,615 / 5,200 = 69.5 %: 94 - 4 x 19.5 / 50 = 92.4 %, so 3,911 W at the wall.
    """
    server = power("rtx-4090", 7, cpu_w=280)
    assert server.dc_w.typical == pytest.approx(3579 * 1.01)
    assert 3_400 < server.dc_w.low < server.dc_w.typical < 3_700
    assert server.supply.need_w == pytest.approx(3579 * 1.01 + 1260)
    assert (server.supply.supplies, server.supply.supply_w) == (4, 1300)
    assert server.wall_w.typical == pytest.approx(3911, abs=2)
    assert server.peak_w == pytest.approx(3150 * 2.18)
    assert codes(server) == ["card_connectors", "several_supplies"]


def test_four_l40s_by_hand() -> None:
    """4 x 350 + 2 x 350 + 32 x 8 + 6 x 10 + 2 x 25 + 40 = 2,506 W, and 18 % for fans: 2,957 W."""
    server = power("l40s", 4)
    assert server.dc_w.typical == pytest.approx(2506 * 1.18)
    assert server.supply.redundancy is Redundancy.ONE_SPARE
    assert server.apparent_va == pytest.approx(server.wall_w.high / 0.95)


def test_a_workstation_of_two_cards_by_hand() -> None:
    """2 x 600 + 280 + 64 + 20 + 25 + 40 = 1,629 W, and 1 % for fans; the cards bring their own."""
    server = power("rtx-pro-6000-ws", 2)
    assert server.dc_w.typical == pytest.approx(1629 * 1.01)
    assert server.supply.redundancy is Redundancy.NONE


def test_an_edge_box_of_one_l4_by_hand() -> None:
    """72 + 95 + 4 x 8 + 2 x 10 + 25 + 40 = 284 W, and 18 % for fans; the slot feeds the card."""
    server = power("l4", 1)
    assert server.dc_w.typical == pytest.approx(284 * 1.18)
    assert codes(server) == ["slot_is_enough"]


def test_a_whole_computer_has_no_processors_beside_it() -> None:
    parts = {part.code for part in power("gb10", 1).parts}
    assert "cpus" not in parts


def test_what_the_maker_prints_wins() -> None:
    """DGX H100: 10.2 kW, 6.5 to 8.5 in use, 1.82 times the 5.6 kW of its GPUs, 4 of 6 supplies."""
    record = CATALOGUE.gpus["h100-sxm"]
    system = FACTS.system_with(record, 8)
    assert system is not None
    server = power("h100-sxm", 8, system=system)
    assert server.system == "DGX H100"
    assert server.wall_w == Estimate(low=10_200, typical=10_200, high=10_200)
    assert server.in_use_w == Estimate(low=6_500, typical=7_500, high=8_500)
    assert server.system_factor == pytest.approx(10_200 / 5_600)
    assert (server.supply.supplies, server.supply.needed_supplies) == (6, 4)
    assert "maximum_printed" in codes(server)
    assert codes(power("h100-sxm", 8, published_max_w=9_000)) == [
        "maximum_given",
        "high_line_alone",
    ]


def test_a_limit_set_below_the_board_power_is_told() -> None:
    """DGX B200: 700 W as delivered, 1,000 W at most; its maximum counts 1,000."""
    system = FACTS.system("dgx-b200")
    assert "gpu_limit_lowered" in codes(power("b200-sxm", 8, system=system))


def test_in_use_is_a_share_of_the_maximum() -> None:
    """64, 73 and 83 per cent, as a DGX H100 was measured: 6.5 and 8.5 of 10.2 kW."""
    server = power("l40s", 4)
    shares = [server.in_use_w.low, server.in_use_w.typical, server.in_use_w.high]
    assert [each / server.wall_w.typical for each in shares] == pytest.approx([0.64, 0.73, 0.83])


def test_an_unknown_board_power_is_told(catalogue: Catalogue) -> None:
    assert codes(power("tpu-v5e", 4))[0] == "board_power_unknown"


def test_connectors_of_a_card() -> None:
    """450 W less the slot's 75: three connectors of 150 W, or one of 16 pins."""
    told = power("rtx-4090", 1).notes[0].values
    assert (told["eight_pins"], told["sixteen_pins"]) == (3, 1)


HOSTS = st.builds(
    HostParts,
    cpu_typical_w=st.floats(50, 800),
    cpu_high_w=st.floats(50, 1_000),
    dimms=st.integers(1, 32),
    drives=st.integers(1, 24),
    nics=st.integers(1, 10),
    is_desktop=st.booleans(),
)


@given(
    st.sampled_from(["l4", "l40s", "h100-sxm", "rtx-4090", "mi300x"]),
    st.integers(1, 16),
    st.integers(0, 8),
    HOSTS,
)
def test_more_gpus_never_draw_less_and_parts_sum(gpu, gpus, more, host) -> None:
    record = CATALOGUE.gpus[gpu]
    small = server_power(record, gpus, host, FACTS)
    large = server_power(record, gpus + more, host, FACTS)
    for bound in ("low", "typical", "high"):
        assert getattr(small.dc_w, bound) <= getattr(large.dc_w, bound) * (1 + 1e-9)
        parts = sum(getattr(part.draw_w, bound) for part in small.parts)
        assert parts == pytest.approx(getattr(small.dc_w, bound))
    assert small.design_w <= large.design_w * (1 + 1e-9)
    assert small.apparent_va <= large.apparent_va * (1 + 1e-9)
    assert small.supply.capacity_w <= large.supply.capacity_w
    assert small.wall_w.low <= small.wall_w.typical <= small.wall_w.high
    assert small.dc_w.typical < small.wall_w.typical
