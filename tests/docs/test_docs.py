"""Completeness of the documentation: books, settings, commands, rules, public names, links and files."""

from __future__ import annotations

import contextlib
import itertools
import re
import shlex
import tomllib
from pathlib import Path

import click
import pytest

import numberline as nl
from numberline.bots.bot import BUILTIN_BOTS
from numberline.cli import COMMANDS, load_command
from numberline.cli import numberline as group
from numberline.game.messages import DEFAULT_NOUNS, MESSAGE_TYPES, VOICE_OPTIONS
from numberline.game.settings import RULE_TYPES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *sorted(DOCS.rglob("*.md"))]


@pytest.mark.parametrize("name", nl.NAMES)
def test_book_page_names_main_settings(name: str) -> None:
    page = (DOCS / "games" / f"{name}.md").read_text()
    assert [setting for setting in nl.book(name).main_settings if f"`{setting}`" not in page] == []
    assert f"games/{name}.md" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("name", COMMANDS)
def test_command_and_its_options_are_documented(name: str) -> None:
    page = (DOCS / "command-line.md").read_text()
    command = group.get_command(click.Context(group), name)
    assert command
    options = [text for parameter in command.params for text in parameter.opts if text.startswith("--")]
    assert [text for text in [f"numberline {name}", *options] if text not in page] == []


def test_built_in_bots_are_documented() -> None:
    page = (DOCS / "bots.md").read_text()
    missing = [name for name in BUILTIN_BOTS if not re.search(rf"`{name}\b", page)]
    assert not missing, f"add {missing} to docs/bots.md"


def test_rules_and_values_are_documented() -> None:
    page = (DOCS / "variants.md").read_text()
    assert [rule for rule in RULE_TYPES if f"`{rule}`" not in page] == []
    assert [value for kind in RULE_TYPES.values() for value in kind.samples if value not in page] == []


def test_voice_keys_and_slots_are_documented() -> None:
    page = (DOCS / "book-format.md").read_text()
    slots = {slot for message in MESSAGE_TYPES.values() for slot in message.slots if not slot[-1].isdigit()}
    assert [
        word
        for word in [*MESSAGE_TYPES, *VOICE_OPTIONS, *DEFAULT_NOUNS, *sorted(slots)]
        if f"`{word}`" not in page.replace("{", "").replace("}", "")
    ] == []


def test_public_names_are_documented() -> None:
    page = (DOCS / "api.md").read_text()
    assert [name for name in nl.__all__ if not re.search(rf"`(?:nl\.)?{name}\b", page)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_link_targets_exist(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text())
    local = [target for target in targets if not target.startswith("http")]
    assert [target for target in local if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_link_anchors_exist(page: Path) -> None:
    links = re.findall(r"\]\(((?!http)[^)#]*\.md)?#([^)]+)\)", page.read_text())
    assert [(target, anchor) for target, anchor in links if anchor not in anchors(page.parent / (target or page))] == []


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub builds them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_index_links_every_page() -> None:
    index = (DOCS / "index.md").read_text()
    pages = [page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")]
    assert [page for page in pages if page != "index.md" and f"]({page})" not in index] == []
    assert "](docs/index.md)" in (ROOT / "README.md").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_source_files_exist(page: Path) -> None:
    named = set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", page.read_text()))
    places = (ROOT, ROOT / "src" / "numberline", ROOT / "docs")
    assert [name for name in sorted(named) if not any((place / name).exists() for place in places)] == []


def test_example_book_makes_a_game() -> None:
    book = nl.book(DOCS / "example-book.toml")
    assert book.moves(book.start())
    assert (DOCS / "example-book.toml").read_text() in (DOCS / "book-format.md").read_text()


@pytest.mark.parametrize("page", [ROOT / "README.md", *(DOCS / "games").glob("*.md")], ids=lambda page: page.name)
def test_shown_variants_make_a_game(page: Path) -> None:
    shown = re.findall(r'numberline (?:play|rules|check) (?:"([^"]+)"|([a-z-]+\b(?!\.toml)))', page.read_text())
    names = [quoted or plain for quoted, plain in shown if (quoted or plain).partition("(")[0] in nl.NAMES]
    for name in names:
        nl.book(name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_shown_commands_can_be_typed(page: Path, tmp_path: Path) -> None:
    text = page.read_text().replace("\\\n", "")
    typed = re.findall(r"^\$ (.*)", text, re.MULTILINE)
    for block in re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        typed += block.splitlines()
    for line in [line for line in typed if line.startswith("numberline ")]:
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|>&;")
        lexer.whitespace_split = True
        words = list(itertools.takewhile(lambda word: word[0] not in "|>&;", lexer))
        if len(words) > 1:
            with contextlib.chdir(tmp_path), contextlib.suppress(OSError):  # files and folders are examples
                load_command(words[1]).make_context(words[1], words[2:])


def test_source_package_has_named_files() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packed = {*project["tool"]["hatch"]["build"]["targets"]["sdist"]["include"], "pyproject.toml"}
    tests = "".join(file.read_text() for file in (ROOT / "tests").rglob("*.py"))
    named = set(re.findall(r'ROOT / "([A-Za-z.]+)"', tests))
    linked = set(re.findall(r"\]\((?!http)([^)#/]+)", (ROOT / "README.md").read_text()))
    assert len(named) > 5
    assert named | linked <= packed


def test_classifiers_name_only_tested_python_versions() -> None:
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    assert [name for name in classifiers if ":: Python :: 3." in name] == ["Programming Language :: Python :: 3.11"]


def pins(name: str) -> dict[str, str]:
    """Return the versions that a file pins, by the normalized name of the package."""
    found = re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / name).read_text(), re.MULTILINE)
    return {re.sub(r"[-_.]+", "-", package).lower(): version for package, version in found}


def test_container_installs_the_tested_versions_by_hash() -> None:
    installed, tested = pins("requirements-web.txt"), pins("constraints.txt")
    assert {"fastapi", "uvicorn", "sqlalchemy", "psycopg"} <= installed.keys()
    assert {name: version for name, version in installed.items() if tested.get(name, version) != version} == {}
    entries = re.split(r"\n(?=\S)", (ROOT / "requirements-web.txt").read_text().strip())
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []
