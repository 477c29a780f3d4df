"""Subscriptions that the engines need, counted by GPU."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from sizing.buying import FRESH
from sizing.notes import Note, note
from sizing.spec.engine_facts import LicenseRecord
from sizing.spec.load import ServerLoad
from sizing.spec.software_facts import SoftwareCatalogue
from sizing.spec.software_plan import LicenseNeed
from sizing.spec.wishes import SoftwareWishes


def licenses_of(
    load: ServerLoad, wishes: SoftwareWishes, *, facts: SoftwareCatalogue, today: date
) -> tuple[LicenseNeed, ...]:
    """Return the subscriptions of the engines, one for each GPU of all servers, spare ones too."""
    engines = {model.engine for model in load.models}
    needed = (record for record in facts.license if engines & set(record.engines))
    return tuple(_need(record, load, wishes, today) for record in needed)


def _need(
    record: LicenseRecord, load: ServerLoad, wishes: SoftwareWishes, today: date
) -> LicenseNeed:
    gpus = load.gpus * (load.servers + load.spare_servers)
    included = load.gpu.id in record.included_with
    rule = "trial" if not wishes.production else "included" if included else "production"
    count = gpus if rule == "production" else 0
    price = record.usd_per_gpu_year
    if wishes.reduced_license and record.education_usd_per_gpu_year:
        price = record.education_usd_per_gpu_year
    return LicenseNeed(
        license=record.id,
        name=record.name,
        licenses=count,
        rule=rule,
        usd_per_year=price * count or None,
        rented_usd_per_gpu_hour=record.cloud_usd_per_gpu_hour if wishes.production else None,
        included_years=record.included_years if rule == "included" else None,
        dated=record.dated,
        is_old=today - record.dated > FRESH,
        sources=record.sources,
    )


def license_notes(load: ServerLoad, facts: SoftwareCatalogue) -> Iterator[Note]:
    """Warn of cards that a subscription does not support."""
    engines = {model.engine for model in load.models}
    for record in facts.license:
        if engines & set(record.engines) and load.gpu.segment in record.not_for_segments:
            yield note("software_license_not_for_card", license=record.name, gpu=load.gpu.id)
