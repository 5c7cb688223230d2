"""What a screen shows of a conversation, folded from its frames: the same in every language.

``apply`` never fails: every frame of every conversation folds, also of a kind that this version does not know. It decides
and words nothing. A view is changed in place; parts of a frame are shared with it and never changed by it, but for
defaults that a frame leaves out.
"""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Optional, cast

from .shape import is_known
from .wire import View

#: The longest output and the longest diff of an entry, in characters.
LONGEST = 4_000
#: The longest text among a call's arguments, in characters.
ARGUMENT = 400

Json = Dict[str, Any]


def empty_view() -> View:
    """A view of nothing."""
    return cast(View, _empty())


def view_of(frames: Iterable[Any]) -> View:
    """The view of a whole log."""
    view = empty_view()
    for frame in frames:
        apply(view, frame)
    return view


def apply(view: Any, frame: Any) -> None:
    """Takes in one frame."""
    known = is_known(frame)
    if is_of_agent(view, frame.get("conversation_id")):
        if known:
            _agent_frame(view, frame)
        return
    view["seq"] = frame["seq"]
    if known:
        _list(view, frame)
        _change(view, frame)
    else:
        kind = frame.get("event")
        _begin(view, frame, {"entry": "unknown", "kind": kind if isinstance(kind, str) else ""})
        _unknown(view, frame)


def is_of_agent(view: Any, conversation: Optional[str]) -> bool:
    """True where a frame or a piece of text belongs to a sub-agent of this conversation."""
    return view["conversation"] != "" and bool(conversation) and conversation != view["conversation"]


def agent_of(view: Any, conversation: Optional[str]) -> Optional[Json]:
    """The sub-agent that works in this conversation."""
    return next((it for it in view.get("agents", []) if it["conversation"] == conversation), None)


def call_entry(view: Any, call: str) -> Optional[Json]:
    """The entry of a call."""
    return next((it for it in reversed(view["entries"]) if it["entry"] == "call" and it["call"] == call), None)


def parent_of(conversation: str) -> Optional[str]:
    """The conversation that this one is a sub-agent of; none for one that a user began."""
    found = re.fullmatch(r"(.+)\.\+?([0-9]+)", conversation, re.DOTALL)
    return found[1] if found and int(found[2]) < 2**32 else None


# ---------------------------------------------------------------- what each event changes


def _empty() -> Json:
    return {
        "conversation": "", "root": "", "name": None, "seq": 0, "mode": "auto", "approval": "ask", "model": "",
        "effort": None, "sandbox_reach": None, "not_isolated": None, "turn": 0, "busy": False, "began": 0,
        "iteration": [0, 0], "stage": None, "stages": [], "calls": [], "running": [], "checks": None, "retry": None,
        "asked": [], "answered": [], "queue": [], "jobs": [], "files": {}, "todos": [], "plan": None, "changes": [],
        "turns": [], "account": {"turn": _nothing(), "conversation": _nothing(), "cost_limit": None, "token_limit": None},
        "window": [0, 0], "failure": None, "reply": "", "summary": None, "workflow": "explore", "stop": None, "entries": [],
    }  # fmt: skip


#: Events that set one field of the view to one field of theirs.
_SET = {
    "named": ("name", "name"), "model_failed": ("failure", "failure"),
    "retry": ("retry", "until"), "todo": ("todos", "items"), "workflow": ("workflow", "state"), "mode_set": ("mode", "mode"),
    "model_set": ("model", "model"), "effort_set": ("effort", "effort"), "approval_set": ("approval", "policy"),
    "summary": ("summary", "summary"), "stopped": ("stop", "stop"),
}  # fmt: skip


def _change(view: Json, frame: Json) -> None:
    event = frame["event"]
    if event in _SET:
        field, of = _SET[event]
        view[field] = frame.get(of)
    elif event == "conversation_id":
        view.update(conversation=frame["id"], root=frame["root"])
    elif event == "turn_start":
        _turn(view, frame)
    elif event == "stage_enter":
        # A claim begins a turn, also after a crash that left the turn before without its end.
        if frame["stage"] == "claim":
            view["stages"] = []
        view["stage"] = frame["stage"]
    elif event == "queued":
        view["unread"] = view.get("unread", []) + [frame["text"]]
    elif event == "taken_back":
        unread = view.pop("unread", [])
        kept = unread[: max(0, len(unread) - frame["count"])]
        view.update({"unread": kept} if kept else {})
    elif event == "stage_exit":
        view["stage"] = None
        view["stages"].append([frame["stage"], frame["duration_ms"], frame["success"]])
    elif event == "iteration_start":
        view.pop("unread", None)
        view.update(iteration=[frame["iteration"], frame["total"]], retry=None)
    elif event == "woken":
        view["retry"] = None
    elif event == "token_usage":
        view["window"] = [frame["used"], frame["window"]]
    elif event == "plan":
        view["plan"] = _numbered(frame["plan"])
    elif event == "files_set":
        view["files"] = {name: frame[name] for name in ("files", "excluded") if name in frame}
    elif event == "prompt_queued":
        view["queue"].append({name: frame[name] for name in ("id", "text", "images", "mode") if frame.get(name) is not None})
    elif event == "queue_set":
        view["queue"] = _reordered(view["queue"], frame["prompts"])
    elif event == "background":
        view["jobs"] = [it for it in view["jobs"] if it["id"] != frame["id"]]
        if frame["state"] == "started":
            view["jobs"].append({name: frame[name] for name in ("id", "command", "state")} | {"since": frame["time"]})
    elif event == "rewound":
        view["turns"] = [it for it in view["turns"] if it["number"] < frame["turn"]]
    elif event in ("agent_start", "agent_end"):
        _agent(view, frame)
    elif event == "repair":
        view["stop"] = None
    else:
        _work(view, frame)


