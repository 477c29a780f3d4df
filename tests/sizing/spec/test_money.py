"""Purchase, years, alternatives, reserve and budget of a plan."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import accumulate, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.catalogue import Catalogue
from sizing.performance import Estimate
from sizing.records import (
    ApiQuote,
    FacilityRecord,
    InstanceRecord,
    ModelKind,
    PriceBook,
    PriceListRecord,
    PurchaseRecord,
)
from sizing.request import Mode
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.money import plan_cost
from sizing.spec.money_plan import (
    BudgetVerdict,
    CostLine,
    CostPlan,
    MoneyNeeds,
    Side,
    TokenLoad,
)
from sizing.spec.purchase import host_kind_of
from sizing.spec.software_plan import LicenseNeed
from sizing.spec.upkeep_facts import HostKind, UpkeepCatalogue, load_upkeep
from sizing.spec.wishes import MoneyWishes
from sizing.spending import Means, Spending

TODAY = date(2026, 11, 30)
RECENT = date(2026, 11, 1)
SOURCED = {"sources": ("a price page of a seller",), "checked": TODAY}


def bought(gpu: str, low: float, typical: float, high: float, dated: date = RECENT):
    return PurchaseRecord(
        gpu=gpu, low_usd=low, typical_usd=typical, high_usd=high, dated=dated, **SOURCED
    )


def rented(gpu: str, gpus: int, usd_per_hour: float, dated: date = RECENT) -> PriceListRecord:
    instance = InstanceRecord(name=f"i{gpus}", gpu=gpu, gpus=gpus, price_usd_per_hour=usd_per_hour)
    return PriceListRecord(
        id=f"near-{gpu}", provider="Near", region="here", dated=dated, instances=(instance,),
        **SOURCED,
    )  # fmt: skip


BOOK = PriceBook(
    lists=(
        rented("h100-sxm", 8, 32.0),
        rented("l40s", 4, 8.0, dated=date(2026, 6, 1)),
        rented("a100-sxm-80", 8, 16.0),
    ),
    purchases={
        each.gpu: each
        for each in (
            bought("h100-sxm", 25_000, 27_500, 30_000),
            bought("l40s", 8_500, 8_500, 8_500, dated=date(2026, 6, 1)),
            bought("l4", 2_500, 2_500, 2_500),
            bought("rtx-pro-6000-ws", 8_600, 13_250, 14_500),
            bought("rtx-5090", 2_000, 3_100, 3_900),
            bought("m3-ultra", 9_500, 9_500, 9_500),
        )
    },
    facility=FacilityRecord(pue=1.5, electricity_usd_per_kwh=0.1, lifetime_years=3, **SOURCED),
)


def model(copies: int = 1, gpus: int = 1) -> ModelLoad:
    return ModelLoad(
        name="A model", model_id=None, kind=ModelKind.LLM, precision="fp8", engine="vllm",
        mode=Mode.INFER, parameters=10**9, weights_bytes=10**9, checkpoint_bytes=10**9,
        copies=copies, gpus_per_copy=gpus,
    )  # fmt: skip


class Costs:
    """Reckons what servers of the catalogue's cards cost."""

    def __init__(self, catalogue: Catalogue, upkeep: UpkeepCatalogue) -> None:
        self.catalogue = catalogue
        self.upkeep = upkeep

    def __call__(
        self,
        gpu: str,
        gpus: int,
        servers: int = 1,
        *,
        needs: MoneyNeeds | None = None,
        spending: Spending | None = None,
        spare: int = 0,
        book: PriceBook = BOOK,
        **wishes,
    ) -> CostPlan:
        load = ServerLoad(
            gpu=self.catalogue.gpus[gpu], gpus=gpus, servers=servers, spare_servers=spare,
            models=(model(gpus=gpus),),
        )  # fmt: skip
        return plan_cost(
            load, needs or MoneyNeeds(), wishes=MoneyWishes(**wishes),
            spending=spending or Spending(), prices=book, upkeep=self.upkeep, today=TODAY,
        )  # fmt: skip


