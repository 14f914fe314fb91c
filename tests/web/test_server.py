from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pexpect
import pytest

from numberline.errors import install_command
from numberline.web.ops.config import WebError, bind_socket
from support.commands import numberline


@contextmanager
def started(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A running server, and the address that it printed."""
    server = subprocess.Popen(
        [sys.executable, "-m", "numberline", "web", "--port", "0", "--no-browser", *options, "--db", "games.db"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout
        line = server.stdout.readline()
        found = re.search(r"http://\S+/", line)
        assert found, line
        yield server, found[0]
    finally:
        server.kill()
        server.communicate()


def ended(server: subprocess.Popen[str]) -> tuple[int, str]:
    """The exit code, and what was said of errors."""
    _, errors = server.communicate(timeout=30)
    return server.returncode, errors


def test_server_prints_its_address_and_answers(tmp_path: Path) -> None:
    with started(tmp_path) as (_, url):
        assert httpx.get(url).status_code == 200
        assert httpx.get(f"{url}healthz", timeout=30).json() == {"ok": True}
        head = httpx.head(f"{url}healthz")
        assert (head.status_code, head.content) == (200, b"")
        assert "Disallow: /api/" in httpx.get(f"{url}robots.txt").text


def test_book_option_offers_a_custom_book(tmp_path: Path) -> None:
    book = Path(__file__).parents[2] / "docs" / "example-book.toml"
    with started(tmp_path, "--book", str(book)) as (_, url):
        offered = httpx.get(f"{url}api/books", timeout=30).json()["books"]
        assert offered[-1]["book"]["title"] == "Heron Pond"


def test_book_option_rejects_a_name_that_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "line-runner.toml"
    path.write_text((Path(__file__).parents[2] / "docs" / "example-book.toml").read_text("utf-8"), "utf-8")
    ran = numberline("web", "--book", str(path), "--port", "0", "--no-browser", "--db", str(tmp_path / "games.db"))
    assert ran.code == 2
    assert "there is already a book named line-runner; rename the file" in ran.err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_server_stops_silently_on_a_signal(tmp_path: Path, number: signal.Signals, code: int) -> None:
    with started(tmp_path) as (server, url):
        httpx.get(f"{url}readyz", timeout=30)
        server.send_signal(number)
        assert ended(server) == (code, "" if code == 0 else "\n")


def test_server_stops_while_it_starts(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "numberline", "web", "--port", str(port), "--no-browser", "--db", "games.db"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        transport = httpx.HTTPTransport(retries=10)  # until it listens
        with httpx.Client(transport=transport, timeout=30) as client:
            assert client.get(f"http://127.0.0.1:{port}/healthz").json() == {"ok": True}  # before it is ready
        server.send_signal(signal.SIGTERM)
        code, errors = ended(server)
        assert (code, errors) == (0, "")


def test_database_error_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no database", encoding="utf-8")
    ran = numberline("web", "--port", "0", "--no-browser", "--db", str(tmp_path / "file"))
    assert (ran.code, ran.out) == (1, "")
    assert re.fullmatch(r"Error: .+\n", ran.err)


def test_port_in_use_is_reported_with_an_alternative() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        ran = numberline("web", "--port", str(taken.getsockname()[1]), "--no-browser")
    assert ran.code == 1
    assert "is in use" in ran.err
    assert "--port 0" in ran.err


def test_foreign_address_is_one_line() -> None:
    ran = numberline("web", "--host", "192.0.2.7", "--port", "0", "--no-browser")
    assert (ran.code, ran.err.count("\n")) == (1, 1)


@pytest.mark.parametrize("host", ["", "0", "0x0", "0.0x0", "<broadcast>", "\x1b[2J"])
def test_unusual_wildcard_host_is_rejected(host: str) -> None:
    with pytest.raises(WebError, match="not an address of this machine"):
        bind_socket(host, 0).close()


@pytest.mark.parametrize(
    "url", ["games.example.org", "http://", "http://[", "http://a:99999", "http://a b", "http://a?b"]
)
def test_invalid_public_url_is_rejected(url: str) -> None:
    ran = numberline("web", "--public-url", url, "--no-browser")
    assert ran.code == 2
    assert "https://games.example.org" in ran.err


def test_missing_packages_name_the_install_command() -> None:
    code = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv = ['numberline', 'web', '--no-browser'];"
        "from numberline.cli import main; main()"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert ran.returncode == 1
    assert install_command("web") in ran.stderr


def test_open_server_prints_the_address_for_others(tmp_path: Path) -> None:
    with started(tmp_path, "--host", "0.0.0.0") as (server, _):  # noqa: S104 - that is what is tested
        assert server.stdout
        assert re.fullmatch(r"Others can join at http://[\d.]+:\d+/\n", server.stdout.readline())


def test_open_server_shows_a_qr_code_at_a_terminal(tmp_path: Path) -> None:
    arguments = ["-m", "numberline", "web", "--port", "0", "--no-browser", "--host", "0.0.0.0", "--db", "games.db"]  # noqa: S104 - that is what is tested
    with pexpect.spawn(sys.executable, arguments, encoding="utf-8", cwd=str(tmp_path), timeout=30) as server:
        server.expect_exact("Others can join at")
        server.expect("█ ▄▄▄▄▄ █")


def test_options_are_read_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBERLINE_PUBLIC_URL", "https://games.example.org/")
    with started(tmp_path) as (server, url):
        assert server.stdout
        assert server.stdout.readline() == "Others can join at https://games.example.org/\n"
        assert httpx.get(f"{url}api/server", timeout=30).json()["public_url"] == "https://games.example.org"


def test_output_contains_no_personal_data(tmp_path: Path) -> None:
    with started(tmp_path) as (server, url):
        seats = [{"name": "Rumpelstilz"}, None]
        made = httpx.post(f"{url}api/matches", json={"variant": "flag-chase", "seats": seats}, timeout=30).json()
        httpx.get(f"{url}api/matches/{made['match']}")
        httpx.get(f"{url}play/{made['match']}")
        os.kill(server.pid, signal.SIGTERM)
        printed = "".join(server.communicate(timeout=30))
        assert [word for word in ("Rumpelstilz", made["match"], made["token"]) if word in printed] == []


def test_connections_have_tcp_nodelay() -> None:
    async def run() -> int:
        waits_not: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        async def welcomed(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = writer.get_extra_info("socket")
            waits_not.set_result(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        at = bind_socket("127.0.0.1", 0)
        async with await asyncio.start_server(welcomed, sock=at):
            _, guest = await asyncio.open_connection(*at.getsockname())
            guest.close()
            return await waits_not

    assert asyncio.run(run())