def _work(view: Json, frame: Json) -> None:
    """Replies, calls, questions, checks and the end."""
    event, call = frame["event"], frame.get("call")
    if event == "stream_complete":
        _add_spent(view, frame["usage"], frame.get("cost"), 1)
        view.update(failure=None, retry=None, reply=frame["text"], calls=frame.get("calls", []))
    elif event == "amended":
        amended = frame["call"]
        _settled(view, amended["id"])
        view["calls"] = [amended if it["id"] == amended["id"] else it for it in view["calls"]]
    elif event in ("approval_request", "question"):
        _ask(view, frame)
    elif event in ("approval", "answer"):
        _settled(view, call)
    elif event == "tool_start":
        view["running"].append([call, frame["time"]])
    elif event == "tool_complete":
        _unrun(view, call)
        _unask(view, call)
        changed = frame["outcome"].get("changed", [])
        if view["turns"]:
            view["turns"][-1]["files"] += [it["path"] for it in changed]
        view["changes"] += changed
    elif event == "lost":
        _unrun(view, call)
    elif event == "checks_start":
        view["checks"] = [frame["time"], frame["round"]]
    elif event == "check_result":
        view["checks"] = None
    elif event == "completion":
        view["stop"] = frame["stop"]
        _end(view)


def _unknown(view: Json, frame: Json) -> None:
    """An event of a newer version. A known kind with a value that is not known still ends what it ends, so that nobody
    waits for ever."""
    event = frame.get("event")
    call = frame["call"] if isinstance(frame.get("call"), str) else ""
    if event in ("approval", "answer"):
        _unask(view, call)
    elif event == "tool_complete":
        _unrun(view, call)
        _unask(view, call)
        if entry := call_entry(view, call):
            entry["state"] = "settled"
    elif event == "check_result":
        view["checks"] = None
    elif event == "completion":
        _end(view)


def _end(view: Json) -> None:
    """The turn is over: nothing runs and nothing waits for the user."""
    view.update(busy=False, asked=[], running=[], checks=None, retry=None)
    view.pop("agents", None)


#: What a view keeps when a turn begins.
_KEPT = ("conversation", "root", "name", "seq", "entries", "queue", "jobs", "stages", "stage", "todos", "plan", "turns", "account")


def _turn(view: Json, frame: Json) -> None:
    limits, model, rules = frame["limits"], frame["model"], frame["rules"]
    view["account"].update(turn=_nothing(), cost_limit=limits.get("cost"), token_limit=limits.get("tokens"))
    if not view["turns"] or view["turns"][-1]["number"] != frame["turn"]:
        view["turns"].append({"number": frame["turn"], "began": frame["time"], "prompt": frame["prompt"], "files": []})
    kept = {name: view[name] for name in _KEPT}
    view.pop("agents", None)
    view.pop("unread", None)
    view.update(_empty())
    view.update(kept)
    view.update(
        turn=frame["turn"],
        mode=frame["mode"],
        approval=rules["approval"],
        sandbox_reach=rules.get("reach", {}) if rules.get("isolated") else None,
        not_isolated=rules.get("not_isolated"),
        model=model["name"],
        effort=model.get("effort"),
        iteration=[0, limits["iterations"]],
        busy=True,
        began=frame["time"],
    )