@pytest.fixture(scope="module")
def cost(catalogue: Catalogue) -> Costs:
    return Costs(catalogue, load_upkeep())


def by_code(lines: tuple[CostLine, ...]) -> dict[str, CostLine]:
    assert len({line.code for line in lines}) == len(lines)
    return {line.code: line for line in lines}


def bounds(estimate: Estimate | None) -> tuple[float, float, float] | None:
    return estimate and (estimate.low, estimate.typical, estimate.high)


def codes(plan: CostPlan) -> set[str]:
    return {each.code for each in plan.notes}


class TestPurchase:
    def test_eight_h100_on_a_board(self, cost: Costs) -> None:
        """8 x 25,000 / 27,500 / 30,000; the host is 30 / 35 / 40 % of the whole beside them:
        200,000 x 30/70 = 85,714; 220,000 x 35/65 = 118,462; 240,000 x 40/60 = 160,000."""
        lines = by_code(cost("h100-sxm", 8).years[0].lines)
        assert bounds(lines["gpus"].usd) == (200_000, 220_000, 240_000)
        assert bounds(lines["host"].usd) == pytest.approx((85_714, 118_462, 160_000), abs=1)
        assert (lines["host"].rule, lines["host"].is_weak) == ("share_of_server", True)

    def test_four_l40s_in_a_server(self, cost: Costs) -> None:
        """4 x 8,500 = 34,000; share 14,571 / 18,308 / 22,667, above the least of 10 to 20,000."""
        lines = by_code(cost("l40s", 4).years[0].lines)
        assert lines["gpus"].usd.typical == 34_000
        assert bounds(lines["host"].usd) == pytest.approx((14_571, 18_308, 22_667), abs=1)

    def test_one_l4_in_an_edge_server(self, cost: Costs) -> None:
        """2,500 x 35/65 = 1,346 is below what the smallest server costs: 15,000."""
        lines = by_code(cost("l4", 1).years[0].lines)
        assert bounds(lines["host"].usd) == (10_000, 15_000, 20_000)
        assert lines["host"].rule == "least_host"

    def test_two_rtx_pro_6000_in_a_workstation(self, cost: Costs) -> None:
        plan = cost("rtx-pro-6000-ws", 2)
        lines = by_code(plan.years[0].lines)
        assert bounds(lines["gpus"].usd) == (17_200, 26_500, 29_000)
        assert bounds(lines["host"].usd) == (8_150, 10_000, 12_500)
        assert plan.missing == ("installation",)

    @pytest.mark.parametrize(("trays", "racks"), [(1, 1), (18, 1), (19, 2)])
    def test_gb200_is_bought_by_the_rack(self, cost: Costs, trays: int, racks: int) -> None:
        """72 GPUs in a rack, 4 in a tray: 18 trays fill one, the 19th takes a second."""
        (line,) = cost("gb200", 4, trays).years[0].lines
        assert (line.code, line.rule) == ("system", "whole_systems")
        assert bounds(line.usd) == (racks * 2e6, racks * 3e6, racks * 3.1e6)
        assert line.is_old  # no source tells its day

    def test_a_whole_computer_has_no_host_beside_it(self, cost: Costs) -> None:
        plan = cost("m3-ultra", 1)
        assert [line.code for line in plan.years[0].lines] == ["gpus"]
        assert plan.is_complete

    def test_the_plan_may_say_what_the_host_is(self, cost: Costs) -> None:
        plan = cost("l4", 1, needs=MoneyNeeds(host_kind=HostKind.DESKTOP))
        assert by_code(plan.years[0].lines)["host"].usd.typical == 1_225

    def test_a_missing_price_is_never_zero(self, cost: Costs) -> None:
        """Nobody's price of an A100: no host follows from it, no comparison, and it is said."""
        plan = cost("a100-sxm-80", 8, 2)
        assert plan.missing == ("gpus", "host", "server_network", "rack_and_power", "installation")
        assert not plan.is_complete
        assert plan.years[0].lines == ()
        assert plan.years[0].total_usd is None
        assert plan.cloud
        assert plan.cloud.break_even_months is None
        assert "money_missing" in codes(plan)

    def test_a_host_without_the_price_of_its_cards_has_its_least_price(self, cost: Costs) -> None:
        plan = cost("a100-pcie-80", 2)
        lines = by_code(plan.years[0].lines)
        assert lines["host"].usd.typical == 15_000
        assert "gpus" in plan.missing
        assert not plan.is_complete

    @pytest.mark.parametrize(
        ("gpu", "gpus", "kind"),
        [
            ("h100-sxm", 8, HostKind.BOARD_SERVER),
            ("mi300x", 8, HostKind.BOARD_SERVER),
            ("h100-nvl", 4, HostKind.PCIE_SERVER),
            ("rtx-pro-6000-ws", 4, HostKind.WORKSTATION),
            ("rtx-pro-6000-ws", 5, HostKind.PCIE_SERVER),
            ("rtx-5090", 1, HostKind.DESKTOP),
            ("rtx-5090", 2, HostKind.WORKSTATION),
            ("gb10", 1, HostKind.COMPUTER),
            ("jetson-agx-thor", 1, HostKind.COMPUTER),
            ("gb200", 4, None),
            ("tpu-v6e", 8, None),
        ],
    )
    def test_what_stands_around_the_cards(
        self, catalogue: Catalogue, gpu: str, gpus: int, kind: HostKind | None
    ) -> None:
        assert host_kind_of(catalogue.gpus[gpu], gpus) is kind


