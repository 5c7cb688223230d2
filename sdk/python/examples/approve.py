"""Asks at the terminal about each call, shows what changed, and takes it back where that is wanted."""

import json
import os
import sys

from ox_sdk import Ox


def yes(question):
    return input(f"{question} [y/n] ").strip() == "y"


def about(request, view):
    return yes(f"{request['tool']} {'; '.join(request['commands']) or json.dumps(request['args'])}?")


ox = Ox(os.environ["OX_BASE_URL"], os.environ.get("OX_TOKEN"))
conversation = ox.create(ox.projects()[0]["key"], approval="ask")
task = sys.argv[1] if len(sys.argv) > 1 else "Write the word hello into hello.txt."
conversation.run(task, on_approval=about, on_question=lambda question, view: input(f"{question['text']} "))
for file in conversation.changes():
    change = file["change"]
    print(f"{change['path']}: +{change['added']} -{change['removed']}")
if not yes("Keep it?"):
    conversation.undo()
