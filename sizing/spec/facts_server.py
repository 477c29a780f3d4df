"""Facts of a plan that a purchase names: the load, the GPUs and the servers around them."""

from __future__ import annotations

from sizing.records import Count, Name, Positive, PositiveCount, Record

Names = tuple[Name, ...]


class LoadFacts(Record):
    """What the servers are bought for."""

    models: Names | None = None
    """Models with their precision, as people read them."""

    serves: bool | None = None
    """Whether models answer requests there."""

    trains: bool | None = None
    """Whether models are fine-tuned there."""

    context_tokens: PositiveCount | None = None
    """Longest request, prompt and answer together, tokens."""

    concurrent_requests: PositiveCount | None = None
    """Requests in flight at the peak, all models together."""

    people: PositiveCount | None = None
    """People who use it."""

    ttft_target_ms: Positive | None = None
    """First token wished within, ms."""

    itl_target_ms: Positive | None = None
    """Time between tokens wished, ms."""

    growth_percent: float | None = None
    """More load each year, per cent of the year before."""

    horizon_years: Positive | None = None
    """Years the purchase has to last."""

    reserve_percent: float | None = None
    """Capacity above today's load, per cent of it."""


class GpuFacts(Record):
    """The accelerators."""

    gpu: Name | None = None
    """Accelerator, as people read it."""

    gpus_per_server: PositiveCount | None = None
    """Accelerators in one server."""

    gpu_memory_gb: Positive | None = None
    """Memory of one as marketed, GB."""

    gpu_usable_gib: Positive | None = None
    """Memory the driver shows of one, GiB."""

    needed_memory_gb: Positive | None = None
    """Memory that the load takes, all GPUs of all servers together, high bound, GB."""

    server_memory_gb: Positive | None = None
    """Memory of all GPUs of one server, GB."""

    gpu_bandwidth_gb_per_s: Positive | None = None
    """Memory bandwidth of one, GB/s."""

    gpu_equivalents: Names | None = None
    """Other sets that hold the load, as people read them."""

    precisions: Names | None = None
    """Precisions that must run in hardware, as people read them."""

    compute_capability: Name | None = None
    """Least CUDA compute capability those precisions need."""

    gpu_has_link: bool | None = None
    """Whether the GPUs have a link of their own beside PCI Express."""

    gpu_link: Name | None = None
    """Link between the GPUs of a server, where there is one."""

    gpu_link_gb_per_s: Positive | None = None
    """Bandwidth of that link, both directions, GB/s."""

    needs_gpu_link: bool | None = None
    """Whether a model is split, so that the link counts."""

    gpu_is_passive: bool | None = None
    """Whether the cards have no fan of their own."""

    gpu_is_nvidia: bool | None = None
    """Whether NVIDIA makes them, so that its tools test them."""

    gpu_is_datacenter: bool | None = None
    """Whether they are made for data centres, so that all levels of diagnostics run."""

    gpu_power_w: Positive | None = None
    """Power limit of one, W."""


class NodeFacts(Record):
    """One server."""

    platform: Name | None = None
    """Server or workstation, or its class, as people read it."""

    spare_servers: Count | None = None
    """Servers that wait for one of them to fail."""

    total_servers: PositiveCount | None = None
    """Servers to be bought."""

    cpu_sockets: PositiveCount | None = None
    """Processors in one server."""

    cpu_cores: PositiveCount | None = None
    """Cores in one server, all processors together."""

    ram_gb: Positive | None = None
    """Memory of one server, GB."""

    ram_modules: PositiveCount | None = None
    """Memory modules in one server."""

    ram_module_gb: Positive | None = None
    """Memory of one module, GB."""

    ram_channels: PositiveCount | None = None
    """Memory channels of one server, all populated."""

    pcie_generation: PositiveCount | None = None
    """PCI Express generation of the slots."""

    pcie_lanes_per_gpu: PositiveCount | None = None
    """Lanes each GPU has to the host."""

    free_gpu_slots: Count | None = None
    """Places for more GPUs in one server."""

    shm_gib: Positive | None = None
    """Shared memory of the engines' containers, GiB."""

    is_rack_mounted: bool | None = None
    """Whether it stands in a rack, not under a desk."""


class StorageFacts(Record):
    """Disks of one server, and what is kept elsewhere."""

    os_disks: PositiveCount | None = None
    """Mirrored disks for the system."""

    os_disk_gb: Positive | None = None
    """Capacity of one of them, GB."""

    data_disks: PositiveCount | None = None
    """NVMe disks for models and data."""

    data_disk_gb: Positive | None = None
    """Capacity of one of them, GB."""

    data_raid: Name | None = None
    """RAID level of the data disks; None where it is not known, or there is none."""

    data_is_single: bool | None = None
    """Whether the data disks work each for itself."""

    kept_disks: Count | None = None
    """NVMe disks for what cannot be downloaded again; 0 for none of their own."""

    kept_disk_gb: Positive | None = None
    """Capacity of one of them, GB."""

    kept_raid: Name | None = None
    """RAID level of those."""

    data_needed_gb: Positive | None = None
    """What models, data sets, checkpoints and logs take, GB."""

    read_gb_per_s: Positive | None = None
    """Sequential read rate, GB/s."""

    load_seconds: Positive | None = None
    """Time in which the largest model is loaded, seconds."""

    backup_gb: Positive | None = None
    """What cannot be downloaded again and needs a copy elsewhere, GB."""


class NetworkFacts(Record):
    """Network of one server."""

    network_ports: PositiveCount | None = None
    """Ports of one server for data."""

    network_gbps: Positive | None = None
    """Rate of one port, Gbit/s."""

    fabric_ports: Count | None = None
    """Ports of one server for traffic between GPUs of several servers; 0 for one server."""

    fabric_gbps: Positive | None = None
    """Rate of one such port, Gbit/s."""

    network_cables: Count | None = None
    """Cables, or pairs of transceivers and fibre, for the data and fabric ports of all servers."""