def _ask(view: Json, frame: Json, agent: Optional[str] = None) -> None:
    """Something waits for the user; ``agent`` is the kind of the sub-agent that asks."""
    # A sub-agent's events so far come again with each subscription.
    if agent is not None and any(it["call"] == frame["call"] for it in view["asked"]):
        return
    if frame["event"] == "question":
        names = ("call", "text")
        asked = {"asks": "question"} | {name: frame[name] for name in names} | {"options": frame.get("options", [])}
    else:
        asked = {"asks": "approval"} | {name: frame[name] for name in ("call", "tool", "args", "level")}
        asked |= {"commands": frame.get("commands", []), "effects": frame.get("effects", [])}
        asked |= {"why": frame["why"], "always": frame["always"]}
        asked |= {name: frame[name] for name in ("hosts", "further", "changes") if frame.get(name)}
        asked["sandbox_reach"] = view["sandbox_reach"]
    if agent is not None:
        asked["agent"] = agent
    view["asked"].append(asked)


def _settled(view: Json, call: Any) -> None:
    _unask(view, call)
    view["answered"].append(call)


def _unask(view: Json, call: Any) -> None:
    if view["asked"]:
        view["asked"] = [it for it in view["asked"] if it["call"] != call]


def _unrun(view: Json, call: Any) -> None:
    view["running"] = [it for it in view["running"] if it[0] != call]


def _reordered(queue: List[Json], order: List[str]) -> List[Json]:
    """The prompts in this order; those that are not named wait no longer."""
    waiting, ordered = list(queue), []
    for name in order:
        at = next((at for at, it in enumerate(waiting) if it["id"] == name), None)
        if at is not None:
            ordered.append(waiting.pop(at))
    return ordered


def _numbered(plan: Json) -> Optional[Json]:
    """The plan with a number for each step; none where it says nothing."""
    if not any(plan.get(name) for name in ("goal", "text", "steps", "risks", "questions", "options")):
        return None
    free = max((it["id"] for it in plan["steps"]), default=0)
    steps = []
    for step in plan["steps"]:
        free += step["id"] == 0
        steps.append(step if step["id"] else step | {"id": free})
    return plan | {"steps": steps}


# ---------------------------------------------------------------- the list of entries


def _list(view: Json, frame: Json) -> None:
    """Keeps the list of entries."""
    event: str = frame["event"]
    call: Any = frame.get("call")
    if event == "stream_complete":
        _replied(view, frame)
    elif event == "amended":
        _entry(view, call["id"], {"args": _short(call["args"])})
    elif event == "approval_request":
        _entry(view, call, {"state": "asking"})
    elif event == "approval":
        _entry(view, call, {"decision": frame["decision"]})
    elif event == "tool_start":
        _entry(view, call, {"state": "running"})
    elif event == "tool_complete":
        _entry(view, call, _outcome(frame["outcome"]))
    elif event == "lost":
        _entry(view, call, _outcome({"status": "lost", "output": ""}))
    elif event == "answer":
        found = (it for it in reversed(view["entries"]) if it["entry"] == "question" and it["call"] == call)
        if question := next(found, None):
            question["answer"] = frame["text"]
    elif event == "check_result":
        checks = next((it for it in reversed(view["entries"]) if it["entry"] == "checks"), None)
        if checks is not None and checks["report"] is None:
            checks["report"] = frame["report"]
        else:
            _begin(view, frame, _checks(frame, frame["report"]))
    elif kind := _entry_of(frame):
        _begin(view, frame, kind)


def _begin(view: Json, frame: Json, kind: Json) -> None:
    view["entries"].append({"seq": frame["seq"], "time": frame["time"]} | kind)


def _entry(view: Json, call: Any, change: Json) -> None:
    if entry := call_entry(view, call):
        entry.update(change)


def _outcome(outcome: Json) -> Json:
    text = outcome["output"]
    return {
        "state": "settled",
        "status": outcome["status"],
        "output": {"text": text[-LONGEST:], "left_out": max(0, len(text) - LONGEST)},
        "changed": [it | {"diff": _cut(it["diff"], LONGEST)} if it.get("diff") else it for it in outcome.get("changed", [])],
        "exit_code": outcome.get("exit_code"),
        "duration_ms": outcome.get("duration_ms", 0),
    }


def _replied(view: Json, frame: Json) -> None:
    thinking = [it["text"] for it in frame.get("reasoning", []) if it.get("text")]
    reply = {"entry": "reply", "message": frame["message_id"], "text": frame["text"], "thinking": "\n\n".join(thinking)}
    _begin(view, frame, reply | {"images": len(frame.get("images", [])), "finish": frame["finish"]})
    for call in frame.get("calls", []):
        # What a concluding call says is in the summary.
        if call["facts"]["kind"] != "conclude":
            _begin(view, frame, _proposed(call))


def _proposed(call: Json) -> Json:
    return {
        "entry": "call", "call": call["id"], "tool": call["tool"], "args": _short(call["args"]),
        "level": call["facts"]["level"], "state": "proposed", "decision": None, "status": None,
        "output": {"text": "", "left_out": 0}, "changed": [], "exit_code": None, "duration_ms": 0,
    }  # fmt: skip


