"""Redaction: what is replaced, what stays, and how long hostile text takes. Every secret here is made up, and put together
when the test runs, so that scanners stay quiet."""

from __future__ import annotations

import time

import pytest

from bench.redaction.redact import redact, redact_field

MIXED = "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z"  # 28
LONG = MIXED * 4
UPPER = "Q7W2E5R8T1Y4U6I9"  # 16
KEY = f"{MIXED}+/{MIXED}{MIXED[:6]}"  # 64, as a line of base64 is
DASHES = "-" * 5
BEGIN, END = f"{DASHES}BEGIN RSA PRIVATE KEY{DASHES}", f"{DASHES}END RSA PRIVATE KEY{DASHES}"
HEADER = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123456789ABCDEF\n\n"

PLANTED = [
    ("private-key", f"{BEGIN}\n{KEY}\n{KEY}\nAb3=\n{END}"),
    ("private-key", f"{BEGIN}\r\n{KEY}\r\n{END}"),
    ("private-key", f"{BEGIN}\\n{KEY}\\n{KEY}\\n{END}"),
    ("private-key", f"{BEGIN}\n{HEADER}{KEY}\n{END}"),
    ("private-key", f"     1→{BEGIN}\n     2→{KEY}\n     3→{END}"),
    ("private-key", f"{BEGIN}\n{KEY}\n{KEY}\nAb3"),
    ("private-key", f"{DASHES}BEGIN PRIVATE KEY{DASHES}{KEY}{DASHES}END PRIVATE KEY{DASHES}"),
    ("private-key", f"{DASHES}BEGIN OPENSSH PRIVATE KEY{DASHES}\n{KEY}\n{DASHES}END OPENSSH PRIVATE KEY{DASHES}"),
    ("aws-key", "AKIA" + UPPER),
    ("aws-key", "ASIA" + UPPER),
    ("github-token", "ghp_" + LONG[:36]),
    ("github-token", "gho_" + LONG[:36]),
    ("github-token", "ghs_" + LONG[:36]),
    ("github-token", "ghr_" + LONG[:76]),
    ("github-token", "ghp_" + LONG * 4),
    ("github-token", "github_" + "pat_" + LONG[:22] + "_" + LONG[:59]),
    ("gitlab-token", "glpat-" + MIXED[:20]),
    ("npm-token", "npm_" + LONG[:36]),
    ("pypi-token", "pypi-" + "AgEIcHlwaS5vcmcC" + LONG),
    ("slack-token", "xoxb-" + "123456789012-" + MIXED),
    ("slack-token", "xoxp-" + "1234567890"),
    ("slack-token", "hooks.slack" + ".com/services/T00AA00/B00BB00/" + MIXED),
    ("stripe-key", "sk_" + "live_" + MIXED),
    ("stripe-key", "rk_" + "test_" + MIXED),
    ("stripe-key", "pk_" + "live_" + MIXED),
    ("anthropic-key", "sk-" + "ant-api03-" + LONG),
    ("openai-key", "sk-" + LONG[:48]),
    ("openai-key", "sk-" + "proj-" + LONG),
    ("openai-key", "sk-" + "svcacct-" + LONG),
    ("openai-key", "sk-" + "or-v1-" + LONG),
    ("google-key", "AIza" + LONG[:35]),
    ("huggingface-token", "hf_" + LONG[:34]),
    ("sendgrid-key", "SG" + "." + MIXED[:22] + "." + LONG[:43]),
    ("jwt", ".".join(["eyJ" + "hbGciOiJIUzI1NiJ9", "eyJ" + "zdWIiOiIxIn0", MIXED])),
    ("bearer", "Bearer " + MIXED),
    ("bearer", "bearer  " + MIXED + "=="),
    ("url-password", "postgres://admin:" + "s3cret-pw" + "@"),
    ("url-password", "https://user:" + MIXED + "@"),
    ("url-password", "mongodb+srv://root:" + "hunter2" + "@"),
]
NAMED = [
    'password = "' + MIXED + '"',
    "PASSWORD=" + MIXED,
    "db_password: " + MIXED,
    "passwd=" + "correct9horse",
    '"api_key": "' + MIXED + '"',
    "apiKey: '" + MIXED + "'",
    '\\"api_key\\": \\"' + MIXED + '\\"',
    "client_secret=" + MIXED,
    "aws_secret_access_key = " + MIXED + "+/" + MIXED[:10],
    "ACCESS-KEY: " + MIXED,
    "auth_token=" + MIXED,
    "access_token=" + MIXED,
    '"refresh_token":"' + MIXED + '"',
    "'private_token' => '" + MIXED + "'",
]
NEIGHBOURS = [
    ("", ""),
    ("before ", " after"),
    ("x=(", ") and more"),
    ("line one\n", "\nline three."),
    ('{"k": "', '", "n": 1}'),
    ("printed\\n", "\\nnext"),
    ("\x1b[32m", "\x1b[0m done"),
    ("größe→", "→größe"),
    ("[", "](https://example.org/a)"),
]


@pytest.mark.parametrize(("before", "after"), NEIGHBOURS)
@pytest.mark.parametrize(("kind", "secret"), PLANTED)
def test_a_secret_goes_and_its_neighbours_stay(kind: str, secret: str, before: str, after: str) -> None:
    torn = kind == "private-key" and "END" not in secret
    after = " ... after" if torn and after else after  # a torn key has no end of its own
    clean, found = redact(before + secret + after)
    assert found == 1
    assert f"[redacted:{kind}]" in clean
    assert clean.endswith(after)
    assert clean.startswith(before.rstrip("n\\m").removesuffix("\x1b[32"))  # an escape right before may go along
    assert MIXED[4:] not in clean and KEY[:8] not in clean


