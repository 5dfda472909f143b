"""A local model in this process: llama.cpp's server, reachable on loopback only, with a key of its own."""

from __future__ import annotations

import os
import secrets
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.judges.contract import NotAvailable
from bench.judges.llm.weights import FOLDER_VARIABLE, KNOWN, check, find_weights
from bench.problems import BrokenInput

CONTEXT = 8192  # tokens
_QUIET = {"GOMP_SPINCOUNT": "0", "OMP_WAIT_POLICY": "passive"}  # idle threads must not spin on a busy machine
_RUNTIME = "the package xllamacpp is not installed: pip install xllamacpp"


@dataclass(frozen=True)
class Served:
    """A model that is being served; ``server`` keeps it alive."""

    address: str
    key: str
    server: Any


_served: dict[tuple[int, str], Served] = {}
_lock = threading.Lock()


def weights_path(model: str, path: str | None) -> Path:
    """The model's file. Raises NotAvailable."""
    if path is not None:
        if not Path(path).is_file():
            raise NotAvailable(f"no file at {path}")
        return Path(path)
    found = find_weights(model)
    if found is None and model in KNOWN:
        how = f"python -m bench.judges.llm.weights, or put {KNOWN[model].file} into the folder {FOLDER_VARIABLE} names"
        raise NotAvailable(f"the weights of {model} are not on this machine; get them with {how}")
    if found is None:
        raise NotAvailable(f"no weights known by the name {model}; give parameters: {{path: FILE.gguf}}")
    return found


def serve(model: str, path: str | None) -> Served:
    """The served model, loaded on first use. Raises NotAvailable, for weights with another digest too."""
    file = weights_path(model, path)
    name = (os.getpid(), str(file))
    with _lock:
        if name not in _served:
            if path is None:
                _refuse_others(file, KNOWN[model].sha256)
            _served[name] = _loaded(file)
        return _served[name]


def _refuse_others(file: Path, sha256: str) -> None:
    try:
        check(file, sha256)
    except BrokenInput as broken:
        raise NotAvailable(str(broken)) from None


def _loaded(file: Path) -> Served:
    for variable, value in _QUIET.items():
        os.environ.setdefault(variable, value)
    try:
        import xllamacpp
    except ImportError:
        raise NotAvailable(_RUNTIME) from None
    key = secrets.token_hex(16)
    given = xllamacpp.CommonParams()
    given.model.path = str(file)
    given.model_alias = {file.name}  # told as the model that answered; by default it is the whole path
    given.n_ctx = CONTEXT
    given.n_parallel = 1
    given.cpuparams.n_threads = 1
    given.cpuparams_batch.n_threads = 1
    given.api_keys = [key]
    given.ui = False
    given.offline = True
    given.verbosity = 0
    given.warmup = False
    given.cache_ram_mib = 0  # by default the server keeps up to 8 GB of old prompts, which a run never asks for again
    try:
        server = xllamacpp.Server(given)
    except RuntimeError as error:
        raise NotAvailable(f"the runtime cannot load {file.name} ({type(error).__name__})") from None
    return Served(f"{server.listening_address}/v1", key, server)
