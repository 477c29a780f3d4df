"""Plans with the figures of real machines, as far as a purchase names them."""

from __future__ import annotations

import pytest

from sizing.spec.facts import AcceptanceRun, ChecklistFacts

LLAMA = AcceptanceRun(
    model="Llama 3.1 70B · FP8",
    concurrent_requests=64,
    input_tokens=3072,
    output_tokens=1024,
    least_output_tokens_per_s=1800,
    most_ttft_ms=1400,
    most_itl_ms=34,
    reference_precision="BF16",
)

EIGHT_H100 = ChecklistFacts(
    models=("Llama 3.1 70B · FP8",),
    serves=True,
    trains=False,
    context_tokens=4096,
    concurrent_requests=64,
    growth_percent=30,
    horizon_years=3,
    gpu="H100 SXM 80 GB",
    gpus_per_server=8,
    gpu_memory_gb=80,
    gpu_usable_gib=79.6,
    server_memory_gb=640,
    needed_memory_gb=310,
    gpu_bandwidth_gb_per_s=3350,
    precisions=("FP8", "BF16"),
    compute_capability="8.9",
    needs_gpu_link=True,
    gpu_link="NVLink 4",
    gpu_link_gb_per_s=900,
    gpu_is_passive=True,
    gpu_is_nvidia=True,
    gpu_is_datacenter=True,
    gpu_power_w=700,
    platform="HGX H100 server, 8U",
    spare_servers=1,
    total_servers=3,
    cpu_sockets=2,
    cpu_cores=112,
    ram_gb=2048,
    ram_modules=32,
    ram_module_gb=64,
    ram_channels=16,
    pcie_generation=5,
    pcie_lanes_per_gpu=16,
    free_gpu_slots=0,
    shm_gib=64,
    is_rack_mounted=True,
    os_disks=2,
    os_disk_gb=1920,
    data_disks=8,
    data_disk_gb=3840,
    data_raid="RAID 0",
    data_needed_gb=2100,
    read_gb_per_s=14,
    load_seconds=25,
    network_ports=2,
    network_gbps=100,
    fabric_ports=0,
    network_cables=6,
    server_typical_w=7400,
    server_peak_w=10_200,
    peak_kw=30.6,
    peak_kva=32.2,
    psus=6,
    psu_w=3300,
    psus_needed=4,
    feeds=2,
    circuits_per_feed=3,
    circuit_a=32,
    circuit_v=400,
    circuit_phases=3,
    feed_kw=53.2,
    outlets=18,
    outlet_type="C19",
    heat_kw=30.6,
    heat_btu_per_h=104_407,
    cooling_tons=8.7,
    airflow_m3_per_h=5632,
    airflow_cfm=3315,
    inlet_low_c=5,
    inlet_high_c=30,
    throttle_c=83,
    liquid_required=False,
    rack_units=24,
    racks=1,
    rack_kw=30.6,
    depth_mm=897,
    server_kg=130.45,
    total_kg=391.35,
    systems=("Ubuntu 24.04", "RHEL 9"),
    driver="580",
    compute_stack="CUDA 13",
    container_toolkit="1.18",
    engines=("vLLM",),
    licenses=0,
    purchase_low_usd=700_000,
    purchase_high_usd=1_100_000,
    price_date="2026-09-01",
    support_years=3,
    runs=(LLAMA,),
)


@pytest.fixture
def eight_h100() -> ChecklistFacts:
    return EIGHT_H100


@pytest.fixture
def workstation() -> ChecklistFacts:
    """One workstation with two RTX PRO 6000 on one office circuit, nothing split."""
    return ChecklistFacts(
        gpu="RTX PRO 6000 Blackwell Max-Q 96 GB",
        gpus_per_server=2,
        gpu_memory_gb=96,
        needs_gpu_link=False,
        gpu_is_nvidia=True,
        gpu_is_datacenter=False,
        platform="Tower workstation",
        total_servers=1,
        is_rack_mounted=False,
        feeds=1,
        circuits_per_feed=1,
        circuit_a=16,
        circuit_v=230,
        circuit_phases=1,
        feed_kw=2.9,
        liquid_required=False,
    )


@pytest.fixture(scope="session")
def full_values() -> dict[str, object]:
    """Return a value for each fact."""
    given: dict[str, object] = {
        name: value
        for name, value in EIGHT_H100.model_dump().items()
        if value is not None and name != "runs"
    }
    samples = {
        name: _sample(str(field.annotation))
        for name, field in ChecklistFacts.model_fields.items()
        if name != "runs"
    }
    return samples | given


def _sample(annotation: str) -> object:
    if "tuple" in annotation:
        return ("one",)
    if "str" in annotation:
        return "one"
    return True if "bool" in annotation else 3
