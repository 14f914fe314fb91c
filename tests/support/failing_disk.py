"""A real `numberline web` that is killed and restarted, and a disk that fails on demand."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Coroutine
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx
import pytest
import websockets

NAMES = ("Xanthippe", "Quirinus")
"""Names that stand nowhere else, so that they are found wherever they are left."""
PATIENCE = 60.0
"""Seconds after which something will never come."""
MANY = httpx.Limits(max_connections=250, max_keepalive_connections=40, keepalive_expiry=1)
"""A connection that was idle is not used again: the server may be closing it in that moment."""

FAULTY_DISK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>
static int switched(const char *name) {
  const char *at = getenv(name);
  return at && access(at, F_OK) == 0;
}
static int full(int file) {
  char link[64], path[4096];
  if (!switched("DISK_FULL")) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return 0;
  path[size] = 0;
  return strstr(path, "matches.db") != NULL;
}
#define KEEP(name, offset) \\
  ssize_t name(int file, const void *bytes, size_t size, offset at) { \\
    if (full(file)) { errno = ENOSPC; return -1; } \\
    return ((ssize_t (*)(int, const void *, size_t, offset)) dlsym(RTLD_NEXT, #name))(file, bytes, size, at); \\
  }
KEEP(pwrite, off_t)
KEEP(pwrite64, off64_t)
ssize_t write(int file, const void *bytes, size_t size) {
  if (full(file)) { errno = ENOSPC; return -1; }
  return ((ssize_t (*)(int, const void *, size_t)) dlsym(RTLD_NEXT, "write"))(file, bytes, size);
}
static int sync_with(const char *name, int file) {
  if (switched("DISK_FAILING")) { errno = EIO; return -1; }
  return ((int (*)(int)) dlsym(RTLD_NEXT, name))(file);
}
int fsync(int file) { return sync_with("fsync", file); }
int fdatasync(int file) { return sync_with("fdatasync", file); }
"""


class FaultyDisk:
    """A disk that is full, or fails to sync, while a switch is on; skips the test if it can't be created."""

    def __init__(self, folder: Path, fault: str) -> None:
        compiler = shutil.which("gcc")
        if sys.platform != "linux" or not compiler:
            pytest.skip("a failing disk is made with gcc, on Linux")
        (folder / "disk.c").write_text(FAULTY_DISK, encoding="utf-8")
        library, self._switch = folder / "disk.so", folder / "broken"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, folder / "disk.c", "-ldl"], check=True)
        self.environment = {"LD_PRELOAD": str(library), fault: str(self._switch)}

    def break_down(self) -> None:
        self._switch.touch()

    def work_again(self) -> None:
        self._switch.unlink()


class Running:
    """A `numberline web` with its own database, which can be restarted on the same port."""

    def __init__(self, folder: Path, *options: str, **environment: str) -> None:
        self.database = folder / "matches.db"
        self.options = options
        self.port = 0
        self.said = ""
        """All that it wrote for those who run it."""
        self.secrets: set[str] = set(NAMES)
        """What must never be written there."""
        self.sockets: list[websockets.ClientConnection] = []
        """All that were opened to it."""
        self._errors = folder / "errors"
        self.start(**environment)

    def start(self, **environment: str) -> None:
        """Begins to answer."""
        with self._errors.open("a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                self.command(), stdout=subprocess.PIPE, stderr=errors, text=True, env=os.environ | environment
            )
        assert self.process.stdout
        said = self.process.stdout.readline()
        self.said += said
        opened = re.search(r"http://127\.0\.0\.1:(\d+)/", said)
        assert opened, f"the server did not start: {said}{self._errors.read_text(encoding='utf-8')}"
        self.port = int(opened[1])

    def command(self, port: int | None = None) -> list[str]:
        """What starts it."""
        at = str(self.port if port is None else port)
        web = [sys.executable, "-m", "numberline", "web", "--no-browser", "--port", at, "--db", str(self.database)]
        return [*web, *self.options]

    def kill(self) -> None:
        """Ends it with no chance to finish anything."""
        self.process.kill()

    def terminate(self) -> None:
        """Asks it to end."""
        self.process.send_signal(signal.SIGTERM)

    def ended(self) -> int:
        """The code that it ended with."""
        assert self.process.stdout
        self.said += self.process.stdout.read()
        self.process.stdout.close()
        return self.process.wait(PATIENCE)

    def again(self, **environment: str) -> None:
        """Restart the server after it was killed."""
        self.kill()
        self.ended()
        self.start(**environment)

    def visit(self, visit: Coroutine[Any, Any, None]) -> None:
        """Run clients in a separate event loop."""

        async def run() -> None:
            address = f"http://127.0.0.1:{self.port}"
            async with httpx.AsyncClient(base_url=address, timeout=PATIENCE, limits=MANY) as self.http:
                try:
                    await visit
                finally:
                    while self.sockets:
                        self.sockets.pop().transport.abort()
                    await asyncio.sleep(0)  # so that they are closed

        asyncio.run(run())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Ends it, and looks through all that it has written."""
        if self.process.returncode is None:
            self.kill()
            self.ended()
        written = self.said + self._errors.read_text(encoding="utf-8")
        if error is None:
            assert "Traceback" not in written
            assert "a mistake of ours" not in written
            assert [secret for secret in self.secrets if secret in written] == []
