"""A checklist with the figures of three servers of eight H100, and one without any."""

from __future__ import annotations

import pytest

from sizing.spec.checklist import checklist_of
from sizing.spec.facts import AcceptanceRun, ChecklistFacts

FACTS = ChecklistFacts(
    models=("Llama 3.1 70B · FP8", "BGE-M3 · FP16"),
    serves=True,
    trains=False,
    context_tokens=4096,
    concurrent_requests=64,
    growth_percent=12.5,
    horizon_years=3,
    spare_servers=1,
    gpu="H100 SXM 80 GB",
    gpus_per_server=8,
    gpu_memory_gb=80,
    gpu_usable_gib=79.6,
    server_memory_gb=640,
    needed_memory_gb=310.5,
    gpu_bandwidth_gb_per_s=3350,
    precisions=("FP8", "BF16"),
    needs_gpu_link=True,
    gpu_link="NVLink 4",
    gpu_link_gb_per_s=900,
    gpu_is_nvidia=True,
    gpu_is_datacenter=True,
    platform="HGX H100, 8U",
    total_servers=3,
    cpu_sockets=2,
    cpu_cores=112,
    ram_gb=2048,
    ram_modules=32,
    ram_module_gb=64,
    ram_channels=16,
    is_rack_mounted=True,
    data_disks=8,
    data_disk_gb=3840,
    data_raid="RAID 0",
    psus=6,
    psu_w=3300,
    psus_needed=4,
    server_typical_w=7400,
    server_peak_w=10_200,
    feeds=2,
    circuits_per_feed=2,
    circuit_a=32,
    circuit_v=230,
    circuit_phases=1,
    feed_kw=5.1,
    heat_kw=30.6,
    heat_btu_per_h=104_407,
    cooling_tons=8.7,
    liquid_required=False,
    licenses=24,
    license_name="NVIDIA AI Enterprise",
    license_years=1,
    purchase_low_usd=700_000,
    purchase_high_usd=1_100_000,
    price_date="2026-09-01",
    runs=(
        AcceptanceRun(
            model="Llama 3.1 70B · FP8",
            concurrent_requests=64,
            input_tokens=3072,
            output_tokens=1024,
            least_output_tokens_per_s=1800,
            most_ttft_ms=1400,
            most_itl_ms=34.5,
            reference_precision="BF16",
        ),
    ),
)


@pytest.fixture(scope="session")
def facts():
    return FACTS


@pytest.fixture(scope="session")
def filled():
    return checklist_of(FACTS)


@pytest.fixture(scope="session")
def empty():
    return checklist_of(ChecklistFacts())


@pytest.fixture(params=["en", "es"])
def language(request):
    return request.param
