"""The loader: what it reads, and that it refuses every breach of a rule by file and entry."""

from __future__ import annotations

import shutil
import tomllib
import types
import typing
from datetime import date
from importlib import metadata
from pathlib import Path

import pytest
from pydantic import BaseModel

import sizing
from sizing import records
from sizing.catalogue import SERVER_FACTS, Catalogue, data_dir, load_catalogue
from sizing.catalogue_rules import name_key
from sizing.errors import CatalogueError
from sizing.units import UNIT_SUFFIXES

SOURCED = 'sources = ["somewhere"]\nchecked = 2026-11-30\n'

GPU = f"""
[[gpu]]
id = "card-24"
name = "Card 24 GB"
vendor = "Maker"
family = "card"
family_default = true
aliases = ["card-24gb"]
segment = "datacenter"
architecture = "ada"
memory_gb = 24
usable_mib = 23_028
usable_is_measured = true
memory_type = "GDDR6"
bandwidth_gb_per_s = 300
in_production = true
{SOURCED}
[[gpu]]
id = "card-48"
name = "Card 48 GB"
vendor = "Maker"
family = "card"
segment = "datacenter"
architecture = "hopper"
memory_gb = 48
usable_mib = 46_068
usable_is_measured = true
memory_type = "GDDR6"
bandwidth_gb_per_s = 800
in_production = true
{SOURCED}"""

MODEL = f"""
[[model]]
id = "tiny-1b"
name = "Tiny 1B"
family = "tiny"
kind = "llm"
hf_id = "someone/tiny-1b"
aliases = ["tiny"]
alternatives = ["tiny-2b"]
max_context_tokens = 2048
native_precision = "bf16"
license = "MIT"
release = "2025-01"
{SOURCED}
[model.architecture]
layers = 2
hidden_size = 64
heads = 4
kv_heads = 2
head_dim = 16
ffn_size = 128
vocabulary_size = 1000
tied_embeddings = false
attention = "gqa"

[[model]]
id = "tiny-2b"
name = "Tiny 2B"
family = "tiny"
kind = "llm"
hf_id = "someone/tiny-2b"
max_context_tokens = 2048
native_precision = "bf16"
license = "MIT"
release = "2025-02"
{SOURCED}
[model.architecture]
layers = 4
hidden_size = 64
heads = 4
kv_heads = 2
head_dim = 16
ffn_size = 128
vocabulary_size = 1000
tied_embeddings = false
attention = "gqa"
"""

PRECISIONS = f"""
[[precision]]
id = "bf16"
name = "BF16"
aliases = ["bfloat16"]
scheme = "float"
nominal_bits = 16
weight_bits = 16
quantised_groups = ["attention", "ffn"]
engines = ["server"]
native_on = ["ada"]
storage_only_on = ["hopper"]
instead = ["fp32"]
{SOURCED}
[[precision]]
id = "fp32"
name = "FP32"
scheme = "float"
nominal_bits = 32
weight_bits = 32
quantised_groups = ["attention", "ffn"]
engines = ["server"]
native_on = ["ada"]
{SOURCED}
[[kv_precision]]
id = "fp16"
name = "16 bits"
element_bits = 16
engines = ["server"]
runs_on = ["hopper"]
{SOURCED}"""


def _overhead() -> str:
    gib = "{ low_gib = 0.1, typical_gib = 0.2, high_gib = 0.3 }"
    ranges = "\n".join(
        f"{name} = {gib}"
        for name, field in records.OverheadRecord.model_fields.items()
        if field.annotation is records.GibRange
    )
    step = (
        "step.batch = { low_tokens = 1, typical_tokens = 2, high_tokens = 3 }\n"
        "step.sampler = { low_bytes_per_entry = 1, typical_bytes_per_entry = 2, "
        "high_bytes_per_entry = 3 }"
    )
    return f"[engine.overhead]\n{step}\n{ranges}\n"


