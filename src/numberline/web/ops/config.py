"""How the server is set up: where it listens, what it is called, and where it keeps what happens."""

from __future__ import annotations

import errno
import os
import re
import socket
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from numberline.errors import NumberlineError
from numberline.web.ops.security import LOOPBACK_HOSTS, OriginPolicy, is_ip_address

_NAME = re.compile(r"(?!0x)(?=[^a-z]*[a-z])[a-z0-9._-]+", re.IGNORECASE)
"""What a machine can be called; without a letter it would be an address."""


class WebError(NumberlineError):
    """A server that can't be opened; the text says why and what to do."""


class ServerConfig(NamedTuple):
    """How the server was started."""

    database: str
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str = ""
    keep: int = 90
    """So many days after its end a match is kept."""
    metrics: bool = False
    """Whether others than this machine may see how much happens."""
    proxies: tuple[str, ...] = ()
    """Addresses that are believed whom they ask for, besides this machine's own."""
    log: str = "plain"
    """How each of several processes notes what happens."""
    books: tuple[tuple[str, str], ...] = ()
    """The names and TOML texts of custom books that are offered on the first page."""

    @property
    def local_only(self) -> bool:
        """Whether nobody but this machine can reach it."""
        return not self.public_url and self.host in {"127.0.0.1", "localhost", "::1"}

    @property
    def listens_on_all(self) -> bool:
        """Whether it answers on every address of this machine."""
        return is_wildcard_host(self.host)

    def base_url(self, host: str, scheme: str) -> str:
        """What links begin with, for somebody who reached the server by this host; others must reach it too."""
        if self.public_url:
            return self.public_url
        if self.listens_on_all and urlsplit(f"//{host}").hostname in LOOPBACK_HOSTS:
            return server_url(lan_address(), self.port)
        return f"{'https' if scheme in {'https', 'wss'} else 'http'}://{host}"

    def origin_policy(self) -> OriginPolicy:
        """Who may ask this server."""
        names = (socket.gethostname(), f"{socket.gethostname()}.local") if self.listens_on_all else (self.host,)
        return OriginPolicy(self.public_url, names, any_address=self.listens_on_all or is_ip_address(self.host))


def is_wildcard_host(host: str) -> bool:
    """Whether a host stands for every address of this machine.

    >>> is_wildcard_host("0.0.0.0"), is_wildcard_host("::"), is_wildcard_host("127.0.0.1")
    (True, True, False)
    """
    return is_ip_address(host) and ip_address(host).is_unspecified


def server_url(host: str, port: int) -> str:
    """What is typed to get there.

    >>> server_url("::1", 8000)
    'http://[::1]:8000'
    """
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def lan_address() -> str:
    """The address of this machine in its network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # nothing is sent; it only asks which way it would go
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def bind_socket(host: str, port: int) -> socket.socket:
    """A socket that people can connect to; raises one sentence where it can't be had."""
    if not (is_ip_address(host) or _NAME.fullmatch(host)):  # the system takes nothing, and 0, for every address
        raise WebError(_no_address(host))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio sends at once what is known as TCP
    if os.name != "nt":
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        opened.bind((host, port))
        opened.listen(2048)
    except OSError as error:
        opened.close()
        raise WebError(_why_not(error, host, port)) from None
    if is_wildcard_host(opened.getsockname()[0]) and not is_wildcard_host(host):
        opened.close()
        raise WebError(_no_address(host))
    return opened


def _why_not(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        return (
            f"port {port} is taken, perhaps by another numberline web; choose another, or let --port 0 find a free one"
        )
    if error.errno == errno.EACCES:
        return f"port {port} may not be used without more rights; choose one above 1023, such as --port 8000"
    return _no_address(host)


def _no_address(host: str) -> str:
    return f"{host or 'nothing'} is no address of this machine; leave --host out, or use --host 0.0.0.0 for all of them"