class TestYears:
    def test_the_parts_of_a_year(self, cost: Costs) -> None:
        """4 x L40S: 4 x 350 W x 1.5 x USD 0.1 x 8,760 h / 1,000 = 1,839.60 of electricity;
        12 % of 34,000 + 18,307.69 = 6,276.92; a tenth of 160,000; 4 units x 12 x 100."""
        plan = cost("l40s", 4, needs=MoneyNeeds(rack_units=4))
        lines = by_code(plan.years[1].lines)
        assert lines["electricity"].usd.typical == pytest.approx(1_839.6)
        assert lines["support"].usd.typical == pytest.approx(6_276.92, abs=0.01)
        assert bounds(lines["staff"].usd) == (12_000, 16_000, 50_000)
        assert bounds(lines["site"].usd) == (2_400, 4_800, 9_600)
        assert {"money_cards_alone", "money_persons_per_server"} <= codes(plan)

    def test_electricity_of_the_site_counts_where_it_is_told(self, cost: Costs) -> None:
        """20,000 kWh, cooling and duty inside, at 0.25: no PUE on top."""
        told = MoneyNeeds(site_kwh_per_year=Estimate(low=15_000, typical=20_000, high=30_000))
        plan = cost("l40s", 4, needs=told, spending=Spending(electricity_usd_per_kwh=0.25))
        line = by_code(plan.years[1].lines)["electricity"]
        assert bounds(line.usd) == (3_750, 5_000, 7_500)
        assert (line.rule, line.is_weak, line.is_old) == ("site", False, False)
        assert not {"money_cards_alone", "money_default_electricity"} & codes(plan)

    def test_without_a_price_of_electricity_there_is_no_line(self, cost: Costs) -> None:
        plan = cost("l40s", 4, book=replace(BOOK, facility=None))
        assert "electricity" not in by_code(plan.years[1].lines)
        assert plan.terms is None
        assert plan.cloud
        assert plan.cloud.break_even_share
        assert "money_default_electricity" not in codes(plan)

    def test_a_computer_whose_power_is_not_published(self, cost: Costs) -> None:
        assert "electricity" not in by_code(cost("m5-max", 1).years[1].lines)

    def test_licences_that_come_with_the_card_cost_nothing_more(self, cost: Costs) -> None:
        included = subscription(8).model_copy(update={"usd_per_year": None, "rule": "included"})
        plan = cost("h100-sxm", 8, needs=MoneyNeeds(licenses=(included,)))
        assert "licenses" not in by_code(plan.years[1].lines)

    def test_sure_and_recent_figures_leave_no_warning(self, cost: Costs) -> None:
        """A Mac comes whole; the rest is told, or its record is neither weak nor old."""
        facts = load_upkeep()
        sure = facts.support.model_copy(update={"is_weak": False, "dated": RECENT})
        plan = Costs(cost.catalogue, facts.model_copy(update={"support": sure}))(
            "m3-ultra", 1, staff_usd_per_year=1_000, spending=Spending(electricity_usd_per_kwh=0.2),
            needs=MoneyNeeds(site_kwh_per_year=Estimate(low=900, typical=1_000, high=1_100)),
        )  # fmt: skip
        assert not {"money_weak", "money_old"} & codes(plan)
        assert plan.missing == ("installation",)

    def test_hours_of_use_follow_the_wish(self, cost: Costs) -> None:
        """8 hours of 24: a third of 1,839.60."""
        plan = cost("l40s", 4, spending=Spending(hours_per_day=8))
        assert by_code(plan.years[1].lines)["electricity"].usd.typical == pytest.approx(613.2)

    def test_spare_servers_are_supported_but_wait_switched_off(self, cost: Costs) -> None:
        alone, spared = cost("l40s", 4), cost("l40s", 4, spare=1)
        before, after = by_code(alone.years[1].lines), by_code(spared.years[1].lines)
        assert after["electricity"] == before["electricity"]
        assert after["support"].usd.typical == pytest.approx(2 * before["support"].usd.typical)

    def test_what_the_asker_tells_replaces_what_we_think(self, cost: Costs) -> None:
        plan = cost(
            "l40s", 4, staff_usd_per_year=30_000, support_percent=10, site_usd_per_year=1_000
        )
        lines = by_code(plan.years[1].lines)
        assert bounds(lines["staff"].usd) == (30_000,) * 3
        assert lines["support"].usd.typical == pytest.approx(5_230.77, abs=0.01)
        assert lines["site"].usd.typical == 1_000
        assert not any(lines[code].is_weak for code in ("staff", "support", "site"))

    def test_no_support_at_all_is_no_line(self, cost: Costs) -> None:
        assert "support" not in by_code(cost("l40s", 4, support_percent=0).years[1].lines)

    def test_a_part_of_a_year_counts_as_one(self, cost: Costs) -> None:
        assert cost("l40s", 4, horizon_years=3.5).horizon_years == 4

    def test_tax_is_on_all_but_wages(self, cost: Costs) -> None:
        """21 % of cards and host; of a year, of all lines but staff."""
        plan = cost("l40s", 4, tax_percent=21)
        first, second = by_code(plan.years[0].lines), by_code(plan.years[1].lines)
        assert first["tax"].usd.typical == pytest.approx(0.21 * (34_000 + 18_307.69), abs=0.01)
        taxed = second["electricity"].usd.typical + second["support"].usd.typical
        assert second["tax"].usd.typical == pytest.approx(0.21 * taxed)
        assert "money_before_tax" not in codes(plan)
        assert "money_before_tax" in codes(cost("l40s", 4))

    def test_the_table_shows_each_year_and_what_was_paid_until_then(self, cost: Costs) -> None:
        plan = cost("l40s", 4)
        assert [year.year for year in plan.years] == [0, 1, 2, 3, 4, 5]
        assert "money_default_horizon" in codes(plan)
        assert len(cost("l40s", 4, horizon_years=3).years) == 4
        totals = [year.total_usd.typical for year in plan.years if year.total_usd]
        paid = [year.cumulated_usd.typical for year in plan.years if year.cumulated_usd]
        assert paid == pytest.approx(list(accumulate(totals)))
        assert plan.total_usd == plan.years[-1].cumulated_usd

    def test_licences(self, cost: Costs) -> None:
        plan = cost("h100-sxm", 8, needs=MoneyNeeds(licenses=(subscription(8),)))
        assert by_code(plan.years[1].lines)["licenses"].usd.typical == 36_000

    def test_amounts_are_kept_in_dollars(self, cost: Costs) -> None:
        plan = cost("l40s", 4, currency="EUR", usd_per_unit=1.1)
        assert (plan.currency, plan.usd_per_unit) == ("EUR", 1.1)
        assert plan.total_usd == cost("l40s", 4).total_usd
        unrated = cost("l40s", 4, currency="EUR")
        assert (unrated.currency, unrated.usd_per_unit) == ("USD", 1.0)
        assert "money_rate_missing" in codes(unrated)

    def test_old_and_weak_prices_are_named(self, cost: Costs) -> None:
        """The price list of L40S is of June, 182 days before; that of H100 of November."""
        (old,) = [each for each in cost("l40s", 4).notes if each.code == "money_old"]
        assert "gpus" in old.values["parts"]
        assert "rent" in old.values["parts"]
        (less,) = [each for each in cost("h100-sxm", 8).notes if each.code == "money_old"]
        assert not {"gpus", "rent"} & set(less.values["parts"])
        (weak,) = [each for each in cost("h100-sxm", 8).notes if each.code == "money_weak"]
        assert "host" in weak.values["parts"]
        assert "gpus" not in weak.values["parts"]


