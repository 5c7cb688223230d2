"""A client of ``ox serve``: its routes, and a conversation that can be prompted and followed."""

from __future__ import annotations

import http.client
import json
import secrets
from dataclasses import dataclass
from typing import Any, Callable, Dict, List, Optional, Union
from urllib.parse import quote, urlencode, urlsplit

from .errors import OxError
from .events import Cursors, Opened, Update, Updates, Waits
from .live import Live
from .view import apply, empty_view, is_of_agent
from .wire import ApprovalRequest, Command, Decision, FileChange, Frame, Image, View

Json = Dict[str, Any]
Query = Dict[str, Any]


class Ox:
    """The server. An instance holds no connection and may be used by several threads.

    Answers are plain dictionaries, with the fields that the server's OpenAPI document names.
    """

    def __init__(
        self, base_url: str, token: Optional[str] = None, *, language: Optional[str] = None, timeout: float = 60
    ) -> None:
        self._url = urlsplit(base_url.rstrip("/"))
        self._timeout = timeout
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        if language:
            self._headers["Accept-Language"] = language

    def _open(
        self, method: str, path: str, query: Optional[Query], body: Any, headers: Dict[str, str], timeout: float
    ) -> Opened:
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=timeout)
        given = [(name, it) for name, it in (query or {}).items() if it is not None]
        target = self._url.path + path + (f"?{urlencode(given, doseq=True)}" if given else "")
        headers = self._headers | headers
        data = None
        if body is not None:
            data, headers = json.dumps(body).encode(), headers | {"Content-Type": "application/json"}
        try:
            connection.connect()
            opened = connection.sock
            connection.request(method, target, data, headers)
            response = connection.getresponse()
            if response.status >= 300:
                raise OxError.of(response.status, response.reason, response.read())
        except BaseException:
            connection.close()
            raise
        return opened, response

    def content(
        self, method: str, path: str, *, query: Optional[Query] = None, body: Any = None,
        headers: Optional[Dict[str, str]] = None, again: Optional[bool] = None,
    ) -> bytes:  # fmt: skip
        """Asks a route and returns the body of the answer; one that is not a success is raised as ``OxError``. ``again``
        asks once more where the connection breaks: for requests that do not take effect twice, by default ``GET``."""
        attempts = 2 if again or (again is None and method == "GET") else 1
        while True:
            attempts -= 1
            try:
                opened, response = self._open(method, path, query, body, headers or {}, self._timeout)
                with opened, response:
                    return response.read()
            except (OSError, http.client.HTTPException) as error:
                if attempts == 0:
                    raise OxError("connection", f"{method} {path}: {error or type(error).__name__}") from error

    def request(self, method: str, path: str, **options: Any) -> Any:
        """Asks a route and returns what it answers; the options are those of ``content``."""
        text = self.content(method, path, **options)
        return json.loads(text) if text else None

    def _get(self, path: str, /, **query: Any) -> Any:
        return self.request("GET", path, query=query)

    # ------------------------------------------------------------ the server itself

    def health(self) -> Json:
        """Whether it answers, and its version."""
        return self._get("/health")

    def about(self) -> Json:
        """Its version, its language and its projects."""
        return self._get("/api/about")

    def words(self, language: Optional[str] = None) -> Dict[str, str]:
        """All sentences that a page shows, by key."""
        return self._get("/api/words", language=language)

    def render(self, items: List[Json]) -> List[Json]:
        """Markdown, code, diffs and events as data that can be drawn, in the order in which they are given."""
        return self.request("POST", "/api/render", body={"items": items}, again=True)["items"]

    # ------------------------------------------------------------ projects

    def projects(self) -> List[Json]:
        """The projects that are open; ``key`` names one in what follows."""
        return self._get("/api/projects")

    def open_project(self, root: str) -> Json:
        """Opens a further folder."""
        return self.request("POST", "/api/projects", body={"root": root})

    def in_project(self, project: str, path: str, /, **query: Any) -> Json:
        """What a route of a project answers: ``files``, ``file``, ``complete``, ``query``, ``graph``, ``context``,
        ``checks``, ``checkpoints``, ``config``, ``models``, ``memory``; a list is a field that is given several times."""
        return self._get(f"/api/projects/{_part(project)}/{path}", **query)

    def checkpoints(self, project: str) -> List[Json]:
        """The recorded states of its files, by turn, newest first."""
        return self.in_project(project, "checkpoints")["turns"]

    def checkpoint_diff(self, project: str, state: str, path: Optional[str] = None) -> List[Json]:
        """How a recorded state differs from now."""
        return self.in_project(project, f"checkpoints/{_part(state)}/diff", path=path)["files"]

    def restore_preview(self, project: str, state: str) -> List[FileChange]:
        """What putting a state back would change."""
        return self.in_project(project, f"checkpoints/{_part(state)}/restore")["changes"]

    def restore(self, project: str, state: str, paths: Optional[List[str]] = None) -> Json:
        """Puts a state back, in all files or in these."""
        body = {} if paths is None else {"paths": paths}
        return self.request("POST", f"/api/projects/{_part(project)}/checkpoints/{_part(state)}/restore", body=body)

    def set_config(self, project: str, key: str, value: Any) -> None:
        """Writes a setting to the user's own file."""
        self.request("PUT", f"/api/projects/{_part(project)}/config", body={"key": key, "value": value})

    def forget(self, project: str, turn: str) -> None:
        """Drops a turn from what the project remembers."""
        self.request("DELETE", f"/api/projects/{_part(project)}/memory/{_part(turn)}")

    # ------------------------------------------------------------ conversations

    def conversations(
        self, project: Optional[str] = None, search: Optional[str] = None, limit: Optional[int] = None
    ) -> List[Json]:
        """The conversations, newest first."""
        return self._get("/api/conversations", project=project, search=search, limit=limit)["conversations"]

    def create(self, project: str, **options: str) -> "Conversation":
        """Begins a conversation; the options are ``name``, ``model``, ``mode`` and ``approval``."""
        info = self.request("POST", "/api/conversations", body={"project": project} | options)
        return Conversation(self, info["id"])

    def conversation(self, id: str) -> "Conversation":
        """A conversation that is there."""
        return Conversation(self, id)

    def follow(self, id: str, after: int = 0, waits: Waits = Waits()) -> Updates:
        """Updates of a conversation after the event of this number, each once and in order, until they are closed."""
        path = f"/api/conversations/{_part(id)}/events"
        return Updates(lambda at, *rest: self._stream(path, {"after": at[id]}, *rest), {id: after}, waits)

    def follow_many(self, cursors: Cursors, waits: Waits = Waits()) -> Updates:
        """Updates of several conversations over one connection, and ``changed`` where the list of them changed."""

        def query(at: Cursors) -> Query:
            return {"follow": ",".join(f"{name}:{seq}" for name, seq in at.items()) or None}

        return Updates(lambda at, *rest: self._stream("/api/events", query(at), *rest), cursors, waits)

    def _stream(
        self, path: str, query: Query, last_id: str, timeout: float
    ) -> Opened:
        headers = {"Accept": "text/event-stream"} | ({"Last-Event-ID": last_id} if last_id else {})
        return self._open("GET", path, query, None, headers, timeout)


