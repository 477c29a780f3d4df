"""What is installed is ours, whole, and what the lock says."""

import email
import re
import tomllib
import zipfile
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = {path.stem: path.read_text(encoding="utf-8") for path in ROOT.glob("requirements/*.txt")}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return Path(path)


@pytest.fixture(scope="module")
def wheel(built):
    with zipfile.ZipFile(built) as archive:
        return set(archive.namelist())


def _files(folder):
    return {
        path.relative_to(ROOT / folder).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def _below(wheel, prefix):
    return {name.removeprefix(prefix) for name in wheel if name.startswith(prefix)}


def _pins(lock):
    lines = re.findall(r"^([A-Za-z0-9._-]+)==([^ ;\\]+)", LOCKS[lock], re.MULTILINE)
    return {canonicalize_name(name): version for name, version in lines}


@pytest.mark.parametrize("package", ["bot", "sizing"])
def test_no_other_project_owns_our_packages(package):
    """Two projects that ship the same package overwrite each other without a word."""
    assert set(packages_distributions().get(package, [])) <= {"gpusize"}


@pytest.mark.parametrize("program", ["gpusize", "gpusize-bot"])
def test_the_programs_resolve(program):
    scripts = {script.name: script for script in distribution("gpusize").entry_points}
    assert callable(scripts[program].load())


@pytest.mark.parametrize("folder", ["templates", "data"])
def test_files_are_no_packages(folder):
    """A package `data` or `templates` works in the checkout and collides once installed."""
    assert list((ROOT / folder).rglob("*.py")) == []


@pytest.mark.parametrize(
    ("folder", "inside"), [("templates", "bot/templates/"), ("data", "sizing/data/")]
)
def test_the_wheel_carries_every_file(wheel, folder, inside):
    assert _files(folder)
    assert _below(wheel, inside) == _files(folder)


def test_the_wheel_carries_nothing_else(wheel):
    tops = {re.sub(r"^gpusize-.*\.", "", name.split("/")[0]) for name in wheel}
    assert tops == {"bot", "sizing", "dist-info"}
    assert [name for name in wheel if "test" in name or name.endswith(".db")] == []


def test_the_wheel_asks_for_what_it_needs(built):
    """`pip install` brings all that runs, the reader of GGUF files too, and no test's tools."""
    with zipfile.ZipFile(built) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(name))
    asked = map(Requirement, metadata.get_all("Requires-Dist"))
    names = {requirement.name for requirement in asked if requirement.marker is None}
    assert names == {Requirement(each).name for each in PROJECT["dependencies"]}
    assert "gguf" in names


@pytest.mark.parametrize(
    ("lock", "wanted"),
    [
        ("runtime", PROJECT["dependencies"]),
        ("dev", PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"]),
    ],
)
def test_the_lock_satisfies_the_project(lock, wanted):
    """`make lock` brings it up to date."""
    pins = _pins(lock)
    for requirement in map(Requirement, wanted):
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)])


@pytest.mark.parametrize("lock", LOCKS)
def test_no_lock_has_the_large_extra(lock):
    """Measured kernels take 600 MB with what they bring along: everything works without them."""
    large = {"aiconfigurator", "aiconfigurator-core", "pandas", "pyarrow", "scipy"}
    assert not large & _pins(lock).keys()


def test_what_is_tested_is_what_runs():
    assert _pins("runtime").items() <= _pins("dev").items()


@pytest.mark.parametrize("lock", LOCKS)
def test_every_release_has_hashes_and_no_address(lock):
    text = LOCKS[lock]
    assert "://" not in text
    releases = text.replace("\\\n", "").splitlines()
    assert all("--hash=sha256:" in line for line in releases)
