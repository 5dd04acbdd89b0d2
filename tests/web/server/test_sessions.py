"""Who may come in, from where, and what every answer carries."""

# ruff: noqa: S104, S106 - tokens of tests are no secrets, and nothing is left listening

import threading

import pytest
from tests.web.house import AT, BASE, act, client, post, stocked

from evenhand.errors import InputError
from evenhand.web.server.serve import is_loopback, listening
from evenhand.web.server.sessions import TRIES, WINDOW, Sessions
from evenhand.web.server.strict_json import json_bytes


@pytest.fixture
def there(tmp_path):
    store, desks = stocked(tmp_path / "s.sqlite", ["one", "two", "three"], judges=("ann", "ben"))
    yield store, desks
    store.close()


def answers(*acts):
    return {"answers": list(acts)}


def test_every_answer_carries_the_strict_headers(there):
    browser = client(there[0], "ann")
    for path in (
        "/",
        "/desks",
        "/static/desk.js",
        "/static/no",
        "/healthz",
        "/nothing",
        "/j/nobody",
        "/overview",
    ):
        heads = browser.get(path).headers
        policy = heads["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert heads["x-content-type-options"] == "nosniff"
        assert heads["referrer-policy"] == "no-referrer"
        assert heads["cache-control"] == ("no-cache" if path == "/static/desk.js" else "no-store")


def test_a_link_becomes_a_session_and_leaves_the_address_bar(there):
    store, desks = there
    _, token = store.grant("ann", "judge", at=AT)
    browser = client(store)
    assert browser.get(f"/desk/{desks['ann']}").status_code == 401
    came = browser.get(f"/j/{token}")
    assert came.status_code == 303
    assert token not in came.headers["location"]
    cookie = came.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert token not in cookie
    assert browser.get("/welcome").headers["refresh"] == "0; url=/"
    assert browser.get("/").headers["location"] == f"/desk/{desks['ann']}"
    assert (
        client(store, secure=True).get(f"/j/{token}", headers={}).headers["set-cookie"].count("Secure") == 1
    )


def test_a_session_is_no_link_and_a_link_is_no_session(there):
    store, _ = there
    _, token = store.grant("ann", "judge", at=AT)
    browser = client(store)
    browser.get(f"/j/{token}")
    assert browser.get(f"/j/{browser.cookies['evenhand']}").status_code == 403
    stranger = client(store)
    stranger.cookies.set("evenhand", token)
    assert stranger.get("/desks").status_code == 401


def test_sessions_outlive_the_server_and_no_token_lies_in_the_store(there, tmp_path):
    store, _ = there
    _, token = store.grant("ann", "judge", at=AT)
    browser = client(store)
    browser.get(f"/j/{token}")
    session = browser.cookies["evenhand"]
    again = client(store)  # a new application over the same store
    again.cookies.set("evenhand", session)
    assert again.get("/desks").status_code == 200
    store.close()
    bytes_ = b"".join(path.read_bytes() for path in tmp_path.glob("s.sqlite*"))
    assert token.encode() not in bytes_
    assert session.encode() not in bytes_


def test_an_ended_link_ends_its_sessions(there):
    store, desks = there
    access, token = store.grant("ann", "judge", at=AT)
    browser = client(store)
    browser.get(f"/j/{token}")
    owner = client(store, "me", "owner")
    assert post(owner, f"/access/{access.id}/revoke.json", {}).json() == {"revoked": access.id}
    browser.app.app.state.house.doors.links(anew=True)  # another server believes its list for a second
    assert browser.get("/desks").status_code == 401
    assert (
        post(browser, f"/desk/{desks['ann']}/answers.json", answers(act("t0x000000", token="a"))).status_code
        == 401
    )
    assert browser.get(f"/j/{token}").status_code == 403
    assert store.progress(desks["ann"])[0] == 0


def test_wrong_tokens_are_counted_and_a_right_one_is_let_in_all_the_same(there):
    store, _ = there
    _, token = store.grant("ann", "judge", at=AT)
    browser = client(store)
    for i in range(TRIES):
        assert browser.get(f"/j/wrong{i}").status_code == 403
    late = browser.get("/j/wrong")
    assert late.status_code == 429
    assert 0 < int(late.headers["retry-after"]) <= WINDOW + 1
    assert browser.get(f"/j/{token}").status_code == 303
    time = [0.0]
    doors = Sessions(store, clock=lambda: time[0])
    for _ in range(TRIES):
        doors.failed("peer")
    assert doors.wait("peer")
    assert not doors.wait("other")
    time[0] = WINDOW + 1
    assert not doors.wait("peer")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize(("mode", "dest"), [("no-cors", "image"), ("cors", "empty"), ("navigate", "iframe")])
def test_what_a_page_of_somewhere_else_draws_in_is_refused_and_not_counted(there, site, mode, dest):
    store, desks = there
    _, token = store.grant("ann", "judge", at=AT)
    browser = client(store, "ben")
    heads = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
    for path in (*(f"/j/wrong{i}" for i in range(TRIES)), f"/j/{token}", f"/desk/{desks['ben']}"):
        assert browser.get(path, headers=heads).status_code == 403
        assert browser.head(path, headers=heads).status_code == 403
    assert browser.get("/j/wrong").status_code == 403  # and no 429: nothing was counted


@pytest.mark.parametrize("site", ["none", "same-origin", "cross-site"])
def test_a_link_that_is_followed_lets_in_wherever_it_stood(there, site):
    store, _ = there
    _, token = store.grant("ann", "judge", at=AT)
    heads = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "sec-fetch-dest": "document"}
    assert client(store).get(f"/j/{token}", headers=heads).status_code == 303


