"""A project with a fault, and two models: one that repairs it and one that never ends."""

REPAIR = """\
-- model --
@edit_file
path: sums.py
old: a - b
new: a + b
-- model --
add() adds now.
"""
HANG = """\
-- model --
I look.
@read_file
path: sums.py
-- model --
@run_command
command: sleep 600
"""
SUMS = "def add(a, b):\n    return a - b\n"
UNIT = """\
import unittest
from sums import add


class Add(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)
"""
