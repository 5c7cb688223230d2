"""Has a prompt answered, and prints what streams meanwhile: OX_BASE_URL=… OX_TOKEN=… python examples/prompt.py "Fix the test"."""

import os
import sys

from ox_sdk import Ox

ox = Ox(os.environ["OX_BASE_URL"], os.environ.get("OX_TOKEN"))
conversation = ox.create(ox.projects()[0]["key"])


def show(update, state):
    if update.type == "delta" and update.value["event"] == "stream_delta":
        print(update.value["delta"], end="", flush=True)


view = conversation.run(sys.argv[1] if len(sys.argv) > 1 else "What does this project do?", on_update=show)
spent = view["account"]["turn"]
print(f"\n{view['stop']['reason']}: {spent['requests']} requests, {spent['cost'] / 1e6} USD")
