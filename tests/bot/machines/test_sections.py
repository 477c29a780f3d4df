"""The sections on host, storage and machines; `pytest --snapshot-update` writes the pages."""

from __future__ import annotations

import re

import pytest
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from bot.environment import make_environment
from bot.labels import Labels
from bot.messages import load_messages, read_tables
from sizing.catalogue import Catalogue
from sizing.records import ModelKind
from sizing.request import Mode
from sizing.spec import cores, ram
from sizing.spec.host import host_for
from sizing.spec.load import ModelLoad, ServerLoad
from sizing.spec.loading import DRIVES_GB_PER_S
from sizing.spec.machine_kinds import Advice, SlotForm
from sizing.spec.machines import load_servers
from sizing.spec.platform import platforms_for
from sizing.spec.storage import storage_for
from sizing.spec.wishes import HostWishes, StorageWishes

GB = 10**9
MACHINES = load_servers()
SECTIONS = ("host", "storage", "platform")


class MarkdownFile(SingleFileSnapshotExtension):
    """Keeps each page in a file of its own, readable in a review."""

    file_extension = "md"
    _file_extension = "md"
    _write_mode = WriteMode.TEXT


def model(size_gb: float, **more: object) -> ModelLoad:
    size_bytes = round(size_gb * GB)
    values = {
        "name": "Llama 3.1 70B", "model_id": None, "kind": ModelKind.LLM, "precision": "fp8",
        "engine": "vllm", "mode": Mode.INFER, "parameters": size_bytes,
        "weights_bytes": size_bytes, "checkpoint_bytes": size_bytes, "copies": 1,
        "gpus_per_copy": 1,
    }  # fmt: skip
    return ModelLoad(**{**values, **more})


def sections(load: ServerLoad, catalogue: Catalogue, language: str, wishes: HostWishes) -> str:
    storage = storage_for(load, StorageWishes())
    host = host_for(load, wishes, MACHINES, data_drives=storage.data_drives)
    platform = platforms_for(load, wishes, MACHINES, host=host, storage=storage)
    environment = make_environment(load_messages(language, Labels(catalogue)))
    values = {"host": host, "storage": storage, "platform": platform}
    pages = [environment.get_template(f"spec_{name}.md.j2").render(**values) for name in SECTIONS]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(pages))


LOADS = {
    "eight_h100": ("h100-sxm", 8, {"size_gb": 70, "gpus_per_copy": 8}, HostWishes()),
    "four_l40s": ("l40s", 4, {"size_gb": 70, "gpus_per_copy": 4}, HostWishes()),
    "two_rtx_pro_6000": ("rtx-pro-6000-ws", 2, {"size_gb": 70, "gpus_per_copy": 2}, HostWishes()),
    "one_spark": ("gb10", 1, {"size_gb": 70}, HostWishes()),
    "training": (
        "h100-sxm", 8, {"size_gb": 16, "mode": Mode.FULL, "gpus_per_copy": 8}, HostWishes(),
    ),
    "too_little": (
        "l40s", 8, {"size_gb": 300, "gpus_per_copy": 8},
        HostWishes(ram_gb=128, cpu_cores=8, platform="R760xa"),
    ),
    "none_listed": ("rtx-4090", 4, {"size_gb": 70, "gpus_per_copy": 4}, HostWishes()),
}  # fmt: skip


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("name", LOADS)
def test_sections(catalogue: Catalogue, name: str, language: str, snapshot) -> None:
    gpu, gpus, values, wishes = LOADS[name]
    load = ServerLoad(gpu=catalogue.gpus[gpu], gpus=gpus, servers=1, models=(model(**values),))
    text = sections(load, catalogue, language, wishes)
    assert text == snapshot.use_extension(MarkdownFile)


def test_every_rule_and_kind_has_a_word(catalogue: Catalogue) -> None:
    tables = read_tables("en")
    built = model(70, engine="trtllm", gpus_per_copy=4)
    load = ServerLoad(gpu=catalogue.gpus["l40s"], gpus=4, servers=1, models=(built,))
    trained = model(70, mode=Mode.LORA)
    training = load.model_copy(update={"models": (trained,)})
    rules = {rule.code for rule in ram.ram_rules(load)}
    counts = {rule.code for one in (load, training) for rule in cores.core_rules(one)}
    assert tables["ram_rules"].keys() == rules | {"given", "built_in"}
    assert tables["core_rules"].keys() == counts | {"given"}
    assert tables["slot_forms"].keys() == {form.value for form in SlotForm}
    assert tables["drive_kinds"].keys() == DRIVES_GB_PER_S.keys()
    assert {f"platform_{advice.value}" for advice in Advice} <= tables["platform"].keys()
