"""The vendors of a load test, in a process of their own so that their cost is not counted.

The usual vendor servers make every answer once for each kind of user. The answer is then sent to all users with their
number in the ids, after a delay in seconds given by the second argument. The process ends with its standard input.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from bridge import registry
from bridge.recordings.server import Request
from lab.fleet.accounts import KINDS, MARK, SOURCES, accounts, number_of

# Within an hour nothing happens in the lives of these people: answers of the same hour are the same.
WITHIN_HOUR = re.compile(r"(\d{4}-\d\d-\d\dT\d\d)(?::|%3A)\d\d(?::|%3A)[0-9.]+")
Made = tuple[int, bytes, bytes]  # status, head lines, body


@dataclass(slots=True)
class Town:
    """The simulated servers of one vendor, one for each kind of user, with a cache of their answers."""

    source: str
    days: int
    vendors: list[Any] = field(init=False)
    made: dict[tuple[int, str, bytes], Made] = field(default_factory=dict)

    def __post_init__(self) -> None:
        vendor = registry.resolve(f"lab.vendors.{self.source}:Vendor")
        self.vendors = [vendor(accounts(kind, self.days)[self.source]) for kind in range(KINDS)]
        for one in self.vendors:
            one.allowed = sys.maxsize  # limits are another test's business

    def answer(self, method: str, target: str, token: str, body: bytes) -> bytes:
        """Return the answer to a request as HTTP bytes, with the user's number in its ids."""
        person = token.removeprefix("Bearer fleet-")
        if not person.isdigit():
            return _sent(401, b"", b"{}")
        own = number_of(int(person))
        kind = int(person) % KINDS
        target = target.replace(own, MARK)
        asked = kind, f"{method} " + WITHIN_HOUR.sub(r"\1", target), body
        if asked not in self.made:
            self.made[asked] = self._make(kind, method, target, body)
        status, head, content = self.made[asked]
        return _sent(status, head, content.replace(MARK.encode(), own.encode()))

    def _make(self, kind: int, method: str, target: str, body: bytes) -> Made:
        vendor, parts = self.vendors[kind], urlsplit(target)
        consent = vendor.grant()
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        request = Request(
            method=method,
            path=parts.path,
            query=dict(pairs),
            repeated={name: tuple(v for n, v in pairs if n == name) for name, _ in pairs},
            headers={"authorization": f"Bearer {consent.get('access_token') or consent.get('token')}"},
            body=body,
        )
        answer = vendor.application(request)
        head = "".join(f"{name}: {value}\r\n" for name, value in answer.headers.items())
        return answer.status, head.encode(), answer.encoded()


def _sent(status: int, head: bytes, content: bytes) -> bytes:
    first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\nContent-Type: application/json\r\n"
    return first.encode() + head + b"Content-Length: %d\r\n\r\n" % len(content) + content


class Visit(asyncio.Protocol):
    """An HTTP connection that is kept open until the client closes it."""

    def __init__(self, town: Town, wait: float) -> None:
        self._town, self._wait = town, wait
        self._come = b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._come += data
        while (end := self._come.find(b"\r\n\r\n")) >= 0:
            first, *lines = self._come[:end].decode("latin-1").split("\r\n")
            headers = {name.strip().lower(): value.strip() for name, _, value in (x.partition(":") for x in lines)}
            body_end = end + 4 + int(headers.get("content-length", 0))
            if len(self._come) < body_end:
                return
            body, self._come = self._come[end + 4 : body_end], self._come[body_end:]
            method, target, _ = first.split(" ", 2)
            method = headers.get("x-http-method-override", method)
            answer = self._town.answer(method, target, headers.get("authorization", ""), body)
            asyncio.get_running_loop().call_later(self._wait, self._transport.write, answer)


async def _serve(days: int, wait: float) -> None:
    loop = asyncio.get_running_loop()
    ports = {}
    for source in SOURCES:
        town = Town(source, days)
        server = await loop.create_server(lambda town=town: Visit(town, wait), "127.0.0.1", 0, backlog=512)  # type: ignore[misc]
        ports[source] = server.sockets[0].getsockname()[1]
    sys.stdout.write(json.dumps(ports) + "\n")
    sys.stdout.flush()
    await loop.run_in_executor(None, sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), float(sys.argv[2])))
