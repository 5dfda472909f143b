"""A Claude Code session of any size: prompts, messages, thinking and calls whose outputs have 1 to 50 kB.

    python tests/perf/synthetic_claude.py session.jsonl 1000000000

Every record has the fields and the order of a real one; result records carry their output twice, as real ones do
(the block and ``toolUseResult``). Texts hold line ends, quotes, tabs, colour codes and words beyond ASCII in about the
shares of real outputs. The same size and seed give the same bytes.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CALLS_A_PROMPT = 15  # a typed prompt is a small part of a session
OUTPUTS = 400  # different ones; a session repeats itself too
_WORDS = (
    "error",
    "warning",
    "return",
    "import",
    "func",
    "test",
    "value",
    "result",
    "config",
    "session",
    "handler",
    "context",
    "request",
    "response",
    "build",
    "module",
    "package",
    "index",
    "buffer",
    "stream",
    "token",
    "parse",
    "commit",
    "branch",
    "merge",
    "file",
    "path",
    "line",
    "number",
    "string",
    "object",
    "array",
    "checkpoint",
)
_SIGNS = ("{", "}", "(", ")", '"x"', "=", ":=", "->", "//", "\t", "'", "\\n", "[0]", "100%", "4711", "a3f9c07e")
_BEYOND_ASCII = ("—", "✓", "für")


def records(seed: int = 1) -> Iterator[bytes]:
    """Lines without end: turns of one prompt, then calls with their results, then a message."""
    generator = random.Random(seed)
    outputs = [json.dumps(_output(generator), ensure_ascii=False) for _ in range(OUTPUTS)]
    sayings = [_words(generator, generator.randint(20, 120)) for _ in range(100)]
    number, parent = 0, None
    while True:
        number += 1
        parent, line = _user(number, parent, json.dumps(generator.choice(sayings)[:400]), "")
        yield line
        for _ in range(generator.randint(1, 2 * CALLS_A_PROMPT - 1)):
            number += 1
            call = f"toolu_{number:020d}"
            for block in _blocks(generator, call, sayings):
                number += 1
                parent, line = _assistant(number, parent, block)
                yield line
            output = generator.choice(outputs)
            failed = generator.random() < 0.07
            number += 1
            parent, line = _result(number, parent, call, output, failed)
            yield line
        number += 1
        parent, line = _assistant(number, parent, {"type": "text", "text": generator.choice(sayings)})
        yield line
        number += 1
        bare = {"type": "system", "subtype": "turn_duration", "durationMs": 1000, **_about(number, parent)}
        yield json.dumps(bare, separators=(",", ":")).encode() + b"\n"


def write(path: Path, size: int, seed: int = 1) -> int:
    """Write lines until the size is reached; how many."""
    written = count = 0
    with path.open("wb") as stream:
        for line in records(seed):
            stream.write(line)
            written += len(line)
            count += 1
            if written >= size:
                return count
    raise AssertionError("the records have no end")


def _output(generator: random.Random) -> str:
    size = int(1000 * 50 ** generator.random())
    signs = _SIGNS + _BEYOND_ASCII if generator.random() < 0.4 else _SIGNS  # half of the bytes of real sessions
    coloured = generator.random() < 0.02
    lines: list[str] = []
    length = 0
    while length < size:
        words = generator.choices(_WORDS, k=generator.randint(2, 9)) + generator.choices(
            signs, k=generator.randint(0, 4)
        )
        generator.shuffle(words)
        line = " ".join(words)
        if coloured and generator.random() < 0.2:
            line = f"\x1b[31m{line}\x1b[0m"
        lines.append("    " * generator.randint(0, 3) + line)
        length += len(lines[-1]) + 1
    return "\n".join(lines)


def _words(generator: random.Random, count: int) -> str:
    return " ".join(generator.choices(_WORDS, k=count)).capitalize() + "."


def _identity(number: int) -> str:
    digits = f"{number:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _about(number: int, parent: str | None) -> dict[str, Any]:
    clock = f"{number // 3600 % 24:02d}:{number // 60 % 60:02d}:{number % 60:02d}.250Z"
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/person/project",
        "sessionId": _identity(7),
        "version": "2.1.119",
        "gitBranch": "main",
        "uuid": _identity(number),
        "timestamp": f"2026-01-{1 + number // 86400 % 28:02d}T{clock}",
    }


def _blocks(generator: random.Random, call: str, sayings: list[str]) -> Iterator[dict[str, Any]]:
    if generator.random() < 0.5:
        yield {"type": "thinking", "thinking": generator.choice(sayings), "signature": "Ev" * 200}
    if generator.random() < 0.3:
        yield {"type": "text", "text": generator.choice(sayings)}
    tool = generator.choice(("Bash", "Bash", "Read", "Grep", "Edit"))
    arguments = {
        "Bash": {"command": f"make {generator.choice(_WORDS)} && git status", "description": "Run it"},
        "Read": {"file_path": f"/home/person/project/{generator.choice(_WORDS)}.go"},
        "Grep": {"pattern": generator.choice(_WORDS), "path": ".", "output_mode": "content"},
        "Edit": {
            "file_path": "/home/person/project/a.go",
            "old_string": generator.choice(sayings),
            "new_string": generator.choice(sayings),
        },
    }[tool]
    yield {"type": "tool_use", "id": call, "name": tool, "input": arguments}


def _assistant(number: int, parent: str | None, block: dict[str, Any]) -> tuple[str, bytes]:
    usage = {
        "input_tokens": 4,
        "cache_creation_input_tokens": 700,
        "cache_read_input_tokens": 61000,
        "output_tokens": 210,
    }
    message = {"model": "claude-sonnet", "id": f"msg_{number // 4:020d}", "type": "message", "role": "assistant",
               "content": [block], "stop_reason": None, "stop_sequence": None, "usage": usage}  # fmt: skip
    record = {"message": message, "requestId": f"req_{number:020d}", "type": "assistant", **_about(number, parent)}
    return _identity(number), json.dumps(record, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"


def _user(number: int, parent: str | None, content: str, rest: str) -> tuple[str, bytes]:
    about = json.dumps(_about(number, parent), separators=(",", ":"))[1:-1]
    line = f'{{{about},"type":"user","message":{{"role":"user","content":{content}}}{rest}}}\n'
    return _identity(number), line.encode()


def _result(number: int, parent: str | None, call: str, output: str, failed: bool) -> tuple[str, bytes]:
    told = f'"Exit code 1\\n{output[1:]}' if failed else output
    block = f'[{{"tool_use_id":"{call}","type":"tool_result","content":{told},"is_error":{str(failed).lower()}}}]'
    details = (
        f'"Error: {told[1:]}' if failed else f'{{"stdout":{output},"stderr":"","interrupted":false,"isImage":false}}'
    )
    return _user(number, parent, block, f',"toolUseResult":{details}')


if __name__ == "__main__":
    print(write(Path(sys.argv[1]), int(sys.argv[2])), "records")
