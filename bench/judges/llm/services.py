"""The providers that an LLM judge knows, by their public addresses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

_ALL = ("json_schema", "tools", "md_json", "plain", "logprob")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True)
class Service:
    """One provider."""

    name: str
    base_url: str | None  # None: the suite gives it
    key_variable: str | None  # None: no key is needed
    api: Literal["openai", "anthropic"] = "openai"
    modes: tuple[str, ...] = _ALL
    takes_seed: bool = True
    limit_name: str = "max_tokens"  # what the provider calls the limit of its output
    hosted: bool = True  # its key is meant for its own address only


SERVICES: dict[str, Service] = {
    service.name: service
    for service in (
        Service("openai-compatible", None, "LLM_API_KEY", hosted=False),
        Service("openai", "https://api.openai.com/v1", "OPENAI_API_KEY", limit_name="max_completion_tokens"),
        Service("anthropic", "https://api.anthropic.com", "ANTHROPIC_API_KEY", "anthropic", _ALL[:4], takes_seed=False),
        Service(
            "google",
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            "GEMINI_API_KEY",
            modes=_ALL[:4],
            takes_seed=False,
        ),
        Service("ollama", "http://127.0.0.1:11434/v1", None, hosted=False),
        Service("gguf", "http://127.0.0.1", None, hosted=False),
        Service("batch", "batch:", None, modes=("md_json", "plain"), takes_seed=False, hosted=False),
    )
}


def own_address(service: Service, given: str | None) -> Iterable[tuple[str, str]]:
    """What is wrong with the address in the suite: (found, fix). The address itself is not repeated: it may hold a key."""
    if given is None:
        if service.base_url is None:
            yield "no address of the server", "add parameters: {base_url: https://.../v1}"
        return
    if service.name == "gguf":
        yield "an address for a model that runs in this process", "leave it out"
        return
    try:
        parts = urlsplit(given)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if host is None or parts.scheme not in ("http", "https"):
        yield "no http or https address", "give one, such as https://host/v1"
    elif parts.username is not None or parts.password is not None or parts.query:
        yield "an address with a user, a password or a query in it", "put the key into the environment"
    elif service.hosted and host not in _LOOPBACK:
        yield f"another address than that of {service.name}, whose key it would get", "use provider: openai-compatible"
