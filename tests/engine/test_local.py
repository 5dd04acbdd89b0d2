"""The processes of this machine, and how engines are named."""

import numpy as np
import pytest
from tests.engine import studies
from tests.engine.work import secret

from evenhand.engine.dask import Dask
from evenhand.engine.factory import checked, engine_of
from evenhand.engine.local import Local
from evenhand.engine.ray import Ray
from evenhand.engine.task_payload import about, bundled, carried, differs, packed
from evenhand.errors import InputError
from evenhand.formats.study_file.read import read_study
from evenhand.testing import EngineContract
from evenhand.testing.engine import entry, late, mortal


class TestHere(EngineContract):
    apart = False

    @pytest.fixture
    def engine(self):
        return Local(1)


def test_processes_hold_what_is_shared_keep_the_order_and_tell_when_one_is_lost(tmp_path):
    table = np.arange(9.0)
    engine = Local(2)
    assert list(engine.map(entry, [(i, 1) for i in range(8)], shared=(table,))) == [i + 1.0 for i in range(8)]
    with pytest.raises(InputError, match="a process of this machine ended"):
        list(engine.map(mortal, [(0, ""), (1, str(tmp_path / "killed"))], shared=(table,)))


@pytest.mark.parametrize(
    ("name", "kind", "address"),
    [
        ("local", None, None),
        ("dask://", Dask, ""),
        ("dask://node-1.cluster:8786", Dask, "node-1.cluster:8786"),
        ("dask://[::1]:8786", Dask, "[::1]:8786"),
        ("ray://", Ray, ""),
        ("ray://10.0.0.7:10001", Ray, "10.0.0.7:10001"),
    ],
)
def test_an_engine_is_known_by_its_name(name, kind, address):
    made = engine_of(name)
    assert (made and type(made)) == kind
    if made is not None:
        assert made.address == address
        made.close()  # it was never connected


@pytest.mark.parametrize(
    ("name", "mend"),
    [
        ("dask", "write dask://host:port"),
        ("dask://host", "write dask://host:port"),
        ("ray://user:word@host:1", "write ray://host:port"),
        ("dask://host:8786/path", "write dask://host:port"),
        ("locl", "did you mean 'local'"),
        ("spark://host:1", "dask://HOST:PORT"),
        ("", "use one of: dask://"),
    ],
)
def test_what_is_no_engine_is_refused_with_the_nearest_form(name, mend):
    with pytest.raises(InputError) as told:
        checked(name)
    assert mend in told.value.mend


def test_a_parcel_shows_nothing_of_what_it_holds():
    sent = bundled([secret()])
    parcel = packed(late, (7, 0.0), sent)
    assert "parrot" not in f"{sent!r} {parcel!r}"
    assert repr(parcel) == "<evenhand evenhand.testing.engine:late>"


def test_other_versions_are_refused_before_anything_is_unpacked(monkeypatch):
    ours = about()
    monkeypatch.setattr("evenhand.engine.task_payload.about", lambda: ("0.0.9", "3.99"))
    parcel = packed(late, (7, 0.0), bundled([]))
    monkeypatch.undo()
    with pytest.raises(
        InputError, match=f"a worker has evenhand {ours[0]}, and this process has evenhand 0.0.9"
    ):
        carried(parcel)
    told = differs((ours[0], "3.10"), ours, worker="worker 3")
    assert f"worker 3 has Python 3.10, and this process has Python {ours[1]}" in told.what
    assert differs(ours, ours) is None


def test_what_cannot_be_sent_is_told(tmp_path):
    with pytest.raises(InputError, match="cannot be sent to another process") as told:
        packed(lambda item: item, 1, bundled([]))
    assert 'engine = "local"' in told.value.mend
    (tmp_path / "only_here_xyz.py").write_text("def f(item): return item")
    parcel = packed(late, (7, 0.0), bundled([]))
    lost = type(parcel)(
        parcel.name, b"conly_here_xyz\nf\n.", parcel.mark, parcel.shared, parcel.made_by, parcel.paths
    )
    with pytest.raises(InputError, match="a worker has no module 'only_here_xyz'"):
        carried(lost)


def test_the_engine_is_in_no_seal_and_a_wrong_one_is_told_with_its_line(tmp_path):
    here = read_study(studies.make(tmp_path / "here"))
    there = read_study(studies.make(tmp_path / "there", engine="ray://node:10001"))
    assert (here.engine, there.engine) == ("local", "ray://node:10001")
    assert here.seal == there.seal
    assert "engine" not in there.as_json()
    with pytest.raises(InputError, match=r"study.toml:3 \[study\] engine: 'spark://node:1' is no engine"):
        read_study(studies.make(tmp_path / "wrong", engine="spark://node:1"))