ENGINES = f"""
[[engine]]
id = "lender"
name = "Lender"
sized_as = "server"
default_memory_fraction = 0.9
kv_block_tokens = 16
split = "tensor"
runs_on = ["ada"]
max_tensor_parallel = 8
{SOURCED}
[[engine]]
id = "server"
name = "Server"
sized_as = "server"
default_memory_fraction = 0.9
kv_block_tokens = 16
split = "tensor"
runs_on = ["ada", "hopper"]
max_tensor_parallel = 8
{SOURCED}
{_overhead()}"""

PROCESSORS = f"""
[[processor]]
id = "eye"
name = "Eye"
{SOURCED}
[processor.image]
kind = "fixed"
image_tokens = 256
"""


def _efficiency() -> str:
    tables = [
        f"[{form}.coefficients.{name}]\nbase = 1"
        for form in ("batched", "single")
        for name in typing.get_args(records.CoefficientName)
    ]
    return "\n".join([SOURCED, *tables, "[single.coefficients.compute.effects.family]\nada = 0.9"])


THROUGHPUT = f"""
{SOURCED}
power = 0.4

[compute]
base = 0.3

[compute.effects.family]
ada = 0.9

[memory]
base = 0.5

[launch]
base = 1e-5

[spreads]
"image/gpu" = {{ low = 0.5, high = 2.0 }}

[rows]
"image/diffusers/ada/sdxl" = 3
"""

TRAINING = f"""
[overheads]
context = {{ low_gib = 0.1, typical_gib = 0.2, high_gib = 0.3 }}
communication = {{ low_gib = 0.0, typical_gib = 0.1, high_gib = 0.2 }}
unusable = {{ low_percent = 0.0, typical_percent = 1.0, high_percent = 2.0 }}

[[framework]]
id = "loop"
name = "Loop"
aliases = ["looper"]
scores = {{ low_bytes_per_entry = 1, typical_bytes_per_entry = 2, high_bytes_per_entry = 3 }}
{SOURCED}
[[framework]]
id = "mesh"
name = "Mesh"
scores = {{ low_bytes_per_entry = 1, typical_bytes_per_entry = 2, high_bytes_per_entry = 3 }}
gradient_bits = 32
{SOURCED}"""

ALONE = ("cloud.toml", "efficiency.toml", "facility.toml", "prices.toml", "throughput.toml")
"""Files whose records have no id, with tests of their own."""

FILES = {
    "gpus/cards.toml": GPU,
    "models/tiny.toml": MODEL,
    "precisions.toml": PRECISIONS,
    "engines.toml": ENGINES,
    "processors.toml": PROCESSORS,
    "efficiency.toml": _efficiency(),
    "throughput.toml": THROUGHPUT,
    "training.toml": TRAINING,
}


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_small_catalogue_loads(tmp_path: Path) -> None:
    """The ground of all tests below: each breaks exactly one thing of it."""
    loaded = load_catalogue(write(tmp_path, FILES))
    assert list(loaded.gpus) == ["card-24", "card-48"]
    assert list(loaded.models) == ["tiny-1b", "tiny-2b"]
    assert loaded.gpus["card-24"].usable_bytes == 23_028 * 2**20
    assert loaded.gpus["card-24"].checked == date(2026, 11, 30)