def subscription(gpus: int, usd_per_gpu_hour: float | None = 1) -> LicenseNeed:
    return LicenseNeed(
        license="nvidia-ai-enterprise", name="NVIDIA AI Enterprise", licenses=gpus,
        rule="production", usd_per_year=4_500 * gpus, rented_usd_per_gpu_hour=usd_per_gpu_hour,
        included_years=None, dated=RECENT, is_old=False, sources=("a guide to licences",),
    )  # fmt: skip


def reckoned(load: ServerLoad, upkeep: UpkeepCatalogue, book: PriceBook) -> CostPlan:
    return plan_cost(
        load, MoneyNeeds(), wishes=MoneyWishes(), spending=Spending(), prices=book, upkeep=upkeep,
        today=TODAY,
    )  # fmt: skip


class TestCloud:
    def test_a_year_of_rent(self, cost: Costs) -> None:
        """USD 32 an hour x 8,760 hours = 280,320."""
        plan = cost("h100-sxm", 8)
        assert plan.cloud
        assert plan.cloud.usd_per_year.typical == 280_320
        assert plan.cloud.usd_over_horizon.typical == 5 * 280_320

    def test_the_months_until_owning_is_cheaper(self, cost: Costs) -> None:
        """Purchase over what is saved each month, by hand from the plan's own sums."""
        plan = cost("h100-sxm", 8)
        assert plan.cloud
        assert plan.cloud.break_even_months
        bought_usd, year = plan.years[0].total_usd, plan.years[1].total_usd
        assert bought_usd
        assert year
        assert plan.cloud.break_even_months.typical == pytest.approx(
            bought_usd.typical / ((280_320 - year.typical) / 12)
        )
        reach = plan.cloud.break_even_months
        assert reach.low
        assert reach.typical
        assert reach.high
        assert reach.low < reach.typical < reach.high

    def test_at_the_hours_of_break_even_both_cost_the_same(self, cost: Costs) -> None:
        """Asked again with those hours of use a day, all years of both cost as much."""
        first = cost("h100-sxm", 8)
        assert first.cloud
        assert first.cloud.break_even_hours_per_day
        hours = first.cloud.break_even_hours_per_day.typical
        assert first.cloud.break_even_share
        assert first.cloud.break_even_share.typical == pytest.approx(hours / 24)
        again = cost("h100-sxm", 8, spending=Spending(hours_per_day=hours))
        assert again.cloud
        assert again.total_usd
        assert again.cloud.usd_over_horizon.typical == pytest.approx(again.total_usd.typical)

    def test_rent_that_is_never_dearer(self, cost: Costs) -> None:
        """A card for USD 0.5 an hour is 4,380 a year: staff alone costs more."""
        cheap = replace(BOOK, lists=(rented("l4", 1, 0.5),))
        plan = cost("l4", 1, book=cheap)
        assert plan.cloud
        assert plan.cloud.break_even_months
        assert plan.cloud.break_even_months.typical is None
        assert plan.cloud.break_even_share
        assert plan.cloud.break_even_share.typical > 1

    def test_nobody_rents_it(self, cost: Costs) -> None:
        assert cost("rtx-5090", 2).cloud is None

    def test_a_subscription_without_an_hourly_price_is_not_rented(self, cost: Costs) -> None:
        needs = MoneyNeeds(licenses=(subscription(8, usd_per_gpu_hour=None),))
        plan = cost("h100-sxm", 8, needs=needs)
        assert plan.cloud
        assert "licenses" not in by_code(plan.cloud.lines)

    def test_growth_and_spares_are_not_rented(self, cost: Costs) -> None:
        """3 servers, 1 of them for later years, and a spare: 2 are rented."""
        plan = cost("h100-sxm", 8, 3, spare=1, needs=MoneyNeeds(growth_servers=1))
        assert plan.cloud
        assert plan.cloud.rental.instances == 2
        assert "money_cloud_bare" in codes(plan)

    def test_licences_on_rented_gpus(self, cost: Costs) -> None:
        """USD 1 x 8 GPUs x 8,760 hours beside the rent."""
        plan = cost("h100-sxm", 8, needs=MoneyNeeds(licenses=(subscription(8),)))
        assert plan.cloud
        assert by_code(plan.cloud.lines)["licenses"].usd.typical == 8 * 8_760

    def test_a_copy_over_several_servers_is_rented_as_one(
        self, catalogue: Catalogue, cost: Costs
    ) -> None:
        """16 GPUs of one copy: two instances of eight, though an instance of one is cheaper."""
        book = replace(BOOK, lists=(rented("h100-sxm", 8, 32.0), rented("h100-sxm", 1, 1.0)))
        load = ServerLoad(
            gpu=catalogue.gpus["h100-sxm"], gpus=8, servers=2, spans_servers=True,
            models=(model(gpus=8),),
        )  # fmt: skip
        plan = reckoned(load, cost.upkeep, book)
        assert plan.cloud
        assert (plan.cloud.rental.instances, plan.cloud.rental.gpus) == (2, 16)

    def test_models_that_share_a_server_are_rented_as_that_server(
        self, catalogue: Catalogue, cost: Costs
    ) -> None:
        """Two models of one GPU each: which cards they share is the server's affair."""
        book = replace(BOOK, lists=(rented("l40s", 4, 8.0), rented("l40s", 1, 0.1)))
        load = ServerLoad(gpu=catalogue.gpus["l40s"], gpus=4, servers=1, models=(model(), model()))
        plan = reckoned(load, cost.upkeep, book)
        assert plan.cloud
        assert plan.cloud.rental.gpus == 4


