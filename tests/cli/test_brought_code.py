"""Code of the user's own that fails: an error or a fault that names it and says where, and never a traceback."""

import pytest
from tests.front import evenhand
from tests.miniature import STUDY, make
from tests.study.panels import SMALL

from evenhand.formats.labels.votes import read_votes

CHAT = """\
from evenhand.model.call import Reply
class Chat:
    name, family = "own", "own"
    seal = "own/1"
    def __init__(self, **settings): pass
    def ask(self, request, *, timeout):
        {ask}
def made(**settings):
    {made}
"""
GOOD = {
    "ask": "return Reply(text='no', data={'verdict': 'no', 'mode': 'off-topic'})",
    "made": "return Chat()",
}
JUDGE = '[panel]\ndepth = 1\ntries = 1\n[panel.judge.a]\nmodel = "python:own_judge:{thing}"\n'


@pytest.fixture(autouse=True)
def _fresh():
    """A module of an earlier test is not found again."""
    import sys

    yield
    for name in [name for name in sys.modules if name.startswith("own_")]:
        del sys.modules[name]


def study(folder, code, *, text=SMALL, module="own_judge"):
    file = make(folder / "s", study=text)
    (file.parent / f"{module}.py").write_text(code)
    return file


def wrong(done, *words):
    assert done.returncode == 2, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert "a fault of evenhand" not in done.stderr
    for word in words:
        assert word in done.stderr, done.stderr