BREACHES = [
    # file, what stands there, what is put in its place, what the error must name
    ("gpus/cards.toml", "memory_gb = 24", "memory_gigs = 24", "card-24: memory_gb: Field required"),
    ("gpus/cards.toml", "memory_gb = 24", 'memory_gb = "24"', "card-24: memory_gb"),
    ("gpus/cards.toml", "memory_gb = 24", "memory_gb = 0", "card-24: memory_gb"),
    ("gpus/cards.toml", "memory_gb = 24", "memory_gb = 24\ncolour = 1", "card-24: colour: Extra"),
    ("gpus/cards.toml", "usable_mib = 23_028", "usable_mib = 23_028.5", "card-24: usable_mib"),
    ("gpus/cards.toml", 'segment = "datacenter"', 'segment = "moon"', "card-24: segment"),
    ("gpus/cards.toml", '["somewhere"]', "[]", "card-24: sources"),
    ("gpus/cards.toml", '["somewhere"]', '[" "]', "card-24: sources.0"),
    ("gpus/cards.toml", "checked = 2026-11-30", 'checked = "yesterday"', "card-24: checked"),
    ("gpus/cards.toml", "[[gpu]]", "[[cards]]", "cards: Extra inputs"),
    ("gpus/cards.toml", 'id = "card-24"', 'id = "card-99"', "card-48: belongs before card-99"),
    ("gpus/cards.toml", 'id = "card-24"', 'id = "card-48"', "card-48: listed twice"),
    ("gpus/cards.toml", 'id = "card-24"', 'id = "Card-24"', "Card-24: id"),
    ("gpus/cards.toml", 'id = "card-24"', "", "gpu 1: id"),
    ("gpus/cards.toml", '["card-24gb"]', '["card-48"]', "card-48: card-48 also names card-24"),
    ("gpus/cards.toml", '["card-24gb"]', '["c-ard-48"]', "card-48 also names card-24"),
    ("gpus/cards.toml", '["card-24gb"]', '["card-24"]', "card-24: a name is listed twice"),
    ("gpus/cards.toml", '["card-24gb"]', '["x", "x"]', "card-24: a name is listed twice"),
    (
        "gpus/cards.toml",
        'name = "Card 48 GB"',
        'name = "Card 48 GB"\nfamily_default = true',
        "two defaults, card-24 and card-48",
    ),
    (
        "gpus/cards.toml",
        'name = "Card 48 GB"',
        'name = "Card 48 GB"\naliases = ["card"]',
        "card-48: card is the name of a family",
    ),
    ("models/tiny.toml", '"bf16"', '"bf17"', "tiny-1b: no precision is called bf17"),
    (
        "models/tiny.toml",
        'native_precision = "bf16"',
        'native_precision = "bf16"\nnative_groups = { ffn = "bf17" }',
        "tiny-1b: no precision is called bf17",
    ),
    ("models/tiny.toml", '["tiny-2b"]', '["tiny-3b"]', "tiny-1b: no model is called tiny-3b"),
    ("models/tiny.toml", '["tiny-2b"]', '["tiny-1b"]', "tiny-1b: is its own alternative"),
    (
        "models/tiny.toml",
        'precision = "bf16"',
        'precision = "bf16"\ncheckpoints = [{ repository = "a/b", precision = "fp32",'
        ' groups = { ffn = "fp32" }, exceptions = [{ group = "ffn", precision = "fp0" }] }]',
        "tiny-1b: no precision is called fp0",
    ),
    ("models/tiny.toml", '["tiny"]', '["tiny2b"]', "tiny-2b: tiny-2b also names tiny-1b"),
    ("models/tiny.toml", "layers = 2", "layers = 2\nlayer = 2", "tiny-1b: architecture.layer:"),
    ("models/tiny.toml", "layers = 2", "layers = ", "Invalid value"),
    ("precisions.toml", 'engines = ["server"]', "engines = []", "bf16: engines"),
    ("precisions.toml", '["server"]', '["waiter"]', "bf16: no engine is called waiter"),
    ("precisions.toml", 'native_on = ["ada"]', 'native_on = ["eda"]', "no architecture is called"),
    ("precisions.toml", '["hopper"]\ninst', '["ada"]\ninst', "bf16: an architecture is listed twi"),
    ("precisions.toml", '["hopper"]\ninst', '["hoper"]\ninst', "no architecture is called hoper"),
    ("precisions.toml", '["fp32"]', '["fp33"]', "bf16: no precision is called fp33"),
    ("precisions.toml", "scheme", 'specialises = "b"\nscheme', "bf16: no precision is called b"),
    ("precisions.toml", '["bfloat16"]', '["fp-32"]', "fp32: fp32 also names bf16"),
    (
        "precisions.toml",
        'runs_on = ["hopper"]',
        'runs_on = ["hope"]',
        "fp16: no architecture is ca",
    ),
    ("precisions.toml", "16\nengines = [", '16\nengines = ["a",', "fp16: no engine is called a"),
    (
        "engines.toml",
        'runs_on = ["ada"]',
        'runs_on = ["aida"]',
        "lender: no architecture is called",
    ),
    (
        "engines.toml",
        'sized_as = "server"',
        'sized_as = "x"',
        "lender: no overheads are known of x",
    ),
    (
        "engines.toml",
        'name = "Server"\nsized_as = "server"',
        'name = "Server"\nsized_as = "lender"',
        "server: no overheads are known of lender",
    ),
    (
        "engines.toml",
        "typical_gib = 0.2",
        "typical_gib = 0.4",
        "server: activation_floor: low, typ",
    ),
    (
        "models/tiny.toml",
        'native_precision = "bf16"',
        'native_precision = "bf16"\nprocessor = "ear"',
        "tiny-1b: no processor is called ear",
    ),
    (
        "models/tiny.toml",
        'native_precision = "bf16"',
        'native_precision = "bf16"\nprocessor = "eye"\nprocessor_is_published = false',
        "tiny-1b: Value error, a processor that is not published has no id",
    ),
    ("models/tiny.toml", '"llm"', '"vlm"', "tiny-1b: no rule for the tokens of an image"),
    (
        "models/tiny.toml",
        'attention = "gqa"',
        'attention = "gqa"\ngiven_parameters = { vision = 1 }',
        "tiny-1b: no rule for the tokens of an image",
    ),
    (
        "models/tiny.toml",
        'attention = "gqa"',
        'attention = "gqa"\ngiven_parameters = { audio = 1 }',
        "tiny-1b: no rule for the tokens of sound",
    ),
    ("processors.toml", "tokens = 256", "tokens = 0", "eye: image.fixed.image_tokens"),
    ("processors.toml", '"fixed"', '"guessed"', "eye: image"),
    ("training.toml", 'id = "loop"', 'id = "mesh"', "mesh: listed twice"),
    ("training.toml", '["looper"]', '["mesh"]', "mesh: mesh also names loop"),
    ("training.toml", "gradient_bits = 32", "gradient_bits = 64", "mesh: gradient_bits"),
    ("training.toml", "high_percent = 2.0", "high_percent = 0.5", "overheads: unusable: low, typ"),
    ("training.toml", "typical_gib = 0.2", "typical_gib = 0.4", "overheads: context: low, typ"),
    (
        "training.toml",
        "typical_bytes_per_entry = 2",
        "typical_bytes_per_entry = 4",
        "loop: scores: ",
    ),
    ("engines.toml", "split", "default_memory = 1\nsplit", "lender: default_memory: Extra"),
    ("efficiency.toml", '["somewhere"]', "[]", "sources: Tuple should have"),
    ("efficiency.toml", "base = 1", "base = 0", "batched: coefficients: bandwidth: base: Input"),
    ("efficiency.toml", "base = 1", "peak = 1", "batched: coefficients: bandwidth: base: Field"),
    ("efficiency.toml", "batched.coefficients.compute", "batched.coefficients.com", "com: [key]: "),
    ("efficiency.toml", "effects.family", "effects.families", "effects: families"),
    ("efficiency.toml", "ada = 0.9", "ada = -0.9", "effects: family: ada: Input"),
    ("throughput.toml", '["somewhere"]', "[]", "sources: Tuple should have"),
    ("throughput.toml", "power = 0.4", "power = 0", "power: Input"),
    ("throughput.toml", "effects.family", "effects.families", "effects: families"),
    ("throughput.toml", "low = 0.5", "low = -0.5", "spreads: image/gpu: low: Input"),
    (
        "efficiency.toml",
        "[batched.coefficients.stages]\nbase = 1\n",
        "",
        "batched: Value error, stages is missing",
    ),
]


