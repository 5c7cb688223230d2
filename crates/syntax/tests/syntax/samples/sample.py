#!/usr/bin/env python3
"""A module."""
import os
from typing import overload

LIMIT = 10
names: list[str] = []


def plain(a, b=2, *rest, key=None):
    """Adds.

    Indented words.
    """
    # A comment first.
    text = """
left
  text
"""
    def inner():
        return a
    return inner() + b


# About the next one.
@decorated
@decorated_with(
    1,
)
async def fetch(
    url: str,
) -> bytes:
    # only a comment, then
    return await get(url)  # trailing


class Shape(Base):
    """A shape."""

    sides = 0

    def __init__(self, n):
        self.n = n

    @property
    def area(self):
        return 1

    @area.setter
    def area(self, value):
        self.value = value

    @staticmethod
    def make(): return Shape(1)

    class Meta:
        ordering = ["n"]


if os.name == "nt":
    def platform():
        return "windows"
else:
    def platform():
        return "other"


@overload
def both(a: int) -> int: ...
@overload
def both(a: str) -> str: ...
def both(a):
    return a
