"""Planted secrets in every surrounding and across every cut; what looks like them stays; personal data."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from planted import SURROUNDINGS, Planted, pieces, planted

from bench.projection.presets import PRESETS
from bench.projection.project import for_publishing, project
from bench.projection.render import render
from bench.redaction.forms import FORMS
from bench.redaction.numbers import number_kind
from bench.redaction.personal import redact_personal
from bench.redaction.redact import redact, redact_field
from bench.redaction.tokens import KINDS, NEED_DIGITS
from bench.schema.event import Event

ALL = planted()
ONE_EACH = tuple({p.kind + p.text[:6]: p for p in ALL}.values())
CUTS = (
    120,
    250,
    300,
    500,
    600,
    1000,
    1200,
    2000,
    4000,
    8000,
)  # where presets cut a text, heads of middle cuts among them


def test_the_planted_are_many_and_of_every_kind() -> None:
    kinds = {p.kind for p in ALL}
    assert len(ALL) >= 200
    assert len(kinds) >= 30
    assert {kind for kind, _ in KINDS} | {form.kind for form in FORMS} | {"cookie", "card-number", "iban"} == kinds
    assert set(NEED_DIGITS) < kinds


@pytest.mark.parametrize("where", SURROUNDINGS)
def test_no_planted_secret_survives(where: str) -> None:
    left = []
    for p in ALL:
        clean, found = redact(SURROUNDINGS[where](p.text))
        if not found or any(piece in clean for piece in pieces(p.core)):
            left.append((p.kind, p.text[:12]))
    assert left == []


def test_most_are_named_by_their_own_kind() -> None:
    named = Counter(f"[redacted:{p.kind}]" in redact(p.text)[0] for p in ALL)
    assert named[False] == 0


@pytest.mark.parametrize("preset", PRESETS)
def test_a_secret_across_a_cut_leaves_no_part(preset: str) -> None:
    """Cut first, and the part before the cut would be known for no secret."""
    for cut in CUTS:
        for inside in (4, 0.5):
            events = [_straddling(p, cut, inside) for p in ONE_EACH]
            shown = render(project(PRESETS[preset], "see", "desk", events, answer=events[0].text))
            assert [p.kind for p in ONE_EACH if any(piece in shown for piece in pieces(p.core))] == [], (cut, inside)


def _straddling(p: Planted, cut: int, inside: float) -> Event:
    """A text whose secret begins before the cut and ends behind it."""
    start = p.text.index(p.core) + (int(inside) if inside >= 1 else int(len(p.core) * inside))
    filler = ("word " * (cut // 5 + 1))[: max(0, cut - start - 1)]
    return Event(kind="message", text=f"{filler} {p.text}\n{'more ' * (cut // 2)}")


def test_every_field_of_an_event_is_redacted() -> None:
    secret = "ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zaB3dE6gH"
    event = Event.model_validate(
        {
            "kind": "tool_call", "tool": f"t {secret}", "text": secret, "command": secret, "output": secret, "path": secret,
            "thread": f"sub:{secret}", "args": {"a": {secret: [secret]}, "password": "aB3dE6gH9jK2mN5p"},
            "approval": {"decision": "denied", "reason": secret},
        }
    )  # fmt: skip
    shown = project(PRESETS["events"], secret, "desk", [event], answer=secret)
    assert "aB3dE6gH9jK2" not in str(shown.content())
    assert shown.redactions == 12


@given(st.text(max_size=300))
def test_redacting_twice_is_redacting_once(text: str) -> None:
    clean, found = redact(text)
    again, more = redact(clean)
    assert (again, more) == (clean, 0)
    assert found or clean == text


@given(st.text(alphabet="=:/@'\"\\ \n-_.;&?abpswordkeytokn019AZ", max_size=200), st.sampled_from(ALL))
def test_a_known_form_is_found_in_any_text(around: str, p: Planted) -> None:
    if p.kind in {kind for kind, _ in KINDS} - {"bearer", "url-password", "url-token", "private-key", "aws-key", "jwt"}:
        clean, found = redact(f"{around}\n{p.text}\n{around}")
        assert found
        assert p.core not in clean


SILENT = (
    "the authorization: generate, loopback and more",
    "Authorization: Basic realm",
    "basic understanding of authorization",
    "Cookie: theme=dark; lang=en",
    "document.cookie = 'name=' + value",
    "docker run -u 1000:1000 image",
    "curl -u $USER:$PASSWORD https://example.org",
    "curl -sSL https://example.org/a:b/c -o out",
    "curl -u user: https://example.org",
    "docker run --name mysql -p3306:3306 mysql",
    "mysql -u root -p shop",
    "--password-file /run/secrets/db1",
    "docker build --secret id=npmrc1,src=.npmrc .",
    "gh auth login --with-token < file1",
    'tool --token "$TOKEN_2"',
    "login screen, password field 2 is empty",
    "machine learning: login as root, password 2 follows",
    "MAX_TOKENS=4096 and TOKENIZERS_PARALLELISM=false",
    "DB_PASSWORD_FILE=/run/secrets/db1",
    "SECRET_NAME=payments-v2",
    "API_TOKEN_URL=auth2.example.org",
    "GITHUB_TOKEN=secrets.GITHUB_TOKEN_2",
    "process.env.API_TOKEN",
    "raw.AccessToken, wire.RefreshToken",
    "?key=name&token=reset&page=12",
    "Server=db;Database=shop;User Id=sa;Password=${PW};",
    "https://example.org/@scope/name@1.2.3",
    "https://x-access-token-of-the-owner@example.org",
    "git@github.com:owner/name.git",
    "mailto:me@example.org",
    "DE00123456789012345678",  # wrong check digits
    "4539 1488 0343 6468",  # Luhn's check fails by one
    "4242 4242 4242 4242",  # a published test number
    "latency 0.4539148803436467 s",
    "1712345678901234567",
    "id 6011000990139424 of the docs",  # a published test number
    "key-value-pairs-and-more",
    "0a1b2c3d4e5f60718293a4b5c6d7e8f9-user",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGk3J4h5G6f7D8s9A0q1W2e3R4t5Y6u7I8o9P0zX me@host",
    "phc_ is a public key of the project",
    "pat.first.last",
)


@pytest.mark.parametrize("text", SILENT)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == (text, 0)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        # Luhn's algorithm: the example of ISO/IEC 7812-1's own check, and numbers worked by hand
        ("4539148803436467", "card-number"),
        ("4539148803436468", None),
        ("378282246310005", None),  # published for tests
        # ISO 13616: the registry's examples
        ("DE89370400440532013000", "iban"),
        ("GB29NWBK60161331926819", "iban"),
        ("FR1420041010050500013M02606", "iban"),
        ("FR1420041010050500013M02607", None),
        ("XX89370400440532013000", None),
    ],
)
def test_check_digits(text: str, kind: str | None) -> None:
    assert number_kind(text) == kind


def test_a_lone_surrogate_is_no_crash() -> None:
    assert redact("a\ud800 ghp_" + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zaB3dE6gH") == ("a\\ud800 [redacted:github-token]", 1)
    assert redact_field("password", "a\ud800")[1] == 0


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("see /home/miriam/shop/a.py", "see /home/user/shop/a.py"),
        ("C:\\Users\\Miriam\\shop", "C:\\Users\\user\\shop"),
        ("by miriam.k@firma.de today", "by [redacted:e-mail] today"),
        ("call +49 30 1234 5678 now", "call [redacted:phone] now"),
        ("/home/runner/work and /Users/runner", "/home/runner/work and /Users/runner"),
        ("git@github.com:a/b.git", "git@github.com:a/b.git"),
        ("ssh://git@host.de/a", "ssh://git@host.de/a"),
        ("noreply@anthropic.com and a@example.org", "noreply@anthropic.com and a@example.org"),
        ("1+1 = 2, +12 -3, 2026-01-02 12:00 +01:00", "1+1 = 2, +12 -3, 2026-01-02 12:00 +01:00"),
        ("pip@24.0.1 npm@10.2.3", "pip@24.0.1 npm@10.2.3"),
    ],
)
def test_personal_data(text: str, clean: str) -> None:
    assert redact_personal(text)[0] == clean


def test_a_judge_keeps_what_a_published_case_loses() -> None:
    event = Event(kind="command", command="cat /home/miriam/a", output="miriam.k@firma.de")
    seen = project(PRESETS["events"], "as miriam.k@firma.de", "desk", [event])
    assert "miriam" in str(seen.content())
    published, count = for_publishing(seen)
    assert "miriam" not in str(published.content())
    assert count == 3