@pytest.mark.parametrize(("file", "old", "new", "named"), BREACHES)
def test_a_breach_is_refused_by_file_and_entry(
    tmp_path: Path, file: str, old: str, new: str, named: str
) -> None:
    text = FILES[file]
    assert old in text
    write(tmp_path, FILES | {file: text.replace(old, new, 1)})
    with pytest.raises(CatalogueError) as refusal:
        load_catalogue(tmp_path)
    assert refusal.value.values["file"] == file
    assert named in str(refusal.value.values["detail"])


def test_a_wrong_table_is_named_when_it_stands_at_the_top(tmp_path: Path) -> None:
    write(tmp_path, FILES | {"engines.toml": f'title = "x"\n{ENGINES}'})
    with pytest.raises(CatalogueError, match="title: Extra inputs"):
        load_catalogue(tmp_path)


@pytest.mark.parametrize("name", ["engine.toml", "gpus/nvidia/cards.toml", "prices/cloud.toml"])
def test_a_file_of_unknown_name_is_refused(tmp_path: Path, name: str) -> None:
    """A misplaced file must not silently drop its records."""
    write(tmp_path, FILES | {name: ""})
    with pytest.raises(CatalogueError, match="no data file has this name") as refusal:
        load_catalogue(tmp_path)
    assert refusal.value.values["file"] == name


