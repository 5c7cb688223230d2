"""The stream of a conversation's events.

Each update is handed out once and in order, also where the connection breaks: the reader connects again and says how far
it has come. An event of a name that this version does not know is handed out as it is.
"""

from __future__ import annotations

import codecs
import http.client
import json
import random
import re
import socket
import threading
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Literal, Optional, Tuple

from .errors import OxError

Cursors = Dict[str, int]
#: An open answer and what it comes through.
Opened = Tuple[socket.socket, http.client.HTTPResponse]
#: Opens the stream: how far the reader has come, the last id that it received (empty at first), and how long to wait.
Connect = Callable[[Cursors, str, float], Opened]


@dataclass(frozen=True)
class ServerEvent:
    """One event as the server sent it; ``id`` is the last id that was sent, empty where there was none."""

    event: str
    data: str
    id: str


@dataclass(frozen=True)
class Update:
    """One thing that a follower is told.

    ``value`` is the frame (an event was recorded), the delta (a piece of streaming text), or the view (a snapshot that
    stands in for too many events); nothing for ``changed``, the list of conversations changed; what was sent, under its
    name in ``event``, for ``other``, something of a newer version.
    """

    type: Literal["frame", "delta", "snapshot", "changed", "other"]
    value: Any
    event: str


@dataclass(frozen=True)
class Waits:
    """How long a follower waits, in seconds."""

    #: Before the first new attempt; it doubles with each, up to ``limit``.
    retry: float = 0.5
    limit: float = 30.0
    #: A connection that says nothing for this long is taken for broken; the server says something every 15 s.
    idle: float = 45.0


class EventParser:
    """Reads events out of bytes, however they are split."""

    def __init__(self) -> None:
        #: The wait before a new attempt that the server asked for, in ms.
        self.retry: Optional[int] = None
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._parts: List[str] = []
        self._after_return = False
        self._name, self._id = "", ""
        self._data: List[str] = []

    def push(self, data: bytes) -> List[ServerEvent]:
        """Takes in some bytes and returns the events that are complete with them."""
        text = self._decoder.decode(data)
        events: List[ServerEvent] = []
        if not text:
            return events
        start = 1 if self._after_return and text[0] == "\n" else 0
        self._after_return = False
        for end in re.compile("\r\n|\n|\r").finditer(text, start):
            self._parts.append(text[start : end.start()])
            self._take("".join(self._parts), events)
            self._parts.clear()
            start = end.end()
            self._after_return = end[0] == "\r" and start == len(text)
        self._parts.append(text[start:])
        return events

    def _take(self, line: str, events: List[ServerEvent]) -> None:
        if line == "":
            if self._data:
                events.append(ServerEvent(self._name or "message", "\n".join(self._data), self._id))
            self._name, self._data = "", []
            return
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        elif field == "id" and "\0" not in value:
            self._id = value
        elif field == "retry" and re.fullmatch("[0-9]+", value):
            self.retry = int(value)


class Updates:
    """Updates of one or several conversations, each once and in order; ``close`` ends them from any thread."""

    def __init__(self, connect: Connect, cursors: Cursors, waits: Waits = Waits()) -> None:
        self._connect, self._waits = connect, waits
        self._followed, self._seen = list(cursors), dict(cursors)
        self._last_id = ""
        self._closed = threading.Event()
        self._socket: Optional[socket.socket] = None
        self._all = self._follow()

    def __iter__(self) -> Iterator[Update]:
        return self

    def __next__(self) -> Update:
        return next(self._all)

    def __enter__(self) -> "Updates":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the updates; whoever waits for the next one gets none."""
        self._closed.set()
        open_socket = self._socket
        if open_socket is not None:
            try:
                open_socket.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def _follow(self) -> Iterator[Update]:
        wait = self._waits.retry
        attempts = 0
        while not self._closed.is_set():
            parser = EventParser()
            try:
                for event in self._events(parser):
                    # After an error of the server its stream ends.
                    if event.event in ("gap", "failed"):
                        break
                    attempts = 0
                    update = _update(event)
                    if self._is_new(update, event.id):
                        yield update
                        if self._closed.is_set():
                            return
            except OxError as error:
                if not error.passing and not self._closed.is_set():
                    raise
            except (OSError, http.client.HTTPException):
                pass
            wait = parser.retry / 1000 if parser.retry is not None else wait
            # Readers that were cut at the same moment do not come back at the same moment.
            self._closed.wait(min(self._waits.limit, wait * 2**min(attempts, 16)) * random.uniform(0.5, 1))
            attempts += 1

    def _events(self, parser: EventParser) -> Iterator[ServerEvent]:
        cursors = {name: self._seen[name] for name in self._followed}
        self._socket, response = self._connect(cursors, self._last_id, self._waits.idle)
        try:
            while not self._closed.is_set():
                data = response.read1(1 << 16)
                if not data:
                    return
                yield from parser.push(data)
        finally:
            response.close()
            self._socket.close()
            self._socket = None

    def _is_new(self, update: Update, last_id: str) -> bool:
        self._last_id = last_id
        if update.type == "snapshot":
            name = update.value["conversation"]
            # What sub-agents that run have recorded comes again after it.
            self._seen = {it: seq for it, seq in self._seen.items() if not it.startswith(f"{name}.")}
            self._seen[name] = update.value["seq"]
        if update.type != "frame":
            return True
        name = update.value.get("conversation_id") or next(iter(self._followed), "")
        if update.value["seq"] <= self._seen.get(name, 0):
            return False
        self._seen[name] = update.value["seq"]
        return True


def _update(it: ServerEvent) -> Update:
    if it.event == "changed":
        return Update("changed", None, it.event)
    try:
        value = json.loads(it.data)
    except ValueError:
        return Update("other", it.data, it.event)
    if it.event == "snapshot":
        return Update("snapshot", value["view"], it.event)
    if it.event == "frame":
        return Update("frame", value, it.event)
    return Update("delta" if it.event == "delta" else "other", value, it.event)
