"""Routine stretches of the family grpc-deadline-01: twenty call sites, unit test lines, logs of the integration suite.

Everything is drawn from the lists below with fixed seeds, so that both members of the pair hold the same lines.
A run of the suite is laid out on the clock of that afternoon; it ends at the first test that meets a pause.
"""

from __future__ import annotations

import random

# package, file, line, receiver, function, client, rpc, request, what comes after the call
SITES = [
    ("quote", "quote.go", 41, "s *Service", "Quote", "pricing", "Quote", "&pricingpb.QuoteRequest{Leg: leg.Proto()}",
     "return fromProto(res), nil"),
    ("quote", "reprice.go", 27, "s *Service", "Reprice", "pricing", "Reprice", "&pricingpb.RepriceRequest{Id: id}",
     "return s.store(ctx, id, res.Cents)"),
    ("quote", "tariff.go", 19, "c *tariffCache", "load", "pricing", "Tariff", "&pricingpb.TariffRequest{Zone: zone}",
     "c.put(zone, res.Steps)\n    return nil"),
    ("assign", "find.go", 52, "a *Assigner", "candidates", "fleet", "FindDriver", "a.query(order)",
     "return rank(res.Drivers, order), nil"),
    ("assign", "reserve.go", 33, "a *Assigner", "reserve", "fleet", "Reserve",
     "&fleetpb.ReserveRequest{Driver: d, Order: o}", "return res.Token, nil"),
    ("assign", "release.go", 24, "a *Assigner", "release", "fleet", "Release", "&fleetpb.ReleaseRequest{Token: token}",
     "a.log.Debug(\"released\", \"token\", token)\n    return nil"),
    ("track", "position.go", 38, "t *Tracker", "position", "fleet", "Position", "&fleetpb.PositionRequest{Driver: id}",
     "return point{res.Lat, res.Lon}, nil"),
    ("pay", "hold.go", 46, "p *Payments", "Hold", "ledger", "Hold", "holdRequest(order, cents)",
     "return HoldID(res.HoldId), nil"),
    ("pay", "capture.go", 31, "p *Payments", "Capture", "ledger", "Capture", "&ledgerpb.CaptureRequest{HoldId: h}",
     "p.captured.Inc()\n    return nil"),
    ("pay", "void.go", 22, "p *Payments", "Void", "ledger", "Void", "&ledgerpb.VoidRequest{HoldId: h}", "return nil"),
    ("route", "route.go", 57, "r *Router", "Route", "geo", "Route", "&geopb.RouteRequest{Stops: stops}",
     "return decode(res.Polyline)"),
    ("route", "eta.go", 29, "r *Router", "ETA", "geo", "Eta", "&geopb.EtaRequest{From: from, To: to}",
     "return time.Duration(res.Seconds) * time.Second, nil"),
    ("track", "snap.go", 44, "t *Tracker", "snap", "geo", "Snap", "&geopb.SnapRequest{Points: pts}",
     "return res.Points, nil"),
    ("account", "lookup.go", 35, "a *Accounts", "lookup", "identity", "Lookup",
     "&identitypb.LookupRequest{Phone: phone}", "return a.merge(res), nil"),
    ("account", "verify.go", 26, "a *Accounts", "Verify", "identity", "Verify",
     "&identitypb.VerifyRequest{Code: code}", "if !res.Ok {\n        return ErrCode\n    }\n    return nil"),
    ("promo", "apply.go", 48, "p *Promos", "Apply", "promo", "Apply",
     "&promopb.ApplyRequest{Code: code, Cents: cents}", "return res.Cents, nil"),
    ("notify", "send.go", 39, "n *Notifier", "Send", "notify", "Send", "&notifypb.SendRequest{To: to, Text: text}",
     "return res.MessageId, nil"),
    ("notify", "cancel.go", 21, "n *Notifier", "Cancel", "notify", "Cancel", "&notifypb.CancelRequest{Id: id}",
     "return nil"),
    ("notify", "template.go", 30, "t *templates", "fetch", "notify", "Template", "&notifypb.TemplateRequest{Key: key}",
     "t.byKey[key] = res.Body\n    return nil"),
    ("notify", "status.go", 28, "n *Notifier", "status", "notify", "Status", "&notifypb.StatusRequest{Id: id}",
     "return Status(res.State), nil"),
]