def test_a_model_may_say_that_its_rule_is_not_published(tmp_path: Path) -> None:
    unpublished = MODEL.replace('"llm"', '"vlm"\nprocessor_is_published = false', 1)
    loaded = load_catalogue(write(tmp_path, FILES | {"models/tiny.toml": unpublished}))
    assert loaded.models["tiny-1b"].processor is None


@pytest.mark.parametrize(
    "name",
    [
        "efficiency.toml",
        "engines.toml",
        "precisions.toml",
        "processors.toml",
        "throughput.toml",
        "training.toml",
    ],
)
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    write(tmp_path, {file: text for file, text in FILES.items() if file != name})
    with pytest.raises(CatalogueError) as refusal:
        load_catalogue(tmp_path)
    assert refusal.value.values["file"] == name


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    (tmp_path / "gpus/cards.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(CatalogueError, match=r"cards\.toml"):
        load_catalogue(tmp_path)


def test_records_may_spread_over_files_and_names_are_checked_across_them(tmp_path: Path) -> None:
    first, second = GPU.strip().split("\n\n")
    write(tmp_path, FILES | {"gpus/cards.toml": first, "gpus/more.toml": second})
    assert list(load_catalogue(tmp_path).gpus) == ["card-24", "card-48"]
    clash = second.replace('name = "Card', 'aliases = ["card24"]\nname = "Card')
    write(tmp_path, {"gpus/more.toml": clash})
    with pytest.raises(CatalogueError, match=r"card24 also names card-24 in gpus/cards\.toml"):
        load_catalogue(tmp_path)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("rtx-4090", "RTX 4090", True),
        ("rtx-4090", "rtx4090", True),
        ("llama.cpp", "llama-cpp", True),
        ("q4-k-m", "Q4_K_M", True),
        ("deepseek-r1-70b", "deepseek-r1:70b", True),
        ("llama-3.1-8b", "llama-3-1-8b", True),
        ("qwen2-57b", "qwen2.5-7b", False),
        ("gemma-1-2b", "gemma-12b", False),
        ("gemma-3-1b", "gemma-31b", False),
        ("command-r+", "command-r", False),
    ],
)
def test_spellings_of_one_name(one: str, other: str, *, same: bool) -> None:
    assert (name_key(one) == name_key(other)) is same


