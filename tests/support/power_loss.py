"""A disk that forgets what was not synced when the power fails.

A shim logs every write to the database's files, and every sync once it has returned. From the log, a power failure is
replayed: what was written before the last sync of a file is there, and of later writes only a random part.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define REAL(name, type) ((type) dlsym(RTLD_NEXT, #name))
static int kind_of(const char *path) {
  const char *name = strstr(path, "matches.db");
  if (!name) return -1;
  name += strlen("matches.db");
  return !*name ? 0 : !strcmp(name, "-wal") ? 1 : !strcmp(name, "-journal") ? 2 : -1;
}
static int kind(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, sizeof path - 1);
  if (size < 0) return -1;
  path[size] = 0;
  return kind_of(path);
}
static void record(char what, int which, int64_t at, const void *bytes, int64_t size) {
  static int log = -1;
  char head[18] = {what, (char) which};
  memcpy(head + 2, &at, 8);
  memcpy(head + 10, &size, 8);
  struct iovec parts[2] = {{head, sizeof head}, {(void *) bytes, (size_t) (bytes ? size : 0)}};
  pthread_mutex_lock(&lock);
  if (log < 0) log = open(getenv("POWER_LOG"), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (writev(log, parts, 2) < (ssize_t) sizeof head) abort();
  pthread_mutex_unlock(&lock);
}
#define WRITE_AT(name, offset) \
  ssize_t name(int file, const void *bytes, size_t size, offset at) { \
    int which = kind(file); \
    if (which >= 0) record('w', which, (int64_t) at, bytes, (int64_t) size); \
    return REAL(name, ssize_t (*)(int, const void *, size_t, offset))(file, bytes, size, at); \
  }
WRITE_AT(pwrite, off_t)
WRITE_AT(pwrite64, off64_t)
ssize_t write(int file, const void *bytes, size_t size) {
  int which = kind(file);
  if (which >= 0) record('w', which, (int64_t) lseek(file, 0, SEEK_CUR), bytes, (int64_t) size);
  return REAL(write, ssize_t (*)(int, const void *, size_t))(file, bytes, size);
}
#define CUT(name, offset) \
  int name(int file, offset size) { \
    int which = kind(file); \
    if (which >= 0) record('t', which, (int64_t) size, NULL, 0); \
    return REAL(name, int (*)(int, offset))(file, size); \
  }
CUT(ftruncate, off_t)
CUT(ftruncate64, off64_t)
#define SYNC(name) \
  int name(int file) { \
    int which = kind(file), result = REAL(name, int (*)(int))(file); \
    if (which >= 0 && !result && access(getenv("POWER_LIES"), F_OK)) record('s', which, 0, NULL, 0); \
    return result; \
  }
SYNC(fsync)
SYNC(fdatasync)
int unlink(const char *path) {
  int which = kind_of(path), result = REAL(unlink, int (*)(const char *))(path);
  if (which >= 0 && !result) record('u', which, 0, NULL, 0);
  return result;
}
"""
_HEAD = struct.Struct("<cbqq")
_SUFFIXES = ("", "-wal", "-journal")
_SECTOR_BYTES = 512

Operation = tuple[bytes, int, bytes]
"""A call, with its offset or size, and the bytes."""


class ForgetfulDisk:
    """The files of one database; skips the test if the shim can't be built."""

    def __init__(self, folder: Path, database: Path) -> None:
        compiler = shutil.which("gcc")
        if sys.platform != "linux" or not compiler:
            pytest.skip("a power failure is replayed with gcc, on Linux")
        (folder / "power.c").write_text(SHIM, encoding="utf-8")
        library, self._log, self._lies = folder / "power.so", folder / "power.log", folder / "lies"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, folder / "power.c", "-ldl"], check=True)
        self._database = database
        self.environment = {"LD_PRELOAD": str(library), "POWER_LOG": str(self._log), "POWER_LIES": str(self._lies)}
        self._remember()

    def lie(self) -> None:
        """From now on a sync does nothing, but seems to succeed."""
        self._lies.touch()

    def lose_power(self, rng: Random) -> int:
        """Replace the files by what a power failure leaves of them; return how many writes were not synced."""
        unsynced = 0
        operations: dict[int, list[Operation]] = {0: [], 1: [], 2: []}
        synced = dict.fromkeys(operations, 0)
        for what, which, at, content in self._operations():
            if what in b"su":
                operations[which] += [] if what == b"s" else [(what, at, content)]
                synced[which] = len(operations[which])
            else:
                operations[which].append((what, at, content))
        for which, done in operations.items():
            kept = bytearray(self._before[which])
            for operation in done[: synced[which]]:
                _apply(kept, *operation)
            for what, at, content in done[synced[which] :]:
                unsynced += 1
                if what != b"w" and rng.random() < 0.5:
                    _apply(kept, what, at, content)
                for start in range(0, len(content), _SECTOR_BYTES):
                    if rng.random() < 0.5:
                        _apply(kept, what, at + start, content[start : start + _SECTOR_BYTES])
            path = self._path(which)
            path.write_bytes(kept)
            if not kept:
                path.unlink()
        self._database.with_name(f"{self._database.name}-shm").unlink(missing_ok=True)
        self._remember()
        return unsynced

    def _remember(self) -> None:
        self._before = [path.read_bytes() if path.exists() else b"" for path in map(self._path, range(len(_SUFFIXES)))]
        self._log.write_bytes(b"")

    def _path(self, which: int) -> Path:
        return self._database.with_name(f"{self._database.name}{_SUFFIXES[which]}")

    def _operations(self) -> Iterator[tuple[bytes, int, int, bytes]]:
        log, at = self._log.read_bytes(), 0
        while at + _HEAD.size <= len(log):
            what, which, offset, size = _HEAD.unpack_from(log, at)
            at += _HEAD.size + size
            if at <= len(log):
                yield what, which, offset, log[at - size : at]


def _apply(content: bytearray, what: bytes, at: int, data: bytes) -> None:
    if what == b"u":
        content.clear()
    else:
        end = at + len(data)
        content.extend(bytes(max(0, end - len(content))))
        if what == b"t":
            del content[at:]
        content[at:end] = data