# name of the integration test, file and line, the call it makes first, usual seconds
TESTS = [
    ("TestQuoteSingleLeg", "quote_it_test.go:31", "pricing.Quote", 4.1),
    ("TestQuoteThreeLegs", "quote_it_test.go:58", "pricing.Quote", 6.3),
    ("TestQuoteNightTariff", "quote_it_test.go:84", "pricing.Tariff", 5.2),
    ("TestRepriceAfterDetour", "quote_it_test.go:117", "pricing.Reprice", 9.4),
    ("TestAssignNearest", "assign_it_test.go:40", "fleet.FindDriver", 7.7),
    ("TestAssignSkipsBusy", "assign_it_test.go:72", "fleet.FindDriver", 8.6),
    ("TestReserveTwiceIsOneToken", "assign_it_test.go:103", "fleet.Reserve", 6.9),
    ("TestReleaseFreesDriver", "assign_it_test.go:129", "fleet.Release", 5.5),
    ("TestHoldAndCapture", "pay_it_test.go:36", "ledger.Hold", 10.8),
    ("TestHoldAndVoid", "pay_it_test.go:66", "ledger.Hold", 8.1),
    ("TestCaptureTwice", "pay_it_test.go:95", "ledger.Capture", 9.9),
    ("TestHoldTooLarge", "pay_it_test.go:121", "ledger.Hold", 4.4),
    ("TestRouteTwoStops", "route_it_test.go:28", "geo.Route", 5.8),
    ("TestRouteFerry", "route_it_test.go:53", "geo.Route", 7.2),
    ("TestEtaRushHour", "route_it_test.go:81", "geo.Eta", 6.1),
    ("TestSnapTunnel", "track_it_test.go:33", "geo.Snap", 5.0),
    ("TestPositionStale", "track_it_test.go:61", "fleet.Position", 12.6),
    ("TestPositionStream", "track_it_test.go:90", "fleet.Position", 15.3),
    ("TestLookupByPhone", "account_it_test.go:25", "identity.Lookup", 3.9),
    ("TestVerifyWrongCode", "account_it_test.go:49", "identity.Verify", 4.8),
    ("TestVerifyExpired", "account_it_test.go:73", "identity.Verify", 11.2),
    ("TestPromoOnce", "promo_it_test.go:30", "promo.Apply", 6.6),
    ("TestPromoStacked", "promo_it_test.go:57", "promo.Apply", 7.4),
    ("TestOrderToDoor", "order_it_test.go:44", "pricing.Quote", 22.7),
    ("TestOrderCancelledEarly", "order_it_test.go:91", "ledger.Void", 14.1),
    ("TestOrderCancelledLate", "order_it_test.go:130", "ledger.Capture", 16.4),
    ("TestOrderReassigned", "order_it_test.go:172", "fleet.Reserve", 19.5),
    ("TestOrderWithPromo", "order_it_test.go:214", "promo.Apply", 13.0),
    ("TestOrderScheduled", "order_it_test.go:251", "pricing.Tariff", 17.8),
]

IMAGES = ["pricing", "fleet", "ledger", "geo", "identity", "promo"]


def seconds(clock: str) -> int:
    hours, minutes, rest = map(int, clock.split(":"))
    return hours * 3600 + minutes * 60 + rest


def clock(value: float) -> str:
    whole = int(value)
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def key(site: tuple) -> str:
    return f"{site[5]}.{site[6]}"


def path(site: tuple) -> str:
    return f"internal/{site[0]}/{site[1]}"


def before(site: tuple) -> list[str]:
    """The lines of the function around the call, as they were."""
    _, _, _, receiver, name, client, rpc, request, after = site
    me = receiver.split()[0]
    return [
        f"func ({receiver}) {name}(ctx context.Context, {arguments(site)}) {results(site)} {{",
        f"    ctx, cancel := context.WithTimeout(ctx, {me}.timeout)",
        "    defer cancel()",
        f"    res, err := {me}.{client}.{rpc}(ctx, {request})" if "res" in after
        else f"    _, err := {me}.{client}.{rpc}(ctx, {request})",
        "    if err != nil {",
        f"        return {zero(site)}fmt.Errorf(\"{client} {rpc.lower()}: %w\", err)",
        "    }",
        *(f"    {after}".split("\n")),
        "}",
    ]


def arguments(site: tuple) -> str:
    names = {
        "Quote": "leg Leg", "Reprice": "id string", "Tariff": "zone string", "FindDriver": "order Order",
        "Reserve": "d, o string", "Release": "token string", "Position": "id string",
        "Hold": "order Order, cents int64", "Capture": "h string", "Void": "h string",
        "Route": "stops []*geopb.Stop", "Eta": "from, to *geopb.Point",
        "Snap": "pts []*geopb.Point", "Lookup": "phone string", "Verify": "code string",
        "Apply": "code string, cents int64", "Send": "to, text string", "Cancel": "id string",
        "Template": "key string", "Status": "id string",
    }
    return names[site[6]]