def test_head_is_answered_wherever_get_is_without_a_body_or_a_session(there):
    store, desks = there
    browser = client(store, "ann")
    _, token = store.grant("ann", "judge", at=AT)
    paths = ("/", "/desks", "/desks.json", f"/desk/{desks['ann']}", "/static/desk.js", "/healthz", "/nothing")
    for path in (*paths, "/j/nobody", "/openapi.json"):
        got, head = browser.get(path), browser.head(path)
        assert (head.status_code, head.content) == (got.status_code, b""), path
        for name in ("content-type", "content-security-policy", "location", "etag"):
            assert head.headers.get(name) == got.headers.get(name), (path, name)
    before = len(store.accesses())
    looked = client(store).head(f"/j/{token}")
    assert (looked.status_code, looked.headers.get("set-cookie")) == (303, None)
    assert len(store.accesses()) == before
    assert browser.head("/access/x/revoke.json").status_code == 405
    assert browser.post("/desks", headers={"origin": BASE}).headers["allow"] == "GET, HEAD"


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.evil.example", "[::1"]
)
def test_a_foreign_host_is_refused(there, host):
    assert client(there[0], "ann").get("/desks", headers={"host": host}).status_code == 421


@pytest.mark.parametrize(
    "host", ["127.0.0.1:8765", "localhost:1", "[::1]:8765", "192.0.2.7", "labels.example:443"]
)
def test_our_own_names_are_served(there, host):
    browser = client(there[0], hosts=["labels.example"])
    assert browser.get("/healthz", headers={"host": host}).json() == {"status": "ok"}


@pytest.mark.parametrize(
    "heads",
    [{}, {"origin": "null"}, {"origin": "http://evil.example"}, {"origin": "https://127.0.0.1"}, {"origin": BASE + ":1"},
     {"origin": BASE, "sec-fetch-site": "cross-site"}, {"origin": BASE, "content-type": "text/plain"}],
)  # fmt: skip
def test_an_answer_from_another_page_is_refused(there, heads):
    store, desks = there
    browser = client(store, "ann")
    sent = browser.post(
        f"/desk/{desks['ann']}/answers.json", json=answers(act("t0x000000", token="a")), headers=heads
    )
    assert sent.status_code in (403, 415)
    assert store.progress(desks["ann"])[0] == 0


