"""Parameters of the LLM judge: what is refused, and how it is told."""

from __future__ import annotations

import pytest
from fake_llm import Says, always, fake, verdict
from llm_judges import YES_NO, asked, item, llm

from bench.judges.contract import CallingJudge, NotAvailable
from bench.problems import BrokenInput
from bench.running.asking import ask_now

URL = "http://127.0.0.1:9/v1"


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({}, "no address of the server"),
        ({"provider": "nobody"}, "use one of openai-compatible"),
        ({"base_url": "ftp://host/v1"}, "no http or https address"),
        ({"base_url": "host:8000"}, "no http or https address"),
        ({"base_url": "http://[1/v1"}, "no http or https address"),
        ({"base_url": "http://user:hunter2hunter2@host/v1"}, "a user, a password or a query"),
        ({"base_url": "http://host/v1?key=hunter2hunter2"}, "a user, a password or a query"),
        ({"provider": "openai", "base_url": "https://elsewhere.example/v1"}, "whose key it would get"),
        ({"provider": "openai", "key_variable": "OTHER_KEY"}, "another key for this provider"),
        ({"base_url": URL, "key_variable": "HOME"}, "not named like a key"),
        ({"base_url": URL, "mode": "telepathy"}, "use one of json_schema"),
        ({"provider": "anthropic", "mode": "logprob"}, "use one of json_schema, tools, md_json, plain"),
        ({"provider": "google", "mode": "logprob"}, "use one of json_schema"),
        ({"base_url": URL, "template": "plain@9"}, "use one of plain@1"),
        ({"base_url": URL, "temperature": "3"}, "a number from 0 to 2"),
        ({"base_url": URL, "temperature": "warm"}, "a number from 0 to 2"),
        ({"base_url": URL, "max_tokens": "0"}, "at least 1"),
        ({"base_url": URL, "reasoning_budget": "100"}, "use reasoning_effort"),
        ({"provider": "anthropic", "reasoning_budget": "2000"}, "leaves no room for the answer"),
        ({"provider": "anthropic", "reasoning_budget": "some"}, "give a whole number"),
        ({"base_url": URL, "prompt_cache": "on"}, "caches by itself"),
        ({"provider": "gguf", "concurrency": "4"}, "one thread runs the model"),
        ({"provider": "gguf", "base_url": URL}, "an address for a model that runs in this process"),
        ({"base_url": URL, "price_in": "1"}, "without its parameter price_out"),
        ({"base_url": URL, "price_in": "free", "price_out": "0"}, "a number from 0"),
        ({"base_url": URL, "api_key": "hunter2hunter2"}, "with the parameter api_key"),
        ({"base_url": URL, "path": "model.gguf"}, "with the parameter path"),
    ],
)
def test_what_is_refused(parameters: dict[str, str], told: str) -> None:
    with pytest.raises(BrokenInput) as caught:
        llm(**parameters)
    assert told in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_it_is_a_judge_that_calls() -> None:
    judge = llm(base_url=URL, concurrency="7", per_minute="50", seconds="9", retries="1")
    assert isinstance(judge, CallingJudge)
    assert judge.name == "llm:m-1:json_schema"
    assert judge.receives == {"projection", "reference_time"}
    limits = judge.limits
    assert (limits.concurrency, limits.per_minute, limits.seconds, limits.retries) == (7, 50, 9, 1)
    assert limits.one_statement_a_call
    assert limits.provider != llm(base_url="http://127.0.0.1:8/v1").limits.provider


@pytest.mark.parametrize(
    ("provider", "variable"),
    [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY"), ("google", "GEMINI_API_KEY")],
)
def test_a_missing_key_is_named_and_nothing_is_asked(
    provider: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(variable, raising=False)
    judge = llm(provider=provider)
    with pytest.raises(NotAvailable, match=f"set the environment variable {variable}"):
        judge.judge(item(), [YES_NO], 0)
    (told,) = ask_now(judge, item(), [YES_NO])
    assert told.unscored == "unavailable"


def test_a_key_with_a_line_end_or_a_bullet_is_no_header(monkeypatch: pytest.MonkeyPatch) -> None:
    for key in ("abc\ndef", "••••••••"):
        monkeypatch.setenv("LLM_API_KEY", key)
        with pytest.raises(NotAvailable, match="holds no key") as caught:
            llm(base_url=URL).judge(item(), [YES_NO], 0)
        assert key not in str(caught.value)


def test_keys_go_where_they_belong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LLM_API_KEY", "key-one")
    monkeypatch.setenv("MY_OWN_TOKEN", "key-two")
    monkeypatch.setenv("OPENAI_API_KEY", "key-three")
    with fake(always(Says(verdict("yes")))) as server:
        assert asked(llm(base_url=server.url)).answer == "yes"
        assert asked(llm(base_url=server.url, key_variable="MY_OWN_TOKEN")).answer == "yes"
        assert asked(llm(base_url=server.url, provider="openai")).answer == "yes"
        assert asked(llm(base_url=server.url, provider="ollama")).answer == "yes"
        keys = [request.headers.get("Authorization") for request in server.asked]
        limits = [sorted(set(request.body) & {"max_tokens", "max_completion_tokens"}) for request in server.asked]
    assert keys == ["Bearer key-one", "Bearer key-two", "Bearer key-three", None]
    assert limits == [["max_tokens"], ["max_tokens"], ["max_completion_tokens"], ["max_tokens"]]
