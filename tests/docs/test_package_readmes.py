"""READMEs of packages: every large package has one, which names all its modules and no others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "numberline"
MAX_FILES_WITHOUT_README = 10


def files_in(package: Path) -> list[Path]:
    return [
        file
        for file in package.rglob("*")
        if file.is_file() and file.name != "README.md" and "__pycache__" not in file.parts
    ]


LARGE_PACKAGES = sorted(
    package
    for package in SOURCE.iterdir()
    if package.is_dir() and sum(file.suffix != ".toml" for file in files_in(package)) > MAX_FILES_WITHOUT_README
)


@pytest.mark.parametrize("package", LARGE_PACKAGES, ids=lambda package: package.name)
def test_readme_names_all_modules_of_the_package(package: Path) -> None:
    named = set(re.findall(r"`(?:\w+/)*(\w+\.py)`", (package / "README.md").read_text()))
    modules = {file.name for file in files_in(package) if file.suffix == ".py" and "migrations" not in file.parts}
    assert modules - named <= {"__init__.py"}


@pytest.mark.parametrize("package", LARGE_PACKAGES, ids=lambda package: package.name)
def test_readme_names_only_files_that_exist(package: Path) -> None:
    named = re.findall(r"`((?:\.\./)?[\w/.-]+(?:\.(?:py|css|js|md)|/))`", (package / "README.md").read_text())
    root = SOURCE.parents[1]
    missing = [
        name
        for name in named
        if not any((base / name).exists() for base in (package, root)) and not list(package.rglob(Path(name).name))
    ]
    assert missing == []


@pytest.mark.parametrize("package", LARGE_PACKAGES, ids=lambda package: package.name)
def test_readme_names_only_definitions_that_exist(package: Path) -> None:
    source = "\n".join(file.read_text() for file in files_in(SOURCE) if file.suffix == ".py")
    bracketed = re.findall(r"`[\w/.]+\.py` \(([^)]*)\)", (package / "README.md").read_text())
    names = {name for text in bracketed for name in re.findall(r"`(\w+)`", text)}
    defined = set(re.findall(r"^(?:class |def |async def )?(\w+)\b(?:\(|:| =)", source, re.MULTILINE))
    assert names - defined == set()