def test_a_desk_is_its_judges_alone_and_the_overview_the_owners(there):
    store, desks = there
    ann, ben, owner = client(store, "ann"), client(store, "ben"), client(store, "me", "owner")
    path = f"/desk/{desks['ann']}"
    for who in (ben, owner):
        for url in (path, f"{path}.json", f"{path}/items.json"):
            assert who.get(url).status_code == 404
        assert post(who, f"{path}/answers.json", answers(act("t0x000000", token="a"))).status_code == 404
    assert ann.get("/overview").status_code == 403
    assert ann.get("/overview.json").status_code == 403
    assert post(ann, "/access/x/revoke.json", {}).status_code == 403
    shown = owner.get("/overview.json").json()
    assert [(line["judge"], line["done"], line["total"]) for line in shown["desks"]] == [
        ("ann", 0, 3),
        ("ben", 0, 3),
    ]
    assert [(one["name"], one["role"], one["sessions"]) for one in shown["people"]] == [
        ("ann", "judge", 1),
        ("ben", "judge", 1),
        ("me", "owner", 1),
    ]
    assert "grade" not in owner.get("/overview.json").text


def test_too_much_is_refused(there):
    store, desks = there
    browser = client(store, "ann")
    path = f"/desk/{desks['ann']}/answers.json"
    assert post(browser, path, {"answers": ["x" * 2_100_000]}).status_code == 413
    chunks = (b"x" * 100_000 for _ in range(30))
    heads = {"origin": BASE, "content-type": "application/json"}
    assert browser.post(path, content=chunks, headers=heads).status_code == 413


@pytest.mark.parametrize(
    "path",
    ["/static/..%2f..%2f..%2fetc%2fpasswd", "/static/%2e%2e/%2e%2e/secret.txt", "/static/..%5c..%5csecret.txt",
     "/static/app.py", "/static/../templates/desk.html", "/corpus/file?name=../../secret.txt",
     "/corpus/file?name=C:\\secret.txt", "/desk/..%2f..%2fetc%2fpasswd", "/static/desk.js%00.txt"],
)  # fmt: skip
def test_b082_no_path_leads_out_of_our_own_files(there, path):
    answer = client(there[0], "ann").get(path)
    assert 400 <= answer.status_code < 500
    assert "root:" not in answer.text


def test_b080_json_never_holds_nan():
    import json

    made = json_bytes({"ndcg": float("nan"), "mrr": 0.5, "ci": [float("-inf"), float("inf")]})
    read = json.loads(made, parse_constant=pytest.fail)
    assert read["ndcg"] is None
    assert read["undefined"] == {"ndcg": "not defined", "ci.0": "not defined", "ci.1": "not defined"}
    assert read["mrr"] == 0.5


def test_beyond_loopback_only_with_tls_or_on_purpose():
    assert [is_loopback(h) for h in ("127.0.0.1", "localhost", "::1", "[::1]", "0.0.0.0", "192.0.2.1", "a.example")] == [
        True, True, True, True, False, False, False,
    ]  # fmt: skip
    with pytest.raises(InputError, match="reads along"):
        listening("0.0.0.0", 0, tls=False)
    listening("0.0.0.0", 0, tls=False, insecure=True).close()
    with listening("127.0.0.1", 0, tls=False) as one:
        one.listen(1)
        with pytest.raises(InputError, match="cannot listen"):
            listening("127.0.0.1", one.getsockname()[1], tls=False)


def test_two_that_open_links_at_once_both_come_in(there):
    store, _ = there
    doors = Sessions(store)
    tokens = [store.grant(f"j{i}", "judge", at=AT)[1] for i in range(4)]
    sessions = [None] * 4
    threads = [
        threading.Thread(target=lambda i=i: sessions.__setitem__(i, doors.enter(doors.link(tokens[i]))))
        for i in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [Sessions(store).who(session).name for session in sessions] == ["j0", "j1", "j2", "j3"]


def test_a_link_that_is_younger_than_the_list_lets_in_at_once(there):
    store, _ = there
    browser = client(store, "ann")
    assert browser.get("/desks").status_code == 200
    _, token = store.grant("ben", "judge", at=AT)
    browser.get(f"/j/{token}")
    assert browser.get("/desks").status_code == 200
