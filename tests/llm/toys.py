"""Chats for tests of the caller: they answer, wait and fail as they are told, and keep count."""

import threading

from evenhand.model.call import Message, Reply, Request


class Toy:
    """``act(request, n)`` makes the n-th reply (from 1) or raises; ``dollars`` is the price of one."""

    def __init__(self, act=None, *, name="toy", dollars=0.0, gate=None):
        self.name = self.family = name
        self.seal = (name.encode().hex() + "0" * 64)[:64]
        self.rates = None
        self.act = act or (lambda _request, _n: Reply(text="{}", data={}, tokens_in=10, tokens_out=2))
        self.dollars = dollars
        self.gate = gate
        self.asked = []
        self.timeouts = []
        self.flying = self.most = 0
        self.lock = threading.Lock()

    def ask(self, request, *, timeout):
        with self.lock:
            self.asked.append(request.task)
            self.timeouts.append(timeout)
            n = len(self.asked)
            self.flying += 1
            self.most = max(self.most, self.flying)
        try:
            if self.gate is not None:
                self.gate.wait(20)
            return self.act(request, n)
        finally:
            with self.lock:
                self.flying -= 1

    def price(self, _reply):
        return self.dollars


def request(n, task=None, **more):
    messages = (Message(role="system", content="Judge."), Message(role="user", content=f"unit {n}"))
    return Request(task=task or f"t{n}", prompt="p", messages=messages, **more)


def requests(count, name="toy", first=0):
    return [(name, request(n)) for n in range(first, first + count)]