@pytest.mark.parametrize(("before", "after"), [("", ""), ("{", "}"), ("export ", "\nnext"), ("\\n", "\\n")])
@pytest.mark.parametrize("line", NAMED)
def test_a_named_secret_goes_and_its_name_stays(line: str, before: str, after: str) -> None:
    clean, found = redact(before + line + after)
    assert found == 1 and "[redacted:named-secret]" in clean
    name = line.strip("\\\"'").split("=")[0].split(":")[0].rstrip("\\\"' ")
    assert clean.startswith(before) and name in clean and clean.endswith(after)
    assert MIXED[:12] not in clean and "correct9horse" not in clean


def test_several_secrets_in_one_text_are_counted_one_by_one() -> None:
    text = " ".join(secret for _, secret in PLANTED if "PRIVATE" not in secret)
    clean, found = redact(text)
    assert found == clean.count("[redacted:") == sum("PRIVATE" not in secret for _, secret in PLANTED)


@pytest.mark.parametrize("secret", [secret for _, secret in PLANTED] + NAMED)
def test_what_is_clean_stays_as_it_is(secret: str) -> None:
    clean, _ = redact(f"before {secret} after")
    assert redact(clean) == (clean, 0)


@pytest.mark.parametrize(
    "text",
    [
        "3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
        "commit 1f3c9a7 merges 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
        "sha256:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        "550e8400-e29b-41d4-a716-446655440000",
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ",
        "password: validatePassword",
        "password: string; passwordConfirmation: string",
        "if (password === confirmPassword) {",
        "const { password } = request.body",
        "token = get_token()",
        "secret = load_secret_v2_from_vault()",
        "api_key = os.environ['API_KEY']",
        'api_key = os.environ["OPENAI_API_KEY_2"]',
        "PASSWORD=$DB_PASSWORD",
        "password: ${{ secrets.DB_PASSWORD_1 }}",
        "password: '********'",
        "password: <your password here>",
        "Authorization: Bearer $TOKEN",
        "Bearer <token>",
        "a bearer of internationalisation-and-localisation news",
        "https://example.org/a/b?c=d#e",
        "http://localhost:3000/@scope/name",
        "https://github.com/owner/name.git",
        "git@github.com:owner/name.git",
        "ssh://git@github.com:22/owner/name",
        "postgres://localhost:5432/name",
        "postgres://user:$PASSWORD@host/name",
        "class sk-fading-circle-container-wide",
        "task-1234567890123456789012 is done",
        "disk-usage-of-node-20-and-22-images",
        "npm_config_registry=https://registry.example.org",
        "npm_lifecycle_event, npm_package_version",
        "hf_hub_download(repo_id)",
        "gh pr list --json number,title",
        "ghp_ is the prefix of a token",
        "pypi-server-with-a-very-long-package-name-indeed",
        "AKIAFRIKA",
        "eyJ is how a JWT starts",
        "BEGIN CERTIFICATE",
        f"{DASHES}BEGIN PUBLIC KEY{DASHES}\n{KEY}\n{DASHES}END PUBLIC KEY{DASHES}",
        "max_tokens: 4096, tokens_in: 123456789012",
        "keyboard = qwertyuiop1234",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text) == (text, 0)


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("password", MIXED, 1),
        ("DB_PASSWORD", MIXED, 1),
        ("apiKey", MIXED, 1),
        ("client-secret", MIXED, 1),
        ("password", "validatePassword", 0),
        ("password", "a text of 12 words or more", 0),
        ("path", MIXED, 0),
        ("password_file", MIXED, 0),
        ("content", "see " + "ghp_" + LONG[:36], 1),
    ],
)
def test_a_field_with_a_telling_name(name: str, value: str, found: int) -> None:
    assert redact_field(name, value)[1] == found


HOSTILE = {
    "one letter": "a" * 5_000_000,
    "names": "password" * 625_000,
    "names and signs": "password = '" * 416_000,
    "short values": "password=a1 " * 416_000,
    "bearers": "bearer " * 714_000,
    "url heads": "http://a:" * 555_000,
    "token heads": "ghp_sk-npm_" * 454_000,
    "jwt heads": "eyJaaaaaaaa." * 100_000,
    "unending keys": f"{BEGIN} " * 100_000,
    "empty keys": f"{BEGIN}{END}" * 70_000,
    "wide letters": "é password=" * 400_000,
    "blanks": " " * 5_000_000,
    "dashes": "-" * 5_000_000,
    "curls": "curl " * 1_000_000,
    "curls with passwords": "curl -u a:bcd " * 100_000,
    "machines": "machine a login b " * 270_000,
    "cookies": "cookie: " * 600_000,
    "crumbs": "cookie: " + "sid=a1;" * 700_000,
    "connection strings": "user=a;password=" * 100_000,
    "headers": "authorization: basic " * 100_000,
    "putty heads": "PuTTY-User-Key-File-3: " * 200_000,
    "mysql": "mysql " * 800_000,
    "card heads": "4539 1111 " * 200_000,
    "iban heads": "DE89 3704 0044 " * 100_000,
    "hex": "0123456789abcdef" * 300_000,
    "names of variables": "SECRET_TOKEN_" * 380_000,
    "variables": "SECRET_TOKEN=" * 380_000,
    "url users": "http://a:b@" * 200_000,
    "quotes": '\\"' * 2_000_000,
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_text_takes_linear_time(text: str) -> None:
    start = time.perf_counter()
    redact(text)
    assert time.perf_counter() - start < 8  # takes under one second; a quadratic pattern would take hours
