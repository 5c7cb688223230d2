"""Follows the newest conversation, whoever works on it, until it is interrupted."""

import os

from ox_sdk import Live, Ox, State, empty_view

ox = Ox(os.environ["OX_BASE_URL"], os.environ.get("OX_TOKEN"))
newest = ox.conversations(limit=1)[0]
state = State(empty_view(), Live())
for update in ox.follow(newest["id"]):
    state.take(update)
    if update.type == "frame":
        now = (state.view["stage"] or "works") if state.view["busy"] else "idle"
        print(f"{update.value['seq']} {update.value['event']} · turn {state.view['turn']}, {now}")
