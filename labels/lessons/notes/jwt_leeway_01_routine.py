"""Routine stretches of the family jwt-leeway-01: access log of the gateways, polls of the watch, Go test lines.

Everything is drawn from the lists below with a seed given by the caller, so that both members of the pair hold the
same lines.
"""

from __future__ import annotations

import random

ROUTES = [
    ("POST", "/v1/taps", 12),
    ("POST", "/v1/tickets/check", 7),
    ("GET", "/v1/tariffs?zone=", 3),
    ("POST", "/v1/devices/hello", 2),
    ("POST", "/v1/shifts/open", 1),
    ("GET", "/v1/blocklist?since=", 2),
]
FIRST_CALLS = ["POST /v1/shifts/open"] * 11 + ["POST /v1/devices/hello"] * 5 + ["POST /v1/taps"] * 3
ZONES = ["A", "AB", "B", "BC", "C", "N1", "N4"]
SCANNERS = {
    "gw-nord": range(101, 148),
    "gw-sued": range(201, 239),
    "gw-ost": range(301, 344),
    "gw-west": range(401, 452),
}
PACKAGES = ["auth", "audit", "blocklist", "config", "proxy", "ratelimit", "tariff"]
TESTS = {
    "auth": ["TestVerifyAcceptsFresh", "TestVerifyWrongAudience", "TestVerifyExpired", "TestKeySetRefresh"],
    "proxy": ["TestProxyStripsAuthorization", "TestProxyTimeout", "TestProxyKeepsRequestID"],
    "ratelimit": ["TestBurst", "TestRefill", "TestPerDevice"],
    "blocklist": ["TestDelta", "TestSinceInFuture"],
}


def seconds(clock: str) -> float:
    hours, minutes, rest = clock.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(rest)


def clock(value: float) -> str:
    whole = int(value)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}.{round((value - whole) * 1000) % 1000:03d}"


def request(draw: random.Random) -> str:
    method, path, _ = draw.choices(ROUTES, [weight for *_, weight in ROUTES])[0]
    if path.endswith("zone="):
        path += draw.choice(ZONES)
    if path.endswith("since="):
        path += str(draw.randrange(88200, 88940))
    return f"{method} {path}"


def access(seed: int, host: str, start: str, span: float, count: int) -> str:
    """Access log lines without a rejection."""
    draw = random.Random(seed)
    at = seconds(start)
    lines = []
    for moment in sorted(draw.uniform(0, span) for _ in range(count)):
        who = draw.choice(SCANNERS[host])
        lines.append(f"{clock(at + moment)} 200 {request(draw)} sub=scanner-{who:04d} dur={draw.randrange(3, 29)}ms")
    return "\n".join(lines)


def rejected(seed: int, moments: list[str]) -> str:
    """Rejections of first calls after a wake-up, as the old build logs them: no subject, no reason."""
    draw = random.Random(seed)
    lines = []
    for moment in moments:
        at = seconds(moment) + draw.random()
        lines.append(f"{clock(at)} 401 {draw.choice(FIRST_CALLS)} sub=- jti={draw.getrandbits(40):010x} dur=0ms")
    return "\n".join(lines)


def poll(seed: int, start: str, tail: int = 3) -> str:
    """One poll of the watch on gw-west over 150 seconds: counts by status, then the last lines."""
    draw = random.Random(seed)
    counts = f"200 {draw.randrange(352, 468)}\n401 0"
    if draw.random() < 0.4:
        counts += f"\n404 {draw.randrange(1, 4)}"
    return counts + "\n" + access(seed + 1000, "gw-west", start, 9.0, tail)


def go_test(seed: int, module: str, cached: tuple[str, ...] = ()) -> str:
    """Output of go test ./... where everything passes."""
    draw = random.Random(seed)
    lines = [f"?    {module}/cmd/gw  [no test files]"]
    for name in PACKAGES:
        low = draw.randrange(8, 900) / 1000
        took = "(cached)" if name in cached else f"{low:.3f}s"
        lines.append(f"ok   {module}/internal/{name}  {took}")
    return "\n".join(lines)


def go_verbose(seed: int, name: str) -> str:
    """Verbose lines of one package that was not changed."""
    draw = random.Random(seed)
    lines = []
    for test in TESTS[name]:
        lines += [f"=== RUN   {test}", f"--- PASS: {test} ({draw.randrange(0, 9) / 100:.2f}s)"]
    return "\n".join(lines)
