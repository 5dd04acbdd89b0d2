"""A store in a file with desks, and ways in: what the tests of the web share."""

import asyncio
import hashlib
import json
import threading
import time
from contextlib import contextmanager

import numpy as np
from starlette.testclient import TestClient

from evenhand.judge.sheets.built_in import CONTRIBUTION, SUFFICIENCY
from evenhand.model.judging import Desk, Task
from evenhand.model.pool import Pool, Pooled, PoolItem, item_id
from evenhand.store.open import create_store
from evenhand.web.server.app import create_app

AT = "2026-11-30T12:00:00.000Z"
BASE = "http://127.0.0.1"
SHEETS = {"contribution": CONTRIBUTION, "sufficiency": SUFFICIENCY}


def pool_of(
    texts, *, questions=("What does a colour copy cost?",), name="pool", title="Copies", heading=("Prices",)
):
    """Every text under every question in turn: text i under question i % n."""
    items = []
    for i, text in enumerate(texts):
        mark = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        q = f"q{i % len(questions)}"
        items.append(
            PoolItem(
                id=item_id(q, f"d{i}.md", 0, len(text), mark), question=q, doc=f"d{i}.md", start=0, end=len(text),
                text_sha256=mark, heading=heading, title=title, stratum="rank 1–3", probability=0.5,
            )
        )  # fmt: skip
    n = len(items)
    return Pool(
        name=name,
        items=tuple(items),
        questions={f"q{i}": words for i, words in enumerate(questions)},
        runs=(Pooled(system="bm25", seal="s1", kind="lexical"),),
        found_item=np.arange(n, dtype=np.int32),
        found_run=np.zeros(n, dtype=np.int32),
        found_rank=np.arange(n, dtype=np.int32) + 1,
        settings={"strategy": "depth"},
    )


def stocked(where, texts, *, judges=("ann",), sheet="contribution", kinds=(), **more):
    """A new store with a desk of all texts for each judge; returns it with the desks' ids by judge."""
    store = create_store(where)
    pool = pool_of(texts, **more)
    mark = store.add_pool(pool, texts, at=AT)
    chosen = SHEETS.get(sheet, sheet)
    store.use_sheet(mark, chosen, by="owner", at=AT)
    desks = {}
    for k, judge in enumerate(judges):
        name = f"desk{k:016d}"
        desk = Desk(id=name, pool=mark, judge=judge, sheet=chosen.seal, settings={"seed": 1}, at=AT)
        tasks = [
            Task(id=f"t{k}x{i:06d}", desk=name, position=i, item=item.id, kind=dict(kinds).get(i, "main"))
            for i, item in enumerate(pool.items)
        ]
        store.add_desks([(desk, tasks)])
        desks[judge] = name
    return store, desks


def client(store, name=None, role="judge", **options):
    """A browser without scripts; let in as *name* when given."""
    made = TestClient(
        create_app(store, **options), base_url=BASE, raise_server_exceptions=False, follow_redirects=False
    )
    if name is not None:
        _, token = store.grant(name, role, at=AT)
        assert made.get(f"/j/{token}").status_code == 303
    return made


def post(browser, path, content, **heads):
    heads = {"origin": BASE, "content-type": "application/json", **heads}
    return browser.post(path, content=json.dumps(content), headers=heads)


def act(task, *, token, grade=1.0, sheet=CONTRIBUTION, **more):
    return {"token": token, "task": task, "kind": "grade", "grade": grade, "sheet": sheet.seal, **more}


@contextmanager
def serving(store, *, port=0, drip=0.0, **options):
    """The real server in a thread; yields its address. *drip*: seconds between the pieces of an answer."""
    import uvicorn

    from evenhand.web.server.serve import listening

    bound = listening("127.0.0.1", port, tls=False)
    bound.listen(2048)
    app = create_app(store, **options)
    config = uvicorn.Config(
        _dripping(app, drip) if drip else app,
        log_level="warning",
        access_log=False,
        lifespan="off",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{bound.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        bound.close()


def _dripping(app, seconds):
    """The same answers, in twenty pieces."""

    async def dripping(scope, receive, send):
        async def sent(message):
            body = message.get("body", b"")
            step = len(body) // 20 + 1
            for at in range(0, len(body) - step, step):
                await send({**message, "body": body[at : at + step], "more_body": True})
                await asyncio.sleep(seconds)
            rest = len(body) - (len(body) % step or step) if body else 0
            await send({**message, "body": body[rest:]} if body else message)

        await app(scope, receive, sent)

    return dripping
