"""Items as judges see them, and calls that came back with a text, for tests of asking and reading."""

import hashlib
import json

from evenhand.model.call import Call, Reply
from evenhand.model.label import Shown


def shown(text="Leave is asked for in writing.", ask="How is leave asked for?", question="q1", **more):
    mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    fields = {"doc": "leave.md", "start": 0, "end": len(text) or 1} | more
    return Shown(question=question, ask=ask, text=text, text_sha256=mark, **fields)


def call(data=None, *, text=None, outcome="reply", why="", model="m" * 64):
    text = text if text is not None else json.dumps(data)
    reply = Reply(text=text, data=data, rung="json-schema") if outcome == "reply" else None
    return Call(key="k", task="t", model=model, outcome=outcome, reply=reply, why=why)