QUOTE = ApiQuote(
    source="a table 1.0", dated=RECENT, hosts=3,
    input_low_usd_per_million_tokens=0.1, input_usd_per_million_tokens=0.6,
    input_high_usd_per_million_tokens=1.0, output_low_usd_per_million_tokens=0.2,
    output_usd_per_million_tokens=0.8, output_high_usd_per_million_tokens=2.0,
)  # fmt: skip


class TestTokens:
    def test_what_hosts_ask_for_the_same_tokens(self, cost: Costs) -> None:
        """A quarter written: 0.6 x 3/4 + 0.8 x 1/4 = 0.65 for a million; 10^10 tokens: 6,500."""
        tokens = TokenLoad(tokens_per_year=1e10, written_share=0.25)
        plan = cost(
            "h100-sxm", 8, needs=MoneyNeeds(tokens=tokens), spending=Spending(api_quote=QUOTE)
        )
        assert plan.by_token
        assert plan.by_token.usd_per_million_tokens.typical == pytest.approx(0.65)
        assert plan.by_token.usd_per_year
        assert plan.by_token.usd_per_year.typical == pytest.approx(6_500)
        assert plan.total_usd
        monthly = plan.total_usd.typical / 60 / 0.65 * 1e6
        assert plan.by_token.break_even_tokens_per_month.typical == pytest.approx(monthly)
        assert plan.by_token.break_even_share is None

    def test_the_share_of_what_the_servers_would_do(self, cost: Costs) -> None:
        full = Estimate(low=1e11, typical=2e11, high=4e11)
        tokens = TokenLoad(full_tokens_per_year=full, written_share=0.25)
        plan = cost(
            "h100-sxm", 8, needs=MoneyNeeds(tokens=tokens), spending=Spending(api_quote=QUOTE)
        )
        assert plan.by_token
        assert plan.by_token.break_even_share
        assert plan.by_token.break_even_share.typical == pytest.approx(
            plan.by_token.break_even_tokens_per_month.typical * 12 / 2e11
        )
        assert plan.by_token.usd_per_year is None

    def test_without_a_quote_or_a_price_there_is_nothing_to_set_beside(self, cost: Costs) -> None:
        tokens = MoneyNeeds(tokens=TokenLoad(written_share=0.5))
        assert cost("h100-sxm", 8, needs=tokens).by_token is None
        asked = Spending(api_quote=QUOTE)
        assert cost("a100-sxm-80", 8, needs=tokens, spending=asked).by_token is None


