"""Text that streams, as far as it has come: of a reply, of its reasoning, of a command's output.

It is shown and never stored: the event that ends a stream carries the whole text, so what streamed is dropped then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Tuple

#: How much of a command's output is kept, in bytes.
OUTPUT = 64 * 1024


@dataclass
class LiveText:
    """One stream: ``data`` is the text so far in UTF-8, which begins at byte ``start`` of the stream."""

    conversation: str
    kind: str
    message: str
    call: str
    start: int
    data: bytearray

    @property
    def text(self) -> str:
        """The text so far; of a long output its end."""
        return self.data.decode("utf-8", "ignore")


class Live:
    """All text that streams in a conversation and its sub-agents."""

    def __init__(self) -> None:
        self._streams: Dict[Tuple[str, str, str, str], LiveText] = {}

    def take(self, delta: Any) -> None:
        """Takes in a piece. One with offset 0 begins anew; what is there already is not taken twice."""
        key = (delta.get("conversation_id", ""), delta["event"], delta["message_id"], delta.get("call") or "")
        offset, piece = delta["offset"], delta["delta"].encode("utf-8")
        known = self._streams.get(key)
        if known is None or offset == 0 or not known.start <= offset <= known.start + len(known.data):
            self._streams[key] = LiveText(*key, offset, bytearray(piece))
            return
        known.data += piece[known.start + len(known.data) - offset :]
        if known.kind == "tool_output" and len(known.data) > 2 * OUTPUT:
            cut = len(known.data) - OUTPUT
            known.start += cut
            del known.data[:cut]

    def settle(self, frame: Any) -> None:
        """Drops what a frame stands in for."""
        conversation, event, call = frame.get("conversation_id", ""), frame["event"], frame.get("call")

        def here(it: LiveText) -> bool:
            return it.conversation in (conversation, "")

        if event in ("stream_complete", "model_failed", "stopped"):
            self._drop(lambda it: here(it) and it.kind != "tool_output")
        elif event == "tool_complete":
            self._drop(lambda it: here(it) and it.call == call)
        elif event == "user_command":
            self._drop(lambda it: here(it) and it.call == "user_command")
        elif event == "agent_end":
            self._drop(lambda it: _is_within(it.conversation, frame.get("agent", "")))
        elif event == "completion":
            self._drop(lambda it: here(it) or _is_within(it.conversation, conversation))

    def reply(self, message: str) -> str:
        """The text so far of a reply."""
        return self._find(lambda it: it.kind == "stream_delta" and it.message == message and it.call == "")

    def thinking(self, message: str) -> str:
        """The reasoning so far of a reply."""
        return self._find(lambda it: it.kind == "thinking" and it.message == message)

    def output(self, call: str) -> str:
        """The output so far of a call."""
        return self._find(lambda it: it.kind == "tool_output" and it.call == call)

    def all(self) -> List[LiveText]:
        """Everything that streams, in the order in which it began."""
        return list(self._streams.values())

    def clear(self) -> None:
        """Drops everything."""
        self._streams.clear()

    def _find(self, wanted: Callable[[LiveText], bool]) -> str:
        return next((it.text for it in self._streams.values() if wanted(it)), "")

    def _drop(self, ended: Callable[[LiveText], bool]) -> None:
        self._streams = {key: it for key, it in self._streams.items() if not ended(it)}


def _is_within(conversation: str, above: str) -> bool:
    return above != "" and (conversation == above or conversation.startswith(f"{above}."))