def test_the_stamp_follows_names_and_bytes_and_nothing_else(tmp_path: Path) -> None:
    here = load_catalogue(write(tmp_path / "a", FILES)).stamp
    there = load_catalogue(write(tmp_path / "b", FILES | {"README.md": "text"})).stamp
    assert here == there
    assert len(here.digest) == 16
    assert here.date == "2026-11-30"
    renamed = {("gpus/x.toml" if "gpus" in file else file): text for file, text in FILES.items()}
    comment = FILES | {"engines.toml": f"# note\n{ENGINES}"}
    digests = {
        load_catalogue(write(tmp_path / str(index), files)).stamp.digest
        for index, files in enumerate((FILES, renamed, comment))
    }
    assert len(digests) == 3


def test_the_stamp_carries_the_newest_check(tmp_path: Path) -> None:
    newer = ENGINES.replace("2026-11-30", "2026-12-24", 1)
    stamp = load_catalogue(write(tmp_path, FILES | {"engines.toml": newer})).stamp
    assert stamp.date == "2026-12-24"


def test_the_version_is_that_of_the_package() -> None:
    assert load_catalogue().stamp.version == sizing.__version__
    try:
        installed = metadata.version("gpusize")
    except metadata.PackageNotFoundError:
        project = tomllib.loads((data_dir().parent / "pyproject.toml").read_text())["project"]
        installed = project.get("version", sizing.__version__)
    assert installed == sizing.__version__


def test_the_catalogue_cannot_be_changed(catalogue: Catalogue) -> None:
    with pytest.raises(TypeError):
        catalogue.gpus["x"] = catalogue.gpus["l4"]  # type: ignore[index]


def test_provenance_survives_loading(catalogue: Catalogue) -> None:
    """Every record keeps the sources and the day that stand in its file: none is lost to a typo."""
    loaded = {
        "gpu": catalogue.gpus,
        "model": catalogue.models,
        "precision": catalogue.precisions,
        "kv_precision": catalogue.kv_precisions,
        "engine": catalogue.engines,
        "processor": catalogue.processors,
        "framework": catalogue.frameworks,
    }
    counted = 0
    fitted_files = {
        data_dir() / "efficiency.toml": catalogue.efficiency,
        data_dir() / "throughput.toml": catalogue.throughput,
    }
    apart = {data_dir() / name for name in (*ALONE, *SERVER_FACTS)}
    for file in sorted(set(data_dir().rglob("*.toml")) - apart):
        tables = tomllib.loads(file.read_text())
        tables.pop("overheads", None)  # fitted by a script that tests/accuracy checks
        for table, entries in tables.items():
            for entry in entries:
                record = loaded[table][entry["id"]]
                assert record.sources == tuple(entry["sources"])
                assert record.checked == entry["checked"]
                counted += 1
    assert counted == sum(map(len, loaded.values()))
    assert counted > 200
    for path, record in fitted_files.items():
        fitted = tomllib.loads(path.read_text())
        assert record.sources == tuple(fitted["sources"])
        assert record.checked == fitted["checked"]


def test_no_source_is_a_filler_and_no_check_lies_ahead(catalogue: Catalogue) -> None:
    kinds = (
        catalogue.gpus,
        catalogue.models,
        catalogue.precisions,
        catalogue.engines,
        catalogue.processors,
        catalogue.frameworks,
    )
    for record in (record for kind in kinds for record in kind.values()):
        for source in record.sources:
            assert len(source) > 8, record.id
            assert source.lower() not in {"internet", "unknown", "various"}, record.id
        assert date(2024, 1, 1) <= record.checked <= date.fromisoformat(catalogue.stamp.date)