def results(site: tuple) -> str:
    kinds = {
        "Quote": "(Price, error)", "FindDriver": "([]Candidate, error)", "Reserve": "(string, error)",
        "Position": "(point, error)", "Hold": "(HoldID, error)", "Route": "(Path, error)",
        "Eta": "(time.Duration, error)", "Snap": "([]*geopb.Point, error)", "Lookup": "(Account, error)",
        "Apply": "(int64, error)",
        "Send": "(string, error)", "Status": "(Status, error)",
    }
    return kinds.get(site[6], "error")


def zero(site: tuple) -> str:
    values = {
        "Quote": "Price{}, ", "FindDriver": "nil, ", "Reserve": "\"\", ", "Position": "point{}, ", "Hold": "\"\", ",
        "Route": "Path{}, ", "Eta": "0, ", "Snap": "nil, ", "Lookup": "Account{}, ", "Apply": "0, ", "Send": "\"\", ",
        "Status": "StatusUnknown, ",
    }
    return values.get(site[6], "")


def numbered(site: tuple) -> str:
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(before(site), site[2]))


def old(site: tuple) -> str:
    return f"ctx, cancel := context.WithTimeout(ctx, {site[3].split()[0]}.timeout)"


def new(site: tuple) -> str:
    return f"ctx, cancel := deadline.For(ctx, \"{key(site)}\")"


def unit_line(package: str, seed: int) -> str:
    return f"ok      dispatch/internal/{package}    {random.Random(f'{package}{seed}').randrange(18, 940) / 1000:.3f}s"


def unit_lines(seed: int, packages: list[str]) -> str:
    return "\n".join(unit_line(package, seed) for package in packages)


def suite(start: str, pauses: list[tuple[str, str]], seed: int, notify: bool = False) -> list[tuple[float, str]]:
    """Lines of ``make it`` with their seconds of the day: images, containers, tests; -failfast ends it."""
    draw = random.Random(seed)
    at = float(seconds(start))
    names = [*IMAGES, *(["notify"] if notify else [])]
    lines = [(at, "docker compose -p it -f it/compose.yaml up -d --build --wait")]
    for name in names:
        at += draw.uniform(1.5, 4.5)
        lines.append((at, f" Image it-{name} {draw.choice(['Built', 'Built', 'Built (cached)'])}"))
    at += 8
    lines.append((at, " Container it-postgres-1 Healthy"))
    for name in names:
        at += draw.uniform(0.4, 2.4)
        lines.append((at, f" Container it-{name}-1 Healthy"))
    lines.append((at, "go test -tags it -count=1 -failfast -shuffle=on -v ./it/..."))
    at += draw.uniform(9, 13)
    lines.append((at, f"-test.shuffle {draw.randrange(10**18, 10**19)}"))
    stops = [(seconds(a), seconds(b)) for a, b in pauses]
    order = draw.sample(TESTS, len(TESTS))
    began = at
    for name, where, call, usual in order:
        length = usual * draw.uniform(0.85, 1.2)
        hit = next((a for a, b in stops if a < at + length and at < b), None)
        if hit is not None:
            stop = max(at, hit) + 2 + draw.uniform(0.2, 1.4)
            error = "rpc error: code = DeadlineExceeded desc = context deadline exceeded"
            lines.append((stop, f"    {where}: {call}: {error}"))
            lines.append((stop, f"--- FAIL: {name} ({stop - at:.2f}s)"))
            lines.append((stop, "FAIL"))
            lines.append((stop, f"FAIL    dispatch/it    {stop - began:.3f}s"))
            lines.append((stop + 1, "FAIL"))
            lines.append((stop + 6, "make: *** [Makefile:27: it] Error 1"))
            return lines
        at += length
        lines.append((at, f"--- PASS: {name} ({length:.2f}s)"))
    lines.append((at, "PASS"))
    lines.append((at, f"ok      dispatch/it    {at - began:.3f}s"))
    lines.append((at + 7, "docker compose -p it -f it/compose.yaml down -v"))
    return lines


def tail(lines: list[tuple[float, str]], at: str, count: int) -> str:
    """What ``tail -n count`` of the log shows at that time; each line has its clock in front."""
    seen = [f"{clock(when)} {text}" for when, text in lines if when <= seconds(at)]
    return "\n".join(seen[-count:])


def ended(lines: list[tuple[float, str]]) -> str:
    return clock(lines[-1][0])


def probe(start: str, count: int, pause: tuple[str, str] | None, seed: int) -> str:
    """Lines of the probe: one Quote a second with its time, DeadlineExceeded after two."""
    draw = random.Random(seed)
    out, at = [], seconds(start)
    while len(out) < count:
        if pause and seconds(pause[0]) <= at < seconds(pause[1]):
            out.append(f"{clock(at)} quote DeadlineExceeded 2001 ms")
            at += 3
        else:
            out.append(f"{clock(at)} quote ok {draw.randrange(6, 19)} ms")
            at += 1
    return "\n".join(out)
