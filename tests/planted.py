"""Planted secrets: invented, true to form, made when a test runs, so that no file holds one.

Formats are those that providers document for their tokens (prefix, alphabet, length). ``core`` is the part that must not
survive. Values are drawn from a seed and mean nothing.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable, Iterator
from dataclasses import dataclass

HEX, LOWER, UPPER, ALNUM = "0123456789abcdef", string.ascii_lowercase, string.ascii_uppercase, string.ascii_letters
ALNUM += string.digits
B32 = UPPER + "234567"
WORD = ALNUM + "-_"
DASHES = "-" * 5


@dataclass(frozen=True)
class Planted:
    """A secret in the place that tells it."""

    kind: str
    text: str
    core: str


def _drawn(rng: random.Random, alphabet: str, size: int) -> str:
    """Of the alphabet, with a letter and a digit at the ends, as almost every real one has both."""
    inner = "".join(rng.choice(alphabet) for _ in range(size - 2))
    letters = [c for c in alphabet if c.isalpha()] or list(alphabet)
    digits = [c for c in alphabet if c.isdigit()] or list(alphabet)
    return rng.choice(letters) + inner + rng.choice(digits)


# kind -> (what stands before, alphabet, size, what stands behind); what stands before and behind may be part of the secret
TOKENS: tuple[tuple[str, str, str, int, str], ...] = (
    ("aws-key", "AKIA", B32, 16, ""),
    ("aws-key", "ASIA", B32, 16, ""),
    ("aws-key", "ABSK", ALNUM, 128, "="),
    ("github-token", "ghp_", ALNUM, 36, ""),
    ("github-token", "ghs_", ALNUM, 36, ""),
    ("github-token", "github_pat_", ALNUM + "_", 82, ""),
    ("gitlab-token", "glpat-", WORD, 20, ""),
    ("gitlab-token", "gldt-", WORD, 20, ""),
    ("npm-token", "npm_", ALNUM, 36, ""),
    ("pypi-token", "pypi-AgEIcHlwaS5vcmc", WORD, 60, ""),
    ("rubygems-key", "rubygems_", HEX, 48, ""),
    ("crates-token", "cio", ALNUM, 32, ""),
    ("nuget-key", "oy2", LOWER + "0123456789", 43, ""),
    ("docker-token", "dckr_pat_", WORD, 27, ""),
    ("slack-token", "xoxb-", string.digits, 12, "-" + "a1B2c3D4e5F6g7H8i9J0k1L2"),
    ("slack-token", "xapp-1-", UPPER + string.digits, 40, ""),
    ("slack-token", "https://hooks.slack.com/services/T0A1B2C3D/B0A1B2C3D/", ALNUM, 24, ""),
    ("discord-token", "M", ALNUM, 25, ".Gh1k2L." + "q9W8e7R6t5Y4u3I2o1P0a9S8d7F"),
    ("discord-token", "https://discord.com/api/webhooks/123456789012345678/", WORD, 68, ""),
    ("telegram-token", "8123456789:AA", WORD, 33, ""),
    ("twilio-key", "SK", HEX, 32, ""),
    ("mailgun-key", "key-", HEX, 32, ""),
    ("mailchimp-key", "", HEX, 32, "-us12"),
    ("sendgrid-key", "SG.", WORD, 22, "." + "k3J4h5G6f7D8s9A0q1W2e3R4t5Y6u7I8o9P0zXcVbNm"),
    ("brevo-key", "xkeysib-", HEX, 64, "-" + "aB3dE6gH9jK2mN5p"),
    ("resend-key", "re_", ALNUM, 8, "_" + "aB3dE6gH9jK2mN5pQ8sT1vW4"),
    ("stripe-key", "sk_" + "live_", ALNUM, 24, ""),
    ("stripe-key", "rk_" + "live_", ALNUM, 24, ""),
    ("stripe-key", "whsec_", ALNUM, 32, ""),
    ("square-token", "sq0atp-", WORD, 22, ""),
    ("plaid-token", "access-sandbox-", HEX, 8, "-1a2b-4c3d-8e4f-0123456789ab"),
    ("shopify-token", "shpat_", HEX, 32, ""),
    ("shopify-token", "shpss_", HEX, 32, ""),
    ("anthropic-key", "sk-" + "ant-api03-", WORD, 93, "AA"),
    ("openai-key", "sk-" + "proj-", WORD, 64, ""),
    ("openai-key", "sk-" + "or-v1-", HEX, 64, ""),
    ("groq-key", "gsk_", ALNUM, 52, ""),
    ("xai-key", "xai-", ALNUM, 80, ""),
    ("perplexity-key", "pplx-", ALNUM, 48, ""),
    ("replicate-token", "r8_", ALNUM, 37, ""),
    ("nvidia-key", "nvapi-", WORD, 64, ""),
    ("langsmith-key", "lsv2_pt_", HEX, 32, "_0a1b2c3d4e"),
    ("huggingface-token", "hf_", ALNUM, 34, ""),
    ("google-key", "AIza", WORD, 35, ""),
    ("google-key", "GOCSPX-", WORD, 28, ""),
    ("google-key", "ya29.", WORD, 60, ""),
    ("google-key", "1//0", WORD, 50, ""),
    ("azure-secret", "aB", string.digits, 2, "Q~" + "k3J4h5G6f7D8s9A0q1W2e3R4t5Y6u7I8o"),
    ("digitalocean-token", "dop_v1_", HEX, 64, ""),
    ("cloudflare-key", "v1.0-0a1b2c3d4e5f60718293a4b5-", HEX, 146, ""),
    ("heroku-key", "HRKU-AA", ALNUM, 58, ""),
    ("netlify-token", "nfp_", ALNUM, 36, ""),
    ("fly-token", "fm2_", ALNUM, 80, ""),
    ("supabase-key", "sbp_", HEX, 40, ""),
    ("supabase-key", "sb_secret_", WORD, 31, ""),
    ("planetscale-token", "pscale_tkn_", ALNUM, 43, ""),
    ("databricks-token", "dapi", HEX, 32, "-2"),
    ("vault-token", "hvs.", WORD, 90, ""),
    ("terraform-token", "", ALNUM, 14, ".atlasv1." + "k3J4h5G6f7D8s9A0q1W2e3R4t5Y6u7I8o9P0zXcVbNmk3J4h5G6f7D8s9A0q1W2e3R"),
    ("pulumi-token", "pul-", HEX, 40, ""),
    ("doppler-token", "dp.pt.", ALNUM, 43, ""),
    ("onepassword-token", "ops_eyJ", ALNUM, 260, ""),
    ("tailscale-key", "tskey-auth-", ALNUM, 12, "-" + "aB3dE6gH9jK2mN5pQ8sT1vW4"),
    ("newrelic-key", "NRAK-", UPPER + string.digits, 27, ""),
    ("newrelic-key", "", HEX, 36, "NRAL"),
    ("grafana-token", "glsa_", ALNUM, 32, "_0a1b2c3d"),
    ("sentry-token", "sntryu_", HEX, 64, ""),
    ("dynatrace-token", "dt0c01.", B32, 24, "." + "K3J4H5G6F7D2S3A4Q5W2E3R4T5Y6U7I2O3P4ZXCVBNMK3J4H5G6F7D2S3A4Q5W2"),
    ("posthog-key", "phx_", ALNUM, 43, ""),
    ("buildkite-token", "bkua_", LOWER + "0123456789", 40, ""),
    ("circleci-token", "CCIPAT_", ALNUM, 22, "_0a1b2c3d4e5f60718293a4b5c6d7e8f901234567"),
    ("artifactory-key", "AKCp", ALNUM, 69, ""),
    ("atlassian-token", "ATATT3", WORD, 186, ""),
    ("linear-key", "lin_api_", ALNUM, 40, ""),
    ("notion-key", "ntn_", ALNUM, 46, ""),
    ("notion-key", "secret_", ALNUM, 43, ""),
    ("figma-token", "figd_", WORD, 40, ""),
    ("airtable-token", "pat", ALNUM, 14, "." + "0a1b2c3d" * 8),
    ("postman-key", "PMAK-", HEX, 24, "-" + "0a1b2c3d4e5f60718293a4b5c6d7e8f901"),
    ("mapbox-token", "sk.eyJ1Ijoi", ALNUM, 60, "." + "aB3dE6gH9jK2mN5pQ8sT1v"),
    ("age-key", "AGE-SECRET-" + "KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, ""),
    ("jwt", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx", ALNUM, 20, "." + "aB3dE6gH9jK2mN5pQ8sT1vW4xY7z"),
    ("bearer", "Bearer ", ALNUM, 40, ""),
)  # fmt: skip

# kind -> the place, with {} where the secret stands, and how the secret is drawn
PLACES: tuple[tuple[str, str, Callable[[random.Random], str]], ...] = (
    ("authorization", "Authorization: Basic {}", lambda rng: _basic(rng)),
    ("authorization", "proxy-authorization: basic {}", lambda rng: _basic(rng)),
    ("authorization", 'curl -H "Authorization: token {}" https://api.example.org', lambda rng: _drawn(rng, HEX, 40)),
    ("curl-password", "curl -s -u deploy:{} https://example.org/api", lambda rng: _drawn(rng, ALNUM, 14)),
    ("curl-password", "curl https://example.org --user 'ci:{}'", lambda rng: _drawn(rng, ALNUM + "!#%", 14)),
    ("command-password", "mysqladmin --password={} status", lambda rng: _drawn(rng, ALNUM, 12)),
    ("command-password", "sshpass -p '{}' ssh root@10.0.0.1", lambda rng: _drawn(rng, ALNUM, 12)),
    ("command-password", "mysql -h db -u root -p{} shop", lambda rng: _drawn(rng, ALNUM, 12)),
    ("command-password", "vercel deploy --token {} --prod", lambda rng: _drawn(rng, ALNUM, 24)),
    ("command-password", "openssl rsa -in k.pem -passin pass:{} -noout", lambda rng: _drawn(rng, ALNUM, 12)),
    ("cookie", "Set-Cookie: sessionid={}; Path=/; HttpOnly", lambda rng: _drawn(rng, ALNUM, 32)),
    ("cookie", "Cookie: theme=dark; sid={}; lang=en", lambda rng: _drawn(rng, HEX, 32)),
    ("cookie", "curl -b 'auth_token={}' https://example.org", lambda rng: _drawn(rng, ALNUM, 32)),
    ("url-password", "postgres://app:{}@db.example.org:5432/shop", lambda rng: _drawn(rng, ALNUM, 16)),
    ("url-password", "mongodb+srv://root:{}@cluster0.example.net/?retryWrites=true", lambda rng: _drawn(rng, ALNUM, 16)),
    ("url-password", "postgresql://app:{}@db/shop", lambda rng: f"{_drawn(rng, ALNUM, 8)}@{_drawn(rng, ALNUM, 8)}"),
    ("url-password", "redis://:{}@cache:6379/0", lambda rng: _drawn(rng, ALNUM, 16)),
    ("url-password", "amqp://guest:{}@mq:5672/", lambda rng: f"{_drawn(rng, ALNUM, 6)}$x{_drawn(rng, ALNUM, 6)}"),
    ("url-token", "git clone https://{}@github.com/acme/shop.git", lambda rng: _drawn(rng, HEX, 40)),
    ("url-token", "GET /v1/items?key={}&page=2", lambda rng: _drawn(rng, ALNUM, 32)),
    ("url-token", "wss://example.org/live?user=1&token={}", lambda rng: _drawn(rng, ALNUM, 32)),
    ("signed-url", "https://a.blob.core.windows.net/c/b?sv=2024-11-04&sig={}", lambda rng: _drawn(rng, ALNUM, 43) + "%3D"),
    ("signed-url", "https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature={}", lambda rng: _drawn(rng, HEX, 64)),
    ("azure-key", "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={};", lambda rng: _drawn(rng, ALNUM, 86) + "=="),
    ("azure-key", "Endpoint=sb://x/;SharedAccessKeyName=Root;SharedAccessKey={}", lambda rng: _drawn(rng, ALNUM, 43) + "="),
    ("connection-string", "Server=db;Database=shop;User Id=sa;Password={};Encrypt=true", lambda rng: _drawn(rng, ALNUM, 9)),
    ("connection-string", "Host=db;Username=app;Password={}", lambda rng: _drawn(rng, ALNUM, 9)),
    ("netrc", "machine api.example.org login deploy password {}", lambda rng: _drawn(rng, ALNUM, 10)),
    ("docker-auth", '{{"auths": {{"r.example.org": {{"auth": "{}"}}}}}}', lambda rng: _basic(rng)),
    ("google-key", '"private_key_id": "{}"', lambda rng: _drawn(rng, HEX, 40)),
    ("env-secret", "export STRIPE_SIGNING_SECRET={}", lambda rng: _drawn(rng, ALNUM, 10)),
    ("named-secret", "DD_TOKEN={} ddtrace-run app", lambda rng: _drawn(rng, HEX, 32)),
    ("env-secret", "ENV CI_DEPLOY_PASSWORD={}", lambda rng: _drawn(rng, ALNUM, 10)),
    ("env-secret", "PGPASSWORD={} psql -h db", lambda rng: _drawn(rng, ALNUM, 10)),
    ("env-secret", "SMTP_PASS={}", lambda rng: _drawn(rng, ALNUM, 10)),
    ("named-secret", "token: {}", lambda rng: _drawn(rng, ALNUM, 32)),
    ("named-secret", "DD_API_KEY={}", lambda rng: _drawn(rng, HEX, 32)),
    ("named-secret", "SECRET_KEY = '{}'", lambda rng: _drawn(rng, ALNUM, 50)),
    ("named-secret", 'client_secret: "{}"', lambda rng: _drawn(rng, ALNUM, 32)),
    ("named-secret", "aws_secret_access_key = {}", lambda rng: _drawn(rng, ALNUM + "+/", 40)),
    ("named-secret", "//registry.npmjs.org/:_authToken={}", lambda rng: _drawn(rng, HEX, 36)),
    ("named-secret", '"refresh_token":"{}"', lambda rng: _drawn(rng, ALNUM, 300)),
    ("asana-token", "asana {}", lambda rng: f"1/{_drawn(rng, string.digits, 16)}:{_drawn(rng, HEX, 32)}"),
    ("card-number", "card {} exp 12/29", lambda rng: _card(rng)),
    ("iban", "IBAN {}", lambda rng: _iban(rng)),
)  # fmt: skip


def _basic(rng: random.Random) -> str:
    return base64.b64encode(f"deploy:{_drawn(rng, ALNUM, 17)}".encode()).decode()


def _card(rng: random.Random) -> str:
    """Sixteen digits under a prefix of no published test number, with Luhn's check digit (ISO/IEC 7812-1, annex B)."""
    digits = "4539" + "".join(rng.choice(string.digits) for _ in range(11))
    total = sum(sum(divmod(int(d) * 2, 10)) if place % 2 == 0 else int(d) for place, d in enumerate(reversed(digits)))
    whole = digits + str(-total % 10)
    return " ".join(whole[i : i + 4] for i in range(0, 16, 4))