COUNTS = {
    # gpu
    "devices_per_card", "slots", "pcie_generation", "pcie_lanes", "release_year",
    "memory_share", "sm_share", "most_instances",
    # model
    "experts", "experts_per_token", "expert_ffn_size", "layers", "shared_ffn_size",
    "kv_lora_rank", "q_lora_rank", "rope_head_dim", "nope_head_dim", "value_head_dim",
    "hidden_size", "heads", "kv_heads", "head_dim", "ffn_size", "vocabulary_size",
    "qk_norm_size", "norms_per_layer", "ffn_only_layers", "ffn_layers",
    "expert_input_size", "inner_size", "state_size", "time_step_rank", "conv_kernel", "groups",
    "patches_per_token", "frames_per_patch",
    "key_heads", "value_heads", "key_head_dim", "index_head_dim", "tokens_per_entry",
    "scale_group_weights", "least_heads_per_kv_head",
    "position_entries", "given_parameters", "parameters", "classes", "frames", "guidance_copies",
    "steps", "kernels", "evaluations",
    "attention_heads", "seconds", "most_tiles", "grids", "shrunk_to_tiles",
    "published_parameters", "mtp_parameters",
    # engine
    "default_memory_fraction", "max_tensor_parallel", "own_default_fraction", "port",
    "filled_share", "layers_on_gpu",
    "requests", "low", "typical", "high",
    # efficiency: rows, and factors whose unit is that of the number they belong to
    "rows", "base", "effects", "power", "layers_elsewhere",
    # efficiency: a multiple of a time, and a share of requests
    "time", "share",
    # prices
    "gpus", "pue", "hosts",
}  # fmt: skip
"""Fields without a unit: counts, widths in elements, and ratios."""


def _holds_numbers(annotation: object) -> bool:
    """Return whether a field's type is or contains int or float."""
    if annotation in (int, float):
        return True
    if isinstance(annotation, types.GenericAlias) or typing.get_origin(annotation) is not None:
        return any(_holds_numbers(inner) for inner in typing.get_args(annotation))
    return False


def _record_classes() -> list[type[BaseModel]]:
    exported = (getattr(records, name) for name in records.__all__)
    return [kind for kind in exported if isinstance(kind, type) and issubclass(kind, BaseModel)]


def test_units_stand_in_the_names_of_all_numbers() -> None:
    """A number without a unit in its name must be listed above as a count, and nothing else may."""
    unnamed = {
        name
        for kind in _record_classes()
        for name, field in kind.model_fields.items()
        if _holds_numbers(field.annotation)
        and not any(name.endswith(f"_{suffix}") for suffix in UNIT_SUFFIXES)
    }
    assert unnamed == COUNTS


def test_the_packaged_folder_wins_over_the_checkout() -> None:
    assert data_dir().is_dir()
    assert (data_dir() / "precisions.toml").is_file()


def _examples() -> list[str]:
    readme = (data_dir() / "README.md").read_text()
    return [part.split("```")[0] for part in readme.split("```toml\n")[1:]]


def test_the_readme_has_an_accelerator_a_model_and_a_pipeline() -> None:
    tables = [next(iter(tomllib.loads(example))) for example in _examples()]
    assert tables == ["gpu", "model", "model"]


def test_the_examples_of_the_readme_load_beside_the_catalogue(tmp_path: Path) -> None:
    """A newcomer who copies an example into a new file gets a catalogue that loads."""
    copy = tmp_path / "data"
    shutil.copytree(data_dir(), copy)
    for position, example in enumerate(_examples()):
        table = next(iter(tomllib.loads(example)))
        (copy / f"{table}s" / f"newcomer-{position}.toml").write_text(example)
    loaded = load_catalogue(copy)
    assert loaded.gpus["example-48"].memory_gb == 48
    # 32 x (2 x 4096^2 + 2 x 4096 x 1024 + 3 x 4096 x 14336 + 2 x 4096) + 4096 + 2 x 32768 x 4096
    assert loaded.models["example-7b"].published_parameters == 7_248_023_552
    assert loaded.models["example-image"].works_in_passes