def _checks(frame: Json, report: Optional[Json]) -> Json:
    return {"entry": "checks"} | {name: frame[name] for name in ("baseline", "round", "total")} | {"report": report}


#: Kinds of events that are entries as they are.
_NOTICES = frozenset(
    "model_failed intent repair prefix_dropped retry downgrade fallback pruned todo plan refusal taken_back interrupted mode_set "
    "approval_set user_command model_set effort_set files_set earlier_turns restored rewound hooked background agent_end "
    "error".split()
)
#: The place of an event, which is no part of it.
_PLACE = frozenset(["v", "conversation_id", "seq", "time", "command_id"])


def _entry_of(frame: Json) -> Optional[Json]:
    """The entry that an event begins; none where it changes one that is there, or is nothing to point at."""
    event = frame["event"]
    images = len(frame.get("images", []))
    if event == "turn_start":
        return {"entry": "prompt", "turn": frame["turn"], "text": frame["prompt"], "images": images}
    if event == "queued":
        return {"entry": "steering", "text": frame["text"], "images": images}
    if event == "question":
        options = frame.get("options", [])
        return {"entry": "question", "call": frame["call"], "text": frame["text"], "options": options, "answer": None}
    if event == "checks_start":
        return _checks(frame, None)
    if event == "summary":
        return {"entry": "summary", "summary": frame["summary"]}
    if event == "completion":
        return {"entry": "end", "stop": frame["stop"]}
    if event in _NOTICES or (event == "checkpoint" and frame.get("skipped")):
        return {"entry": "notice", "event": {name: it for name, it in frame.items() if name not in _PLACE}}
    return None


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"


def _short(args: Any) -> Any:
    """Arguments with long texts cut, at any depth."""
    if isinstance(args, str):
        return _cut(args, ARGUMENT)
    if isinstance(args, list):
        return [_short(it) for it in args]
    return {name: _short(it) for name, it in args.items()} if isinstance(args, dict) else args


# ---------------------------------------------------------------- sub-agents


def _agent(view: Json, frame: Json) -> None:
    name, agents = frame["agent"], cast(List[Json], view.get("agents", []))
    if frame["event"] == "agent_start":
        if agent_of(view, name) is None:
            iteration = [0, frame["limits"]["iterations"]]
            agent = {"conversation": name, "call": frame["call"], "kind": frame["request"]["kind"]}
            view["agents"] = agents + [agent | {"iteration": iteration, "tool": ""}]
        return
    # What it used holds what its own sub-agents used.
    if parent_of(name) == view["conversation"]:
        _add_spent(view, frame["usage"], frame.get("cost"), frame["iterations"])
    view["agents"] = [it for it in agents if it["conversation"] != name]
    if not view["agents"]:
        del view["agents"]


def _agent_frame(view: Json, frame: Json) -> None:
    """What happens in a sub-agent: how far it is, and what it asks."""
    running, event = agent_of(view, frame["conversation_id"]), frame["event"]
    if event in ("approval_request", "question"):
        _ask(view, frame, running["kind"] if running else "")
    elif event in ("approval", "answer"):
        _settled(view, frame["call"])
    elif event == "amended":
        _settled(view, frame["call"]["id"])
    elif event == "tool_complete":
        _unask(view, frame["call"])
    elif event == "completion":
        prefix = _call_prefix(frame["conversation_id"])
        view["asked"] = [it for it in view["asked"] if not it["call"].startswith(prefix)]
    elif event in ("agent_start", "agent_end"):
        _agent(view, frame)
    elif event == "iteration_start" and running:
        running["iteration"] = [frame["iteration"], frame["total"]]
    elif event == "tool_start" and running:
        running["tool"] = frame["tool"]


def _call_prefix(conversation: str) -> str:
    """What the ids of a sub-agent's calls begin with: ``a3_`` for the third, ``a3_1_`` for the first one of that."""
    parent = parent_of(conversation)
    if parent is None:
        return ""
    return f"{_call_prefix(parent) or 'a'}{conversation[len(parent) + 1:]}_"


# ---------------------------------------------------------------- what was used


def _nothing() -> Json:
    usage = dict.fromkeys(("input", "cache_read", "cache_write", "output", "reasoning"), 0)
    return {"usage": usage, "cost": 0, "requests": 0, "unpriced": 0}


def _add_spent(view: Json, usage: Json, cost: Optional[int], requests: int) -> None:
    """Counts so many requests; one whose price is not known is counted as such and never as free."""
    if requests == 0:
        return
    for spent in (view["account"]["turn"], view["account"]["conversation"]):
        for name in spent["usage"]:
            spent["usage"][name] += usage[name]
        spent["requests"] += requests
        spent["unpriced"] += requests if cost is None else 0
        spent["cost"] += cost or 0