class TestReserveAndBudget:
    def test_what_growth_and_spares_cost(self, cost: Costs) -> None:
        """A quarter each of all four servers' purchase and years, electricity left out."""
        plan = cost("h100-sxm", 8, 3, spare=1, needs=MoneyNeeds(growth_servers=1))
        electricity = by_code(plan.years[1].lines)["electricity"].usd.typical
        assert plan.total_usd
        quarter = (plan.total_usd.typical - 5 * electricity) / 4
        assert [(each.code, each.servers) for each in plan.reserves] == [
            ("growth", 1),
            ("spare", 1),
        ]
        for reserve in plan.reserves:
            assert reserve.usd_over_horizon.typical == pytest.approx(quarter)
        assert cost("h100-sxm", 8).reserves == ()

    @pytest.mark.parametrize(
        ("budget", "verdict"),
        [
            (56_700, BudgetVerdict.KEPT),  # 34,000 + 22,667 at most
            (56_600, BudgetVerdict.NEAR),
            (48_571, BudgetVerdict.BROKEN),  # 34,000 + 14,571.43 at least
            (48_572, BudgetVerdict.NEAR),
        ],
    )
    def test_the_budget_against_the_purchase(
        self, cost: Costs, budget: float, verdict: BudgetVerdict
    ) -> None:
        plan = cost("l40s", 4, budget_usd=budget)
        assert plan.budget
        assert plan.budget.verdict is verdict

    @pytest.mark.parametrize(
        ("budget", "part", "nearest"),
        [
            # One server costs 338,462 as a rule: two for today, one for growth, one spare.
            (1_100_000, "spare_servers", (3, 1, 0)),
            (1_000_000, "growth_reserve", (2, 0, 0)),
            (677_000, "growth_reserve", (2, 0, 0)),
            (676_000, "gpus", (1, 0, 0)),
            (300_000, "gpus", None),
        ],
    )
    def test_what_breaks_it_and_what_would_be_inside(
        self, cost: Costs, budget: float, part: str, nearest: tuple[int, int, int] | None
    ) -> None:
        needs = MoneyNeeds(growth_servers=1)
        plan = cost("h100-sxm", 8, 3, spare=1, needs=needs, budget_usd=budget)
        assert plan.budget
        assert plan.budget.part == part
        found = plan.budget.nearest
        assert (found and (found.servers, found.growth_servers, found.spare_servers)) == nearest
        assert found is None or found.usd.typical <= budget

    def test_a_budget_that_is_kept_has_no_way_out(self, cost: Costs) -> None:
        plan = cost("l40s", 4, budget_usd=60_000)
        assert plan.budget
        assert (plan.budget.part, plan.budget.nearest) == (None, None)
        assert cost("l40s", 4).budget is None

    def test_tax_counts_against_the_budget(self, cost: Costs) -> None:
        """56,700 keeps the plan; with 21 % on top it takes 58,771 at least."""
        plan = cost("l40s", 4, budget_usd=56_700, tax_percent=21)
        assert plan.budget
        assert plan.budget.verdict is BudgetVerdict.BROKEN

    def test_where_renting_is_wanted_a_month_of_rent_is_held_against_it(self, cost: Costs) -> None:
        """280,320 / 12 = 23,360."""
        rent = Spending(means=Means.RENT)
        kept = cost("h100-sxm", 8, spending=rent, budget_usd=23_360).budget
        broken = cost("h100-sxm", 8, spending=rent, budget_usd=23_359).budget
        assert kept
        assert broken
        assert (kept.verdict, kept.part) == (BudgetVerdict.KEPT, None)
        assert (broken.verdict, broken.part) == (BudgetVerdict.BROKEN, "rent")
        unknown = cost("rtx-5090", 2, spending=rent, budget_usd=1_000).budget
        assert unknown
        assert unknown.verdict is BudgetVerdict.UNKNOWN

    def test_a_price_that_is_missing_leaves_the_budget_open(self, cost: Costs) -> None:
        """No price of the cards; the host alone, 10,000 at least, may break it all the same."""
        for budget, verdict in ((50_000, BudgetVerdict.UNKNOWN), (9_000, BudgetVerdict.BROKEN)):
            plan = cost("a100-pcie-80", 2, budget_usd=budget)
            assert plan.budget
            assert plan.budget.verdict is verdict


