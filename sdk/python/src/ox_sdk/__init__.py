"""Client of Ox, the coding agent."""

from .client import Conversation, Ox, State
from .errors import OxError
from .events import EventParser, ServerEvent, Update, Updates, Waits
from .live import Live, LiveText
from .view import agent_of, apply, call_entry, empty_view, is_of_agent, parent_of, view_of

__all__ = [
    "Conversation", "EventParser", "Live", "LiveText", "Ox", "OxError", "ServerEvent", "State", "Update", "Updates", "Waits",
    "agent_of", "apply", "call_entry", "empty_view", "is_of_agent", "parent_of", "view_of",
]  # fmt: skip