BROKEN = {
    "raises on import": ("x = {}\nx['none']\n", "KeyError: 'none' (own_judge.py:2)"),
    "exits on import": ("import sys\nsys.exit(0)\n", "SystemExit: 0 (own_judge.py:2)"),
    "is no Python": ("def (:\n", "SyntaxError: invalid syntax"),
    "imports what is not there": (
        "import no_such_module_at_all\n",
        "No module named 'no_such_module_at_all'",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_judge_whose_module_cannot_be_imported(name, tmp_path):
    code, told = BROKEN[name]
    file = study(tmp_path, code, text=SMALL + JUDGE.format(thing="Chat"))
    wrong(
        evenhand("judge", "panel", file),
        "study.toml:",
        "[panel.judge.a]",
        "'python:own_judge:Chat'",
        told,
        "own_judge.py:",
    )


MADE = {
    "raises": ("raise KeyError('endpoint')", "making it raised KeyError: 'endpoint' (own_judge.py:9)"),
    "raises a TypeError within": (
        "return len(3)",
        "TypeError: object of type 'int' has no len() (own_judge.py:9)",
    ),
    "gives nothing": ("return None", "has no name, family, seal, ask"),
    "gives no chat": ("return {}", "has no name, family, seal, ask"),
    "tells a key": ("raise ValueError('bad key qzCANARYxw-judge')", "ValueError: bad key …"),
}


@pytest.mark.parametrize("name", MADE)
def test_a_judge_whose_factory_fails(name, tmp_path):
    made, told = MADE[name]
    file = study(tmp_path, CHAT.format(**{**GOOD, "made": made}), text=SMALL + JUDGE.format(thing="made"))
    done = evenhand("judge", "panel", file, JUDGE_KEY="qzCANARYxw-judge")
    wrong(done, "study.toml:", "[panel.judge.a]", "'python:own_judge:made'", told)
    assert "CANARY" not in done.stderr


SEALS = {
    "raises": (
        "@property\n    def seal(self): raise OSError('no such disk')",
        "reading its seal raised OSError",
    ),
    "is a number": ("seal = 7", "its seal is int '7', expected a text"),
    "is empty": ("seal = ''", "its seal is str '', expected a text"),
}


@pytest.mark.parametrize("name", SEALS)
def test_a_judge_whose_seal_cannot_be_read(name, tmp_path):
    code, told = SEALS[name]
    text = CHAT.format(**GOOD).replace('seal = "own/1"', code)
    file = study(tmp_path, text, text=SMALL + JUDGE.format(thing="made"))
    wrong(evenhand("judge", "panel", file), "study.toml:", "[panel.judge.a]", told)


ASKED = {
    "a dict": (
        "return {'verdict': 'yes'}",
        "ask returned dict \"{'verdict': 'yes'}\", expected an evenhand.model.call.Reply",
    ),
    "nothing": ("return None", "ask returned None, expected an evenhand.model.call.Reply"),
    "a text": ("return 'yes'", "ask returned str 'yes'"),
    "a Reply without text": (
        "return Reply(text=None)",
        "ask returned a Reply whose text is None, expected a text",
    ),
    "a Reply with a list": (
        "return Reply(text='x', data=[1])",
        "ask returned a Reply whose data is list '[1]', expected an object",
    ),
    "an error": ("return {}['verdict']", "KeyError: 'verdict' (own_judge.py:7)"),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_judge_that_returns_what_is_no_reply(name, tmp_path):
    ask, told = ASKED[name]
    file = study(tmp_path, CHAT.format(**{**GOOD, "ask": ask}), text=SMALL + JUDGE.format(thing="made"))
    done = evenhand("judge", "panel", file)
    assert done.returncode == 4, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert f"calls failed: {told}" in done.stdout
    assert {one.outcome for one in read_votes(file.parent / "votes.jsonl")} == {"fault"}


def test_a_judge_that_makes_an_impossible_reply_is_named(tmp_path):
    code = CHAT.format(**{**GOOD, "ask": "return Reply(text='x', stop='finished')"})
    file = study(tmp_path, code, text=SMALL + JUDGE.format(thing="made"))
    wrong(evenhand("judge", "panel", file), "a: a reply that stopped by 'finished'")


def test_a_judge_of_ones_own_that_works(tmp_path):
    file = study(tmp_path, CHAT.format(**GOOD), text=SMALL + JUDGE.format(thing="made"))
    done = evenhand("judge", "panel", file)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "failed" not in done.stdout


RAISES = """\
def thing(*args, **more):
    raise KeyError('here')
def maker(*, x):
    raise KeyError('here')
class Thing:
    def __init__(self, **more):
        raise KeyError('here')
    def add(self, *args): pass
    def search(self, *args): pass
"""
IMPORTS = "raise RuntimeError('not today')\n"
HEAD = STUDY[: STUDY.index("[system.bm25]")]
REST = STUDY[STUDY.index("[measure]") :].replace("500", "100")
DOORS = {
    "retriever": '[system.ours]\nretriever = "python:own_thing:Thing"\n',
    "retriever made by a function": '[system.ours]\nretriever = "python:own_thing:maker"\nx = 1\n',
    "embedder": '[system.ours]\nretriever = "dense"\nembedder = "python:own_thing:Thing"\n',
    "embedder as a function": '[system.ours]\nretriever = "dense"\nembedder = "python:own_thing:thing"\n',
    "reranker": '[system.bm25]\nretriever = "bm25"\n[system.ours]\nrerank = "bm25"\nby = "python:own_thing:Thing"\n',
    "reranker as a function": '[system.bm25]\nretriever = "bm25"\n[system.ours]\nrerank = "bm25"\nby = "python:own_thing:thing"\n',
    "splitter": '[chunking.ours]\nrule = "python:own_thing:Thing"\n[system.bm25]\nretriever = "bm25"\n',
    "splitter as a function": '[chunking.ours]\nrule = "python:own_thing:thing"\n[system.bm25]\nretriever = "bm25"\n',
    "index": '[system.ours]\nretriever = "vectors"\nunits = "u.npy"\nquestions = "q.npy"\nindex = "python:own_thing:Thing"\nmin_recall = 0.5\n',
}


@pytest.mark.parametrize("code", ["import", "call"])
@pytest.mark.parametrize("door", DOORS)
def test_other_code_that_a_study_brings(door, code, tmp_path):
    import numpy as np

    file = study(
        tmp_path, IMPORTS if code == "import" else RAISES, text=HEAD + DOORS[door] + REST, module="own_thing"
    )
    for name in "uq":
        np.save(file.parent / f"{name}.npy", np.zeros((3, 2), dtype=np.float32))
    done = evenhand("run", file)
    said = "RuntimeError: not today" if code == "import" else "KeyError: 'here'"
    if done.returncode == 4:  # questions that could not be asked are counted, and told with the reason
        assert said.partition(":")[0] in done.stdout + done.stderr
        assert "Traceback" not in done.stderr
    else:
        wrong(done, said, "own_thing")


@pytest.mark.parametrize("code", ["import", "call"])
def test_a_generator_that_a_study_brings(code, tmp_path):
    text = SMALL + '[answers]\nfrom = "python:own_thing:thing"\nsystem = "bm25"\n'
    file = study(tmp_path, IMPORTS if code == "import" else RAISES, text=text, module="own_thing")
    done = evenhand("answers", "generate", file)
    if code == "import":
        wrong(done, "study.toml:", "[answers]", "RuntimeError: not today (own_thing.py:1)")
    else:
        assert done.returncode == 4, done.stderr
        assert "it raised KeyError: 'here' (own_thing.py:2)" in done.stdout


@pytest.mark.parametrize(
    ("section", "command"), [("draft", ("gold", "draft")), ("answers", ("answers", "generate"))]
)
def test_other_models_that_a_study_brings(section, command, tmp_path):
    more = {"draft": "single = 1", "answers": 'system = "bm25"'}[section]
    text = f'{SMALL}[{section}]\nmodel = "python:own_judge:made"\n{more}\n'
    file = study(tmp_path, CHAT.format(**{**GOOD, "made": "raise KeyError('x')"}), text=text)
    wrong(
        evenhand(*command, file),
        "study.toml:",
        f"[{section}]",
        "making it raised KeyError: 'x' (own_judge.py:9)",
    )
