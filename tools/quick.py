"""Run the tests of the packages that differ from a git revision (default: HEAD).

Browser, PostgreSQL and soak tests are skipped to keep the run under a minute.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
MARKERS = "not soak and not browser and not postgres"


def changed_files(base: str) -> list[str]:
    tracked = _git("diff", "--name-only", base)
    return tracked + _git("ls-files", "--others", "--exclude-standard")


def test_paths(files: list[str]) -> list[str]:
    """Return the test folders and files that mirror `files`."""
    found = set()
    for name in files:
        parts = Path(name).parts
        if parts[:2] == ("src", "numberline") and len(parts) > 3:
            found.add(Path("tests", *parts[2:-1]))
        elif parts[0] == "tests" and parts[-1].startswith("test_"):
            found.add(Path(name))
        elif parts[:2] == ("src", "numberline"):
            found.add(Path("tests", f"test_{parts[-1]}"))
    existing = {path for path in found if (ROOT / path).exists()}
    return sorted(str(path) for path in existing if not existing & set(path.parents))


def _git(*arguments: str) -> list[str]:
    command = ["git", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout.split()  # noqa: S603 - git


def main() -> int:
    base = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    paths = test_paths(changed_files(base))
    if not paths:
        sys.stdout.write(f"no file with tests differs from {base}; try another revision: make quick BASE=main~1\n")
        return 0
    sys.stdout.write(f"testing {' '.join(paths)}\n")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "-m", MARKERS, *paths]
    return subprocess.run(command, cwd=ROOT, check=False).returncode  # noqa: S603 - pytest on our own folders


if __name__ == "__main__":
    sys.exit(main())
