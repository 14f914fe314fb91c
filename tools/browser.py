"""Find or download a Chromium for the browser tests and print its path; called by `make test`.

Downloads go to .venv/browser, so that `make clean` removes them; `--only npm` tries a single source.
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
EXECUTABLES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_EXECUTABLE = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
PACKAGES = {
    "@sparticuz/chromium@153.0.0": "8e2196a92bcf31dbb8f8ff538a562a011ef21063c41c8371fa50af13f36a34ef"
    "c41d8cc5ff1d615222394fa8a8548b7b744cbb9fcf1bcb24f4be4f9d9ec810c0",
    "dejavu-fonts-ttf@2.37.3": "7f585dee325b7906b5556730f8ad8aad35d2e74cd331a1e9542e1720a26935c0"
    "de611e5a8ccb63fe22e540360dbcb38a6a6501dc04555427fbf65370355ced49",
}
"""npm packages and their SHA-512: the browser with its libraries, and a font that has arrows and triangles."""
LAUNCHER = """#!/bin/sh
here=$(dirname "$0")
export LD_LIBRARY_PATH="$here/al2023/lib" FONTCONFIG_FILE="$here/fonts.conf"
exec "$here/program" "$@"
"""
ARCHIVE_FOLDERS = {"al2023.tar.br": "al2023", "fonts.tar.br": "fonts", "swiftshader.tar.br": ""}
NOT_FOUND = (
    "no browser for the tests: install Chromium or Google Chrome, or set NUMBERLINE_BROWSER to the path of one"
    ' (pytest -m "not browser" skips these tests)'
)


def from_environment(_: Path) -> Path | None:
    """Return the browser named by NUMBERLINE_BROWSER; exit if it does not start."""
    named = os.environ.get("NUMBERLINE_BROWSER")
    if named and not _starts(Path(named)):
        raise SystemExit(f"NUMBERLINE_BROWSER={named} does not start; set it to the path of a Chromium or Chrome")
    return Path(named) if named else None


def installed(_: Path) -> Path | None:
    found = [Path(path) for path in map(shutil.which, EXECUTABLES) if path]
    return next(filter(_starts, [*found, MAC_EXECUTABLE]), None)


def cached(folder: Path) -> Path | None:
    note = folder / "path"
    path = Path(note.read_text(encoding="utf-8")) if note.exists() else None
    return path if path and _starts(path) else None


def from_playwright(folder: Path) -> Path | None:
    if not find_spec("playwright"):
        return None
    command = [sys.executable, "-m", "playwright", "install", "--only-shell", "chromium"]
    _run(command, 120, PLAYWRIGHT_BROWSERS_PATH=str(folder), PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT="5000")
    return next(filter(_starts, sorted(folder.glob("chromium_headless_shell-*/*/*headless?shell"))), None)


def from_npm(folder: Path) -> Path | None:
    """Download and unpack the browser in an npm package (64-bit Linux only)."""
    npm = shutil.which("npm")
    if not npm or not find_spec("brotli") or (sys.platform, platform.machine()) != ("linux", "x86_64"):
        return None
    home = folder / "npm"
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        unpacked = Path(temporary) / "npm"
        unpacked.mkdir()
        for name, sha512 in PACKAGES.items():
            packed = _download(npm, name, sha512, Path(temporary))
            if packed is None:
                return None
            _unpack(packed, unpacked)
        _write(unpacked / "chromium", LAUNCHER.encode())
        folders = "".join(f"<dir>{place}</dir>" for place in (home / "fonts", home / "ttf", Path("/usr/share/fonts")))
        config = f'<?xml version="1.0"?><fontconfig>{folders}<cachedir>{home / "cache"}</cachedir></fontconfig>\n'
        _write(unpacked / "fonts.conf", config.encode())
        shutil.rmtree(home, ignore_errors=True)
        unpacked.rename(home)
    return home / "chromium" if _starts(home / "chromium") else None


def _download(npm: str, name: str, sha512: str, folder: Path) -> Path | None:
    before = set(folder.glob("*.tgz"))
    _run([npm, "pack", "--silent", name, "--pack-destination", str(folder)], 300)
    packed = next(iter(set(folder.glob("*.tgz")) - before), None)
    if packed and hashlib.sha512(packed.read_bytes()).hexdigest() != sha512:
        _print_error(f"{name} has an unexpected SHA-512 checksum; ignoring it")
        return None
    return packed


def _unpack(packed: Path, folder: Path) -> None:
    """Extract the program, its libraries and the fonts of a package."""
    import brotli  # type: ignore[import-untyped] # it has no types

    with tarfile.open(packed) as package:
        for member in package:
            name = Path(member.name)
            file = package.extractfile(member) if member.isfile() else None
            if file and name.suffix == ".ttf":
                _write(folder / "ttf" / name.name, file.read())
            elif file and name.name in ARCHIVE_FOLDERS:
                _extract(brotli.decompress(file.read()), folder / ARCHIVE_FOLDERS[name.name])
            elif file and name.suffix == ".br":
                _write(folder / "program", brotli.decompress(file.read()))


def _extract(data: bytes, folder: Path) -> None:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            file = archive.extractfile(member)
            if file:
                _write(folder / member.name, file.read())


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    path.chmod(0o755)


SOURCES: dict[str, Callable[[Path], Path | None]] = {
    "environment": from_environment,
    "installed": installed,
    "cached": cached,
    "playwright": from_playwright,
    "npm": from_npm,
}
"""The sources, in the order in which they are tried."""
DOWNLOADS = ("playwright", "npm")


def find_browser(folder: Path, sources: list[str]) -> Path | None:
    """Return the path of a working browser from the first source that has one, or None."""
    with _exclusive(folder):
        for source in sources:
            if source in DOWNLOADS:
                _print_error(f"no browser for the tests yet; trying {source} …")
            path = SOURCES[source](folder)
            if path:
                if source in DOWNLOADS:
                    (folder / "path").write_text(str(path), encoding="utf-8")
                return path
    return None


@contextlib.contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Hold a lock, so that concurrent runs download only once."""
    import fcntl

    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _starts(path: Path) -> bool:
    return path.exists() and _run([str(path), "--version"], 30)


def _run(command: list[str], timeout_s: float, **environment: str) -> bool:
    """Return whether a command succeeds within `timeout_s`; after a timeout, kill its process group."""
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
        return process.wait(timeout_s) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return False


def _print_error(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", choices=SOURCES, help="try only this source")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where a downloaded browser is stored")
    options = parser.parse_args()
    path = find_browser(options.folder, [options.only] if options.only else list(SOURCES))
    if not path:
        raise SystemExit(NOT_FOUND)
    sys.stdout.write(f"{path}\n")


if __name__ == "__main__":
    main()
