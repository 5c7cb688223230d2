"""What the official clients' own types say of an event, read strictly: the clients themselves forgive nearly everything."""

import sys
from typing import get_args

from pydantic import BaseModel


def check(kinds, event, allowed=()):
    """Raises where `event` lacks what its type requires or has what its type does not know, but for `allowed`."""
    fields = event.to_dict(mode="json")
    read = kind_of(kinds, fields).model_validate(fields)
    unknown = [it for it in strangers(read, type(read).__name__) if it.split(".")[-1] not in allowed]
    assert not unknown, f"fields that the client does not know: {unknown}"


def kind_of(kinds, fields):
    """The one type among `kinds` that is meant."""
    if isinstance(kinds, type):
        return kinds
    alternatives = get_args(get_args(kinds)[0])
    return next(it for it in alternatives if fields["type"] in get_args(it.model_fields["type"].annotation))


def strangers(value, place):
    if isinstance(value, BaseModel):
        for name in value.model_extra or {}:
            yield f"{place}.{name}"
        for name in type(value).model_fields:
            yield from strangers(getattr(value, name), f"{place}.{name}")
    elif isinstance(value, list):
        for item in value:
            yield from strangers(item, place)


def raises(kind, status, call):
    """The error of exactly this class and status that `call` raises."""
    try:
        call()
    except Exception as error:
        assert type(error) is kind, f"{type(error).__name__} instead of {kind.__name__}: {error}"
        found = getattr(error, "status_code", None) or getattr(error, "code", None)
        assert found == status, f"status {found} instead of {status}: {error}"
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def breaks(call):
    """Some error of the client's that says that the stream broke."""
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("a stream that was cut ended as if it were whole")


TEXT = "I will look. 你好"
THOUGHTS = "First I look."
BASE, KEY = sys.argv[1], sys.argv[2]
READ = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
NOTHING = {"type": "object", "properties": {}}