#: Decides about a call: true allows it, false denies it. None leaves it to others, who see it too.
OnApproval = Callable[[ApprovalRequest, View], Union[Decision, bool, None]]
#: Answers a question of the agent. None leaves it to others.
OnQuestion = Callable[[Any, View], Optional[str]]


@dataclass
class State:
    """A view and the text that streams, as updates change them."""

    view: View
    live: Live

    def take(self, update: Update) -> None:
        """Takes in an update."""
        if update.type == "snapshot":
            self.view = {**empty_view(), **update.value}
            self.live.clear()
        elif update.type == "delta":
            self.live.take(update.value)
        elif update.type == "frame":
            apply(self.view, update.value)
            self.live.settle(update.value)


class Conversation:
    """One conversation; iterating over it follows it from its beginning."""

    def __init__(self, ox: Ox, id: str) -> None:
        self.ox, self.id = ox, id
        self._path = f"/api/conversations/{_part(id)}"

    def _post(self, path: str, body: Any = None) -> Any:
        return self.ox.request("POST", f"{self._path}/{path}", body=body)

    def _get(self, path: str, /, **query: Any) -> Any:
        return self.ox.request("GET", f"{self._path}/{path}", query=query)

    def info(self) -> Json:
        """How a list shows it."""
        return self.ox.request("GET", self._path)

    def rename(self, name: str) -> Json:
        """Gives it a name."""
        return self.ox.request("PATCH", self._path, body={"name": name})

    def delete(self) -> None:
        """Deletes it."""
        self.ox.request("DELETE", self._path)

    def view(self) -> View:
        """What a screen shows of it now."""
        return self._get("view")

    def frames(self, after: int = 0) -> List[Frame]:
        """Its events after the one of this number."""
        return self._get("frames", after=after)["frames"]

    def fork(self, turn: Optional[int] = None) -> "Conversation":
        """A copy, up to a turn where one is given."""
        return Conversation(self.ox, self._post("fork", {} if turn is None else {"turn": turn})["id"])

    def export(self, format: str = "markdown") -> str:
        """The whole conversation as a document: ``markdown`` or ``json``."""
        return self.ox.content("GET", f"{self._path}/export", query={"format": format}).decode("utf-8")

    def prompt(
        self, text: str, *, images: Optional[List[Image]] = None, mode: Optional[str] = None,
        delivery: Optional[str] = None, key: Optional[str] = None,
    ) -> Json:  # fmt: skip
        """Sends words of the user. While a turn runs they ``steer`` it or wait in the ``queue``. A connection that breaks
        is tried once more; nothing runs twice, since the same key again answers the same."""
        options = {"images": images, "mode": mode, "delivery": delivery}
        body = {"text": text} | {name: it for name, it in options.items() if it is not None}
        headers = {"Idempotency-Key": key or secrets.token_hex(16)}
        return self.ox.request("POST", f"{self._path}/prompts", body=body, headers=headers, again=True)

    def send(self, command: Command) -> Json:
        """Sends any command."""
        return self._post("commands", command)

    def interrupt(self) -> Json:
        """Stops the turn; state is kept."""
        return self._post("interrupt")

    def decide(self, call: str, decision: Decision) -> Json:
        """Answers a request for consent."""
        return self._post(f"approvals/{_part(call)}", {"decision": decision})

    def answer(self, call: str, text: str) -> Json:
        """Answers a question of the agent."""
        return self._post(f"questions/{_part(call)}", {"text": text})

    def undo_preview(self) -> Json:
        """What undoing the last turn that changed files would do."""
        return self._get("undo")

    def undo(self, over: Optional[str] = None) -> Json:
        """Takes back what that turn changed; where later work would be lost, ``over`` says what becomes of it: ``ask``
        (the default), ``keep`` or ``force``."""
        return self._post("undo", {"over": over} if over else {})

    def redo(self) -> Json:
        """Takes the last undo back."""
        return self._post("redo")

    def changes(self) -> List[Json]:
        """What the last run changed, by file and hunk."""
        return self._get("changes")["files"]

    def review(self, accept: List[str], reject: List[str]) -> Json:
        """Accepts and rejects hunks by their ids."""
        return self._post("changes", {"accept": accept, "reject": reject})

    def checkpoints(self) -> List[Json]:
        """The states of the project's files that this conversation recorded, newest turn first."""
        turns = self.ox.checkpoints(self.info()["project"]["key"])
        return [it for it in turns if it["conversation"] == self.id]

    def image(self, seq: int, index: int = 0) -> bytes:
        """A picture of a prompt or of a reply."""
        return self.ox.content("GET", f"{self._path}/image", query={"seq": seq, "index": index})

    def follow(self, after: int = 0, waits: Waits = Waits()) -> Updates:
        """Updates after the event of this number, each once and in order, until they are closed."""
        return self.ox.follow(self.id, after, waits)

    def __iter__(self) -> Updates:
        return self.follow()

    def run(
        self, text: str, *, on_approval: Optional[OnApproval] = None, on_question: Optional[OnQuestion] = None,
        on_update: Optional[Callable[[Update, State], None]] = None, **prompt: Any,
    ) -> View:  # fmt: skip
        """Sends a prompt and waits for the end of the turn that answers it; returns the view then.

        ``on_update`` is told everything that happens, after the state has taken it in; an exception of a callback ends the
        waiting, and the turn goes on. Further options are those of ``prompt``.
        """
        state = State(self.view(), Live())
        accepted = self.prompt(text, **prompt)
        # Where the key was used before, the turn may have begun or be over.
        begun = state.view["seq"] > accepted["seq"]
        if begun and not state.view["busy"]:
            return state.view
        asked: set[str] = set()
        with self.follow(state.view["seq"]) as updates:
            self._answer(state.view, asked, on_approval, on_question)
            for update in updates:
                state.take(update)
                if on_update:
                    on_update(update, state)
                self._answer(state.view, asked, on_approval, on_question)
                begun = begun or _is_of(update, accepted)
                if begun and _is_over(update, state.view, accepted):
                    break
        return state.view

    def _answer(
        self, view: View, asked: set[str], on_approval: Optional[OnApproval], on_question: Optional[OnQuestion]
    ) -> None:
        """Hands what waits for the user to the callbacks, once each."""
        waiting: List[Any] = list(view["asked"])
        asked &= {it["call"] for it in waiting}
        for it in waiting:
            if it["call"] in asked:
                continue
            asked.add(it["call"])
            try:
                if it["asks"] == "question":
                    said = on_question(it, view) if on_question else None
                    if said is not None:
                        self.answer(it["call"], said)
                elif on_approval:
                    decision = on_approval(it, view)
                    if isinstance(decision, bool):
                        decision = {"answer": "allow"} if decision else {"answer": "deny", "reason": ""}
                    if decision is not None:
                        self.decide(it["call"], decision)
            except OxError as error:
                # Somebody else was faster, or the turn is over.
                if error.status != 409:
                    raise


def _is_of(update: Update, accepted: Json) -> bool:
    """True where an update is an effect of the command, or can only be one."""
    if update.type == "snapshot":
        return update.value["seq"] > accepted["seq"]
    if update.type != "frame":
        return False
    frame = update.value
    begins = frame["event"] == "turn_start" and frame["seq"] > accepted["seq"]
    return frame.get("command_id") == accepted["command_id"] or begins


def _is_over(update: Update, view: View, accepted: Json) -> bool:
    """True where the turn that answers the command has ended."""
    if view["busy"] or any(it["id"] == accepted["command_id"] for it in view["queue"]):
        return False
    if update.type == "snapshot":
        return True
    own = update.type == "frame" and not is_of_agent(view, update.value.get("conversation_id"))
    return own and update.value["event"] == "completion"


def _part(text: str) -> str:
    return quote(text, safe="")
