"""Server configuration and the listening socket."""

from __future__ import annotations

import errno
import os
import re
import socket
from ipaddress import ip_network
from typing import NamedTuple
from urllib.parse import urlsplit

from numberline.errors import NumberlineError
from numberline.web.ops.rate_limit import Quota, client_address
from numberline.web.ops.security import LOOPBACK_HOSTS, OriginPolicy, parse_ip

# A host name must contain a letter; anything else is an address.
_HOST_NAME = re.compile(r"(?!0x)(?=[^a-z]*[a-z])[a-z0-9._-]+", re.IGNORECASE)


class WebError(NumberlineError):
    """Error that prevents the server from starting."""


class ServerConfig(NamedTuple):
    """Options of `numberline web`."""

    database: str
    host: str = "127.0.0.1"
    port: int = 8000
    public_url: str = ""
    keep: int = 90
    """Days after which finished or unused matches are deleted."""
    solvers: int = 2
    """Number of worker processes for solving and searching."""
    max_connections: int = 20_000
    """Maximum number of open connections; a single address can use at most 1/40 of them."""
    metrics: bool = False
    """Whether remote clients can read /metrics."""
    proxies: tuple[str, ...] = ()
    """Addresses and networks, in addition to localhost, whose X-Forwarded-For header is trusted."""
    log: str = "plain"
    """`plain` or `json`."""
    books: tuple[tuple[str, str], ...] = ()
    """Name and TOML source of each custom book to offer."""

    @property
    def local_only(self) -> bool:
        return not self.public_url and self.host in {"127.0.0.1", "localhost", "::1"}

    @property
    def listens_on_all(self) -> bool:
        return is_wildcard_host(self.host)

    def base_url(self, host: str, scheme: str, root_path: str = "") -> str:
        """Return the base URL for links.

        If the server listens on all interfaces, a loopback `host` is replaced by the machine's LAN address.
        """
        if self.public_url:
            return self.public_url
        if self.listens_on_all and urlsplit(f"//{host}").hostname in LOOPBACK_HOSTS:
            return server_url(lan_address(), self.port) + root_path
        return f"{'https' if scheme in {'https', 'wss'} else 'http'}://{host}{root_path}"

    def connection_quota(self) -> Quota:
        return Quota(self.max_connections // 40, self.max_connections)

    def quota_client(self, address: str) -> str:
        """Return the client whose connection quota applies; "" for this machine and proxies, which many share."""
        ip = parse_ip(address)
        is_shared = ip is None or ip.is_loopback or any(ip in ip_network(proxy) for proxy in self.proxies)
        return "" if is_shared else client_address(address)

    def origin_policy(self) -> OriginPolicy:
        names = (socket.gethostname(), f"{socket.gethostname()}.local") if self.listens_on_all else (self.host,)
        return OriginPolicy(self.public_url, names, any_address=self.listens_on_all or parse_ip(self.host) is not None)


def is_wildcard_host(host: str) -> bool:
    """Return whether `host` is a wildcard address, which stands for all interfaces of this machine.

    >>> is_wildcard_host("0.0.0.0"), is_wildcard_host("::"), is_wildcard_host("127.0.0.1")
    (True, True, False)
    """
    ip = parse_ip(host)
    return ip is not None and ip.is_unspecified


def server_url(host: str, port: int) -> str:
    """Return the URL to enter in a browser.

    >>> server_url("::1", 8000)
    'http://[::1]:8000'
    """
    return f"http://{f'[{host}]' if ':' in host else host}:{port}"


def lan_address() -> str:
    """Return this machine's address on the local network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing, but selects the interface
        except OSError:
            return "127.0.0.1"
        return str(probe.getsockname()[0])


def bind_socket(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise `WebError` if `host` or `port` can't be used."""
    if not (parse_ip(host) or _HOST_NAME.fullmatch(host)):  # the system treats "" and "0" as wildcard addresses
        raise WebError(_unknown_host_message(host))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sets TCP_NODELAY only on sockets created with IPPROTO_TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name != "nt":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise WebError(_bind_error_message(error, host, port)) from None
    if is_wildcard_host(listener.getsockname()[0]) and not is_wildcard_host(host):
        listener.close()
        raise WebError(_unknown_host_message(host))
    return listener


def _bind_error_message(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        problem = f"port {port} is in use, perhaps by another numberline web process"
        return f"{problem}; choose another, or use --port 0 for any free port"
    if error.errno == errno.EACCES:
        return f"permission denied for port {port}; choose a port above 1023, such as --port 8000"
    return _unknown_host_message(host)


def _unknown_host_message(host: str) -> str:
    problem = f"cannot bind to {host or 'an empty host'}: not an address of this machine"
    return f"{problem}; omit --host, or use --host 0.0.0.0 to listen on all interfaces"
