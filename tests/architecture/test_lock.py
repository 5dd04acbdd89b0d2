import re
from pathlib import Path

from packaging.requirements import Requirement
from tests.lock_in_date import locked, out_of_date, wanted

ROOT = Path(__file__).resolve().parents[2]
LOCK = (ROOT / "requirements/lock.txt").read_text()


def test_the_lock_meets_every_requirement_it_is_meant_to_hold():
    assert out_of_date(wanted(ROOT), locked(LOCK)) == []


def test_a_requirement_the_lock_does_not_meet_is_told():
    pins = {"numpy": "1.0"}
    assert out_of_date([Requirement("numpy>=2"), Requirement("scipy")], pins) == [
        "numpy>=2: the lock has 1.0",
        "scipy: not in the lock",
    ]


def test_no_torch_and_no_nvidia_package_is_in_the_lock():
    assert [
        name for name in locked(LOCK) if re.match(r"torch|nvidia|triton|sentence-transformers", name)
    ] == []


def test_the_lock_names_no_host():
    for name in ("lock.txt", "uv.txt"):
        assert "://" not in (ROOT / "requirements" / name).read_text()


def test_every_pin_of_the_lock_has_a_hash():
    pins = re.split(r"\n(?=[A-Za-z0-9])", LOCK.strip())
    assert len(pins) > 100
    assert [pin.split()[0] for pin in pins if "--hash=sha256:" not in pin] == []


def test_onnxruntime_is_held_below_the_version_that_sends_telemetry():
    assert tuple(map(int, locked(LOCK)["onnxruntime"].split(".")[:2])) < (1, 29)