def _iban(rng: random.Random) -> str:
    """A German one: two check digits such that the rearranged number leaves 1 modulo 97 (ISO 13616)."""
    account = "".join(rng.choice(string.digits) for _ in range(18))
    return f"DE{98 - int(account + '131400') % 97:02d}{account}"


def key_block(rng: random.Random, name: str = "RSA PRIVATE KEY") -> Planted:
    lines = [_drawn(rng, ALNUM + "+/", 64) for _ in range(6)]
    body = "\n".join(lines)
    return Planted("private-key", f"{DASHES}BEGIN {name}{DASHES}\n{body}\n{DASHES}END {name}{DASHES}", lines[3])


def planted(seed: int = 20261130, rounds: int = 2) -> tuple[Planted, ...]:
    """At least two hundred, over every kind."""
    rng = random.Random(seed)
    found: list[Planted] = []
    for _ in range(rounds):
        for kind, before, alphabet, size, after in TOKENS:
            value = _drawn(rng, alphabet, size)
            found.append(Planted(kind, before + value + after, value + after if size < 8 else value))
        for kind, place, draw in PLACES:
            value = draw(rng)
            found.append(Planted(kind, place.format(value), value))
        names = ("RSA PRIVATE KEY", "PRIVATE KEY", "OPENSSH PRIVATE KEY", "EC PRIVATE KEY", "PGP PRIVATE KEY BLOCK")
        found += [key_block(rng, name) for name in names]
    return tuple(found)


SURROUNDINGS: dict[str, Callable[[str], str]] = {
    "alone": lambda text: text,
    "in a line": lambda text: f"it printed {text} and went on",
    "JSON-escaped": lambda text: json.dumps({"output": f"line\n{text}\nnext"}),
    "escaped twice": lambda text: json.dumps(json.dumps({"output": f"line\n{text}\nnext"})),
    "in a command": lambda text: f"cd /srv && echo {text} | tee out.txt",
    "in a diff": lambda text: "".join(f"+{line}\n" for line in f"{text}\n old".splitlines()),
    "in colour": lambda text: f"\x1b[32m{text}\x1b[0m done",
    "behind a line number": lambda text: "".join(f"  {n}\t{line}\n" for n, line in enumerate(text.splitlines(), 7)),
    "Markdown": lambda text: f"- see `{text}`, or (`{text}`)",
}


def pieces(core: str) -> Iterator[str]:
    """What must be nowhere: any half of the core, and any run of its twelve characters at either end."""
    yield from {core[: max(6, len(core) // 2)], core[-max(6, len(core) // 2) :]}
