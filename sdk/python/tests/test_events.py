import itertools
import json
import threading
import time
import unittest

from ox_sdk import EventParser, OxError, ServerEvent, Waits

from .server import Server

FAST = Waits(retry=0.001, limit=0.005)


def named(seq, conversation="c"):
    return {"v": 2, "conversation_id": conversation, "seq": seq, "time": seq, "event": "named", "name": f"n{seq}"}


def frame(seq, conversation="c", id=None):
    line = f"id: {seq if id is None else id}\n" if id != "" else ""
    return f"event: frame\n{line}data: {json.dumps(named(seq, conversation))}\n\n"


def seqs(updates):
    return [it.value["seq"] if it.type == "frame" else it.type for it in updates]


class Parser(unittest.TestCase):
    def test_the_same_events_come_out_wherever_the_bytes_are_split(self):
        lines = [
            ": a comment", "event: frame", "id: 7", 'data: {"text":', 'data:  "größer 求和 😀"}', "", "data", "", "id",
            "event: x", "", "retry: 250", "retry: soon", "data:no space", "unknown: field", "", "event: cut", "data: off",
        ]  # fmt: skip
        expected = [
            ServerEvent("frame", '{"text":\n "größer 求和 😀"}', "7"),
            ServerEvent("message", "", "7"),
            ServerEvent("message", "no space", ""),
        ]
        for end in ("\n", "\r\n", "\r"):
            data = ("\ufeff" + "".join(line + end for line in lines)).encode()
            for at in range(len(data) + 1):
                parser = EventParser()
                self.assertEqual(parser.push(data[:at]) + parser.push(data[at:]), expected, (end, at))
                self.assertEqual(parser.retry, 250)
            parser = EventParser()
            single = [event for at in range(len(data)) for event in parser.push(data[at : at + 1])]
            self.assertEqual(single, expected)

    def test_reading_is_linear_in_what_is_sent(self):
        def took(size):
            parser = EventParser()
            begun = time.perf_counter()
            parser.push(b"data: ")
            for _ in range(size // 16):
                parser.push(b"x" * 16)
            self.assertEqual(len(parser.push(b"\n\n")[0].data), size)
            return time.perf_counter() - begun

        small, large = took(1 << 18), took(1 << 21)
        self.assertLess(large, 40 * max(small, 0.02), (small, large))


class Following(unittest.TestCase):
    def serve(self, *scripts):
        """A server that answers each request by the next script, and then by the last one."""
        count = itertools.count()
        server = Server(lambda handler, _: scripts[min(next(count), len(scripts) - 1)](handler))
        self.addCleanup(server.close)
        return server

    @staticmethod
    def sends(*pieces, end="finish"):
        done = threading.Event()

        def script(handler):
            handler.open()
            for piece in pieces:
                handler.chunk(piece)
            if end == "finish":
                handler.finish_stream()
            elif end == "drop":
                handler.drop()
            else:
                done.wait(20)

        return script

    def collect(self, updates, count):
        with updates:
            return list(itertools.islice(updates, count))

    def test_updates_come_once_and_in_order_however_often_the_connection_breaks(self):
        seq = itertools.count(0, 3)

        def script(handler):
            at = next(seq)
            before = "retry: 1\n\n" if at == 0 else frame(at - 1) + frame(at)
            text = before + frame(at + 1) + frame(at + 2) + frame(at + 3)
            handler.open()
            # The next event is cut in the middle, and the chunk too.
            handler.chunk(text + frame(at + 4)[:30])
            handler.wfile.write(b"ff\r\nevent")
            handler.drop()

        server = self.serve(script)
        all = self.collect(server.ox.follow("c", waits=FAST), 30)
        self.assertEqual(seqs(all), list(range(1, 31)))
        asked = [(path, headers.get("Last-Event-ID")) for _, path, _, headers in server.asked[:3]]
        path = "/api/conversations/c/events?after="
        self.assertEqual(asked, [(path + "0", None), (path + "3", "3"), (path + "6", "6")])
        self.assertTrue(all and {it[3]["Authorization"] for it in server.asked} == {"Bearer secret"})

    def test_a_gap_ends_a_stream_and_a_snapshot_sets_where_it_goes_on(self):
        view = {"conversation": "c", "seq": 2000, "entries": []}
        agent = frame(1, "c.1", "")
        snapshot = f"event: snapshot\nid: 2000\ndata: {json.dumps({'event': 'snapshot', 'view': view})}\n\n"
        more = 'event: delta\ndata: {"offset":0}\n\nevent: later\ndata: {"a":1}\n\n'
        server = self.serve(
            self.sends(frame(1) + agent, 'event: gap\ndata: {"event":"gap","from":2}\n\n' + frame(9)),
            self.sends(snapshot + agent),
            self.sends(frame(2000) + frame(2001) + agent + more, end="wait"),
        )
        all = self.collect(server.ox.follow("c", waits=FAST), 7)
        self.assertEqual(seqs(all), [1, 1, "snapshot", 1, 2001, "delta", "other"])
        self.assertEqual((all[-1].event, all[-1].value), ("later", {"a": 1}))
        self.assertEqual([it[1].split("after=")[1] for it in server.asked], ["0", "1", "2000"])

    def test_several_conversations_are_followed_over_one_connection(self):
        server = self.serve(
            self.sends('event: failed\ndata: {"code":"store.locked"}\n\n'),
            self.sends(frame(4, "a", "a:4,b:7") + frame(8, "b", "a:4,b:8")),
            self.sends(frame(8, "b", "a:4,b:8") + "event: changed\ndata: {}\n\n" + frame(5, "a", "a:5,b:8"), end="wait"),
        )
        all = self.collect(server.ox.follow_many({"a": 3, "b": 7}, FAST), 4)
        self.assertEqual(seqs(all), [4, 8, "changed", 5])
        self.assertEqual(server.asked[2][3]["Last-Event-ID"], "a:4,b:8")
        paths = [it[1].replace("%3A", ":").replace("%2C", ",") for it in server.asked]
        self.assertEqual(paths, [f"/api/events?follow={it}" for it in ("a:3,b:7", "a:3,b:7", "a:4,b:8")])

    def test_a_silent_connection_is_given_up(self):
        server = self.serve(self.sends(": here\n\n", end="wait"), self.sends(frame(1), end="wait"))
        all = self.collect(server.ox.follow("c", waits=Waits(retry=0.001, idle=0.05)), 1)
        self.assertEqual((seqs(all), len(server.asked)), ([1], 2))

    def test_a_refusal_is_not_tried_again_and_a_busy_server_is(self):
        refused = self.serve(lambda it: it.json({"code": "server.forbidden", "message": "No.", "args": {"a": 1}}, 403))
        with self.assertRaises(OxError) as raised:
            next(refused.ox.follow("c", waits=FAST))
        error = raised.exception
        self.assertEqual((error.code, str(error), error.arguments, error.status), ("server.forbidden", "No.", {"a": 1}, 403))
        self.assertEqual(len(refused.asked), 1)
        busy = self.serve(lambda it: it.json({}, 503), self.sends(frame(1), end="wait"))
        self.assertEqual(seqs(self.collect(busy.ox.follow("c", waits=FAST), 1)), [1])

    def test_another_thread_can_end_it(self):
        server = self.serve(self.sends(frame(1), end="wait"))
        updates = server.ox.follow("c", waits=FAST)
        self.assertEqual(seqs([next(updates)]), [1])
        threading.Timer(0.02, updates.close).start()
        begun = time.monotonic()
        self.assertEqual(list(updates), [])
        self.assertLess(time.monotonic() - begun, 5)
