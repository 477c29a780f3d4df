"""Host memory: the rules, which of them decides, and the modules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sizing.request import Mode
from sizing.spec.machines import CpuRecord, MachineFile, load_servers
from sizing.spec.ram import deciding, dimms_for, practised_ratio, ram_rules, shared_memory_gb

GB = 10**9
MACHINES = load_servers()


def rules_by_code(load):
    return {rule.code: rule for rule in ram_rules(load)}


def test_rules_of_a_405_billion_model_on_eight_gpus(load, model) -> None:
    """2 x 406 = 812 GB; load: 10 system + 16 shared + 406 = 432; NIM: 10 + 16 + 2 x 405 = 836.

    Eight cards of 81,559 MiB are 684.2 GB. The last two are quoted: no NIM runs, nothing trains.
    """
    server = load("h100-sxm", 8, model(406, parameters=405 * GB, gpus_per_copy=8))
    rules = rules_by_code(server)
    assert {code: (rule.ram_gb, rule.binds) for code, rule in rules.items()} == {
        "floor_32": (32, True),
        "floor_64": (64, True),
        "floor_64_several": (64, True),
        "floor_128": (128, True),
        "twice_weights": (812, True),
        "load_peak": (432, True),
        "nim_rule": (836, False),
        "gpu_memory": (684.2, False),
    }
    assert deciding(ram_rules(server)).code == "twice_weights"


def test_one_small_model_on_one_gpu_meets_the_floor_of_the_second_article(load, model) -> None:
    """2 x 8 = 16 GB; 10 + 1 + 8 = 19 GB: less than 64."""
    server = load("l4", 1, model(8))
    rules = rules_by_code(server)
    assert rules["load_peak"].ram_gb == 19
    assert not rules["floor_64_several"].binds
    assert not rules["floor_128"].binds
    assert deciding(ram_rules(server)).code == "floor_64"


@pytest.mark.parametrize(("copies", "binds"), [(1, False), (2, True)])
def test_several_containers_on_one_gpu_ask_for_64(load, model, copies: int, binds: bool) -> None:
    """First article: 64 GB or more with several GPUs or several containers."""
    server = load("l40s", 1, model(8, copies=copies))
    assert rules_by_code(server)["floor_64_several"].binds is binds


def test_nim_decides_where_weights_are_small_beside_their_parameters(load, model) -> None:
    """70 billion parameters in 4 bits, 40 GB: 10 + 16 + 140 = 166 GB, above 2 x 40 and 128."""
    nim = model(40, parameters=70 * GB, engine="nim", gpus_per_copy=2)
    rule = deciding(ram_rules(load("l40s", 2, nim)))
    assert (rule.code, rule.ram_gb) == ("nim_rule", 166)
    assert [(part.code, part.size_gb) for part in rule.parts] == [
        ("system", 10), ("containers", 16), ("parameters", 140),
    ]  # fmt: skip


def test_each_nim_container_counts(load, model) -> None:
    """Four containers of 8 billion: 10 + 4 x 16 + 4 x 16 = 138 GB."""
    server = load("l40s", 4, model(8, parameters=8 * GB, engine="nim", copies=4))
    assert rules_by_code(server)["nim_rule"].ram_gb == 138


def test_building_an_engine_takes_what_its_gpus_have(load, model) -> None:
    """10 + 4 x 48.3 GB (46,068 MiB) = 203.2 GB for a TensorRT-LLM model over four L40S."""
    built = load("l40s", 4, model(70, engine="trtllm", gpus_per_copy=4))
    rule = rules_by_code(built)["engine_build"]
    assert (rule.ram_gb, rule.binds) == (203.2, True)
    nim = load("l40s", 4, model(70, engine="nim", gpus_per_copy=4))
    assert not rules_by_code(nim)["engine_build"].binds
    assert "engine_build" not in rules_by_code(load("l40s", 4, model(70, gpus_per_copy=4)))


def test_training_asks_for_as_much_as_the_gpus_have(load, model) -> None:
    """684.2 GB on eight H100, above 2 x 16 GB of weights and 100 GB of offloaded states."""
    run = model(16, mode=Mode.FULL, gpus_per_copy=8, training_host_bytes=100 * GB)
    server = load("h100-sxm", 8, run)
    assert deciding(ram_rules(server)).code == "gpu_memory"
    assert rules_by_code(server)["twice_weights"].ram_gb == 132


def test_a_cache_in_host_memory_comes_on_top(load, model) -> None:
    """2 x 70 + 200 GB; load: 10 + 16 + 70 + 200."""
    rules = rules_by_code(
        load("h100-sxm", 4, model(70, gpus_per_copy=4, host_cache_bytes=200 * GB))
    )
    assert rules["twice_weights"].ram_gb == 340
    assert rules["load_peak"].ram_gb == 296


def test_copies_share_the_weights_that_are_read(load, model) -> None:
    """Eight copies of one model are read from one file: 2 x 70 GB, not 16 x 70."""
    assert rules_by_code(load("h200-sxm", 8, model(70, copies=8)))["twice_weights"].ram_gb == 140


def test_a_copy_over_servers_keeps_no_more_than_their_gpus_hold(load, model) -> None:
    """1,342 GB over two servers of 8 x 141 GB (150.75 GB usable): 2 x 1,206.0 GB."""
    wide = model(1342, gpus_per_copy=8)
    server = load("h200-sxm", 8, wide, servers=2, spans_servers=True)
    assert rules_by_code(server)["twice_weights"].ram_gb == round(
        2 * 8 * server.gpu.usable_bytes / GB, 1
    )


def test_shared_memory_of_containers(load, model) -> None:
    """16 GB for each of two that use two GPUs, 1 GB for each of three that use one."""
    server = load("l40s", 7, model(70, copies=2, gpus_per_copy=2), model(8, copies=3))
    assert shared_memory_gb(server) == 35


def test_memory_that_is_shared_holds_the_weights_once(load, model) -> None:
    """10 + 1 + 70 = 81 GB of the 128 of a DGX Spark; no floor and no doubling."""
    rules = ram_rules(load("gb10", 1, model(70)))
    assert [rule.code for rule in rules if rule.binds] == ["load_peak"]
    assert deciding(rules).ram_gb == 81


def test_practice_of_eight_gpus_is_that_of_eight_gpu_hosts(load, model) -> None:
    eight, four = load("h100-sxm", 8, model(1)), load("h100-sxm", 4, model(1))
    assert (practised_ratio(eight).typical, practised_ratio(four).typical) == (1.5, 1.82)
    assert practised_ratio(load("gb10", 1, model(1))) is None


def cpu(machines: MachineFile, name: str) -> CpuRecord:
    return next(record for record in machines.cpu if record.id == name)


@pytest.mark.parametrize(
    ("name", "sockets", "ram_gb", "modules", "module_gb"),
    [
        ("xeon-4", 2, 812, 16, 64),  # 16 channels x 32 = 512 is too little, x 64 = 1,024
        ("xeon-4", 2, 1024, 16, 64),  # exactly
        ("xeon-4", 2, 1025, 16, 96),  # one GB more: 1,536
        ("xeon-4", 2, 2049, 32, 96),  # 16 x 128 = 2,048 is too little: two on each channel
        ("epyc-9004", 1, 140, 12, 16),  # 12 channels: 192
        ("epyc-9004", 2, 812, 24, 64),  # 24 x 32 = 768 is too little
        ("ryzen-7000", 1, 64, 2, 32),
        ("ryzen-7000", 1, 65, 4, 32),
    ],
)
def test_modules_fill_all_channels_alike(
    machines: MachineFile, name: str, sockets: int, ram_gb: float, modules: int, module_gb: int
) -> None:
    dimms = dimms_for(ram_gb, cpu(machines, name), sockets)
    assert dimms is not None
    assert (dimms.modules, dimms.module_gb) == (modules, module_gb)
    assert dimms.ram_gb == modules * module_gb


def test_no_modules_where_the_sockets_take_less(machines: MachineFile) -> None:
    """Four modules of 32 GB are 128."""
    assert dimms_for(129, cpu(machines, "ryzen-7000"), 1) is None


@given(ram_gb=st.floats(1, 6000), more_gb=st.floats(0, 100))
def test_more_memory_never_takes_less(ram_gb: float, more_gb: float) -> None:
    xeon = cpu(MACHINES, "xeon-4")
    first, second = dimms_for(ram_gb, xeon, 2), dimms_for(ram_gb + more_gb, xeon, 2)
    if second is None:
        return
    assert first is not None
    assert ram_gb <= first.ram_gb <= second.ram_gb
    assert first.modules % xeon.memory_channels == 0


@given(gpus=st.sampled_from([1, 2, 4, 8]), size_gb=st.floats(1, 500))
def test_parts_sum_and_more_gpus_never_ask_for_less(gpus: int, size_gb: float, load, model) -> None:
    few = ram_rules(load("h100-sxm", gpus, model(size_gb, gpus_per_copy=gpus)))
    many = ram_rules(load("h100-sxm", 2 * gpus, model(size_gb, gpus_per_copy=2 * gpus)))
    for rule in few:
        assert rule.ram_gb == pytest.approx(sum(part.size_gb for part in rule.parts), abs=0.05)
    assert deciding(many).ram_gb >= deciding(few).ram_gb