def test_reasons_that_are_not_money_speak_for_both_sides(cost: Costs) -> None:
    found = cost("l40s", 4).reasons
    own = {each.code for each in found if each.speaks_for is Side.OWN}
    rent = {each.code for each in found if each.speaks_for is Side.RENT}
    assert {
        "residency", "compliance", "rate_limits", "outages", "price_changes", "latency",
    } <= own  # fmt: skip
    assert {"skills", "lead_time"} <= rent
    assert not own & rent


CARDS = st.sampled_from(["h100-sxm", "l40s", "l4", "rtx-pro-6000-ws", "rtx-5090", "m3-ultra"])


@given(
    gpu=CARDS,
    gpus=st.integers(1, 8),
    servers=st.integers(1, 6),
    spare=st.integers(0, 2),
    tax=st.sampled_from([None, 10.0, 21.0]),
)
def test_parts_sum_and_bounds_stay_in_order(
    catalogue: Catalogue, gpu: str, gpus: int, servers: int, spare: int, tax: float | None
) -> None:
    plan = Costs(catalogue, load_upkeep())(gpu, gpus, servers, spare=spare, tax_percent=tax)
    for year in plan.years:
        assert year.total_usd
        for bound in ("low", "typical", "high"):
            total = sum(getattr(line.usd, bound) for line in year.lines)
            assert getattr(year.total_usd, bound) == pytest.approx(total)
        for line in year.lines:
            assert line.usd.low <= line.usd.typical <= line.usd.high, line


@given(gpu=CARDS, gpus=st.integers(1, 8), tax=st.sampled_from([None, 21.0]))
def test_more_servers_never_cost_less(
    catalogue: Catalogue, gpu: str, gpus: int, tax: float | None
) -> None:
    cost = Costs(catalogue, load_upkeep())
    totals = [cost(gpu, gpus, servers, tax_percent=tax).total_usd for servers in range(1, 5)]
    for fewer, more in pairwise(totals):
        assert fewer
        assert more
        assert fewer.low < more.low
        assert fewer.typical < more.typical
        assert fewer.high < more.high
