"""Against a real server: OX_BASE_URL and OX_TOKEN say which; its model has to be able to change a file."""

import os
import unittest

from ox_sdk import Ox

URL, TOKEN = os.environ.get("OX_BASE_URL"), os.environ.get("OX_TOKEN")
PROMPT = os.environ.get("OX_PROMPT", "Write the word hello into hello.txt.")


@unittest.skipUnless(URL and TOKEN, "OX_BASE_URL and OX_TOKEN are not set")
class LiveServer(unittest.TestCase):
    def setUp(self):
        ox = Ox(URL or "", TOKEN)
        projects = ox.projects()
        self.assertTrue(projects, "the server has a project")
        self.conversation = ox.create(projects[0]["key"], approval="ask")

    def undo(self, after):
        """Puts the files back and waits for it: the next test begins with them."""
        self.conversation.undo("force")
        with self.conversation.follow(after) as updates:
            next(it for it in updates if it.type == "frame" and it.value["event"] == "restored")

    def test_from_the_prompt_to_the_answer(self):
        view = self.conversation.run(PROMPT, on_approval=lambda *_: True)
        self.assertFalse(view["busy"])
        self.assertIn(view["stop"]["reason"], ("done", "done_unchecked"))
        whole = self.conversation.view()
        entries = [(it["seq"], it["entry"]) for it in view["entries"]]
        self.assertEqual(entries, [(it["seq"], it["entry"]) for it in whole["entries"] if it["seq"] <= view["seq"]])
        self.undo(view["seq"])

    def test_approvals_by_callback_changes_and_undo(self):
        asked = []
        view = self.conversation.run(PROMPT, on_approval=lambda request, _: asked.append(request) or True)
        self.assertTrue(asked and view["changes"])
        files = [it["change"]["path"] for it in self.conversation.changes()]
        self.assertEqual(files, list(dict.fromkeys(it["path"] for it in view["changes"])))
        self.assertTrue(self.conversation.undo_preview()["possible"])
        self.undo(view["seq"])
        self.assertTrue(self.conversation.checkpoints())

    def test_seven_stages_follow_one_another(self):
        view = self.conversation.run(PROMPT, on_approval=lambda *_: True)
        frames = [it for it in self.conversation.frames() if it["event"] in ("stage_enter", "stage_exit")]
        stages = "claim load_context assemble_prompt agent_loop final_response write_result cleanup".split()
        wanted = [(event, stage) for stage in stages for event in ("stage_enter", "stage_exit")]
        self.assertEqual([(it["event"], it["stage"]) for it in frames], wanted)
        exits = [it for it in frames if it["event"] == "stage_exit"]
        self.assertTrue(all(it["success"] and it["duration_ms"] >= 0 for it in exits), exits)
        self.undo(view["seq"])
