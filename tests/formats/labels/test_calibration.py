"""calibration.json: what was drawn, sealed."""

import json

import pytest

from evenhand.errors import InputError
from evenhand.formats.labels.calibration import read_sample, sample_text, write_sample
from evenhand.judge.calibration.human_sample import draw, further


def sample():
    questions = {f"i{i:02}": f"q{i // 3}" for i in range(40)}
    status = {item: "split" if i % 3 == 0 else "unanimous" for i, item in enumerate(questions)}
    return further(draw(questions, 10, seed=1), questions, 4, seed=1, status=status)


def test_a_sample_comes_back_as_it_was(tmp_path):
    file = tmp_path / "calibration.json"
    write_sample(file, sample())
    assert read_sample(file).seal == sample().seal
    assert file.read_text() == sample_text(sample())


def test_a_chance_changed_by_hand_is_noticed(tmp_path):
    file = tmp_path / "calibration.json"
    data = json.loads(sample_text(sample()))
    data["items"][0]["probability"] = 0.9
    file.write_text(json.dumps(data))
    with pytest.raises(InputError, match="changed since it was drawn"):
        read_sample(file)


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"schema": "other"}, "is no sample of calibration"),
        ({"extra": 1}, "unknown key 'extra'"),
        ({"items": [{"item": "a"}]}, "is not whole"),
        ({"items": [{"item": "a", "question": "q", "stratum": "all", "probability": 2}]}, "probability 2"),
        ({"phases": 3}, "is not whole"),
        ({"phases": []}, "changed since"),
    ],
)
def test_a_broken_file_is_told(tmp_path, change, match):
    file = tmp_path / "calibration.json"
    file.write_text(json.dumps({**json.loads(sample_text(sample())), **change}))
    with pytest.raises(InputError, match=match) as told:
        read_sample(file)
    assert told.value.mend


def test_no_file_and_no_json_say_how_to_draw(tmp_path):
    file = tmp_path / "calibration.json"
    with pytest.raises(InputError, match="there is no sample"):
        read_sample(file)
    file.write_text("{")
    with pytest.raises(InputError) as told:
        read_sample(file)
    assert "--draw" in told.value.mend
