"""No library that evenhand imports reports its use: what it reads is set before it is imported."""

import json
import os
import subprocess
import sys

import pytest

from evenhand.plugins import SILENCED

CANARY = (
    "import json, os, pathlib\npathlib.Path(os.environ['SEEN']).write_text(json.dumps(dict(os.environ)))\n"
)
# how each integration is reached, and the module that it imports
REACHED = {
    "haystack": "plugins.find('python:haystack:Thing', 'retriever')",
    "chonkie": "plugins.find('python:chonkie:Thing', 'chunking')",
    "langchain_core": "plugins.find('python:langchain_core:Thing', 'retriever')",
    "chromadb": "plugins.find('chromadb:Thing', 'retriever')",
    "ragas": "plugins.find('python:ragas:Thing', 'judge')",
    "deepeval": "plugins.find('python:deepeval:Thing', 'judge')",
    "mlflow": "plugins.find('python:mlflow:Thing', 'judge')",
    "ray": "Ray('')._connect()",
    "onnxruntime": "plugins.need('onnxruntime', extra='dense')",
    "sentence_transformers": "plugins.need('sentence_transformers', extra='torch')",
    "markitdown": "plugins.need('markitdown', extra='office')",
    "lancedb": "opened(LanceDB, path='.')",
    "qdrant_client": "opened(Qdrant, path='.')",
    "elasticsearch": "opened(Elasticsearch)",
    "opensearchpy": "opened(OpenSearch)",
    "psycopg": "opened(PgVector)",
}
HEAD = """
from pathlib import Path
from evenhand import plugins
from evenhand.engine.ray import Ray
from evenhand.retrieve.indexes.elasticsearch import Elasticsearch
from evenhand.retrieve.indexes.lancedb import LanceDB
from evenhand.retrieve.indexes.opensearch import OpenSearch
from evenhand.retrieve.indexes.pgvector import PgVector
from evenhand.retrieve.indexes.qdrant import Qdrant

def opened(kind, **settings):
    made = object.__new__(kind)
    vars(made).update(dict(_client=None, key_env="", url="postgresql://localhost:9", user="", base=Path(), fill=True))
    vars(made).update(settings)
    made._open()

try:
    {how}
except BaseException:  # the canary is none of what it is called
    pass
"""


def seen(folder, module, how, **set_by_hand):
    (folder / f"{module}.py").write_text(CANARY)
    env = {name: value for name, value in os.environ.items() if name not in SILENCED}
    env |= {"SEEN": str(folder / "seen.json"), **set_by_hand}
    code = f"import sys; sys.path.insert(0, {str(folder)!r})\n" + HEAD.format(how=how)
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads((folder / "seen.json").read_text())


@pytest.mark.parametrize("module", REACHED)
def test_each_integration_is_silenced_before_it_is_imported(tmp_path, module):
    found = seen(tmp_path, module, REACHED[module])
    assert {name: found.get(name) for name in SILENCED} == SILENCED


def test_what_somebody_has_set_stays(tmp_path):
    found = seen(tmp_path, "haystack", REACHED["haystack"], HAYSTACK_TELEMETRY_ENABLED="True")
    assert found["HAYSTACK_TELEMETRY_ENABLED"] == "True"
    assert found["RAY_USAGE_STATS_ENABLED"] == "0"
