"""Tells events that this version knows from those that it does not.

An event of a known kind that holds a value which is not known counts as unknown as a whole, so that no reader ever acts
on half of it. What an older program left out is filled in with its default.
"""

from __future__ import annotations

import copy
import json
from importlib import resources
from typing import Any, Callable, Dict

Check = Callable[[Any], bool]

SHAPES: Dict[str, Dict[str, Any]] = json.loads(resources.files(__package__).joinpath("shapes.json").read_text("utf-8"))

_types: Dict[str, Check] = {}
_events: Dict[str, Check] = {}


def is_known(frame: Any) -> bool:
    """True where the event is one that this version knows in all its parts; then its defaults have been filled in."""
    kind = frame.get("event")
    if not isinstance(kind, str) or kind not in SHAPES["events"]:
        return False
    if kind not in _events:
        _events[kind] = _compile(SHAPES["events"][kind])
    return _events[kind](frame)


def _is_int(it: Any) -> bool:
    return isinstance(it, int) and not isinstance(it, bool)


_PRIMITIVES: Dict[str, Check] = {
    "s": lambda it: isinstance(it, str),
    "b": lambda it: isinstance(it, bool),
    "u": lambda it: _is_int(it) and it >= 0,
    "i": _is_int,
    "n": lambda it: _is_int(it) or isinstance(it, float),
    "*": lambda it: True,
}


def _compile(shape: Any) -> Check:
    if isinstance(shape, str):
        return _named(shape[1:]) if shape.startswith("@") else _PRIMITIVES[shape]
    if isinstance(shape, dict):
        return _fields(shape)
    kind, *rest = shape
    if kind == "=":
        return lambda it: isinstance(it, str) and it in rest
    if kind == "t":
        by = {name: _compile(one) for name, one in rest[1].items()}
        return lambda it: isinstance(it, dict) and by.get(str(it.get(rest[0])), lambda _: False)(it)
    checks = [_compile(one) for one in rest]
    first = checks[0]
    if kind == "?":
        return lambda it: it is None or first(it)
    if kind == "[":
        return lambda it: isinstance(it, list) and all(map(first, it))
    if kind == "(":
        return lambda it: isinstance(it, list) and len(it) == len(checks) and all(c(v) for c, v in zip(checks, it))
    if kind == "{":
        return lambda it: isinstance(it, dict) and all(map(first, it.values()))
    return lambda it: any(check(it) for check in checks)


def _named(name: str) -> Check:
    """A type by its name; compiled when it is first met, since types may hold themselves."""

    def check(it: Any) -> bool:
        if name not in _types:
            of = _compile(SHAPES["types"][name])
            _types[name] = _plan_step(of) if name == "PlanStep" else of
        return _types[name](it)

    return check


def _plan_step(check: Check) -> Check:
    """Logs of earlier versions say ``done: true`` of a step."""

    def step(it: Any) -> bool:
        if isinstance(it, dict):
            said = it.pop("done", it.get("state"))
            if isinstance(said, bool):
                it["state"] = "said" if said else "open"
        return check(it)

    return step


def _fields(of: Dict[str, Any]) -> Check:
    more = [_compile(one) for one in of.get("+", [])]
    must = [(name, _compile(one)) for name, one in of.items() if name != "+" and not name.endswith("?")]
    may = [(name[:-1], one) for name, one in of.items() if name.endswith("?")]
    filled = [(name, one[1]) for name, one in may if isinstance(one, list) and one[0] == "~"]
    given = [(name, _compile(one[2] if isinstance(one, list) and one[0] == "~" else one)) for name, one in may]

    def check(it: Any) -> bool:
        if not isinstance(it, dict):
            return False
        for name, default in filled:
            if name not in it:
                it[name] = copy.deepcopy(default)
        return (
            all(name in it and one(it[name]) for name, one in must)
            and all(name not in it or one(it[name]) for name, one in given)
            and all(one(it) for one in more)
        )

    return check
