"""What a server refused, or why it could not be reached."""

from __future__ import annotations

import json
from typing import Any, Dict, Optional


class OxError(Exception):
    """A request failed; the text is a sentence for people.

    ``code`` is the reason, for example ``server.not_found``, or ``connection`` where no answer came; ``arguments`` is what
    the sentence is about: names, numbers, and what would be lost; ``status`` is that of the answer, 0 where none came.
    """

    def __init__(self, code: str, message: str, arguments: Optional[Dict[str, Any]] = None, status: int = 0) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.arguments = arguments or {}
        self.status = status

    @property
    def passing(self) -> bool:
        """True where the same request may be answered later."""
        return self.status in (0, 408, 429) or self.status >= 500

    @staticmethod
    def of(status: int, reason: str, body: bytes) -> "OxError":
        """The error that an answer stands for."""
        text = body.decode("utf-8", "replace")
        try:
            value = json.loads(text)
            return OxError(value["code"], value.get("message", value["code"]), value.get("args"), status)
        except (ValueError, KeyError, TypeError, AttributeError):
            # It comes from something in between, which words its errors in its own way.
            return OxError(f"http.{status}", text[:500].strip() or reason or f"HTTP {status}", None, status)
