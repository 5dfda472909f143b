"""Makes the routine stretches of the family swift-concurrency-01: nine API clients, each with its file before the
refactoring, the patches that move it, its caller and its test to async, and the outputs of builds and test runs.
Run as a script it prints the patches. Material is drawn from lists with a fixed seed."""

import random

RNG = random.Random(20260611)
NET, TESTS, APP = "Sources/PedaloKit/Net", "Tests/PedaloKitTests", "Sources/Pedalo"

# name, tests, method, parameters, arguments, request, type, test call, checked field, caller file, caller lines
CLIENTS = {
    "Weather": dict(
        n=4, method="current", params="at place: Place", args="at: place", type="Weather",
        request='get("weather/current", query: ["lat": "\\(place.lat)", "lon": "\\(place.lon)"], as: Weather.self',
        call="current(at: .harbour)", check="celsius, 17", caller="Map/WeatherBadgeModel.swift", func="refresh",
        before="shown = place", use="weather.current(at: place)", ok="badge = Badge(value)",
        bad="badge = nil"),
    "Voucher": dict(
        n=6, method="redeem", params="_ code: String", args="code", type="Voucher",
        request='post("vouchers/redeem", body: ["code": code.uppercased()], as: Voucher.self',
        call='redeem("spring-26")', check="minutes, 30", caller="Wallet/RedeemModel.swift", func="submit",
        before="state = .sending", use="vouchers.redeem(code)", ok="state = .done(value.minutes)",
        bad="state = .refused(error.localizedDescription)"),
    "Support": dict(
        n=5, method="thread", params="_ id: SupportThread.ID", args="id", type="SupportThread",
        request='get("support/threads/\\(id)", query: [:], as: SupportThread.self',
        call='thread("t-204")', check="messages.count, 3", caller="Help/ThreadModel.swift", func="open",
        before="messages = []", use="support.thread(id)", ok="messages = value.messages",
        bad="banner = .offline"),
    "Push": dict(
        n=3, method="register", params="token: Data, topics: [Topic]", args="token: token, topics: topics",
        type="PushState",
        request='post("push/register", body: PushBody(token.hex, topics), as: PushState.self',
        call="register(token: .fixture, topics: [.rideEnd])", check="active, true",
        caller="Help/NoticesModel.swift", func="didRegister(token: Data)", before="failure = nil",
        use="push.register(token: token, topics: chosen)", ok="active = value.topics",
        bad="failure = error"),
    "Pass": dict(
        n=7, method="passes", params="for user: User.ID", args="for: user", type="[Pass]",
        request='get("users/\\(user)/passes", query: ["state": "valid"], as: [Pass].self',
        call='passes(for: "u-7")', check="count, 2", caller="Wallet/PassListModel.swift", func="reload",
        before="passes = .loading", use="client.passes(for: user.id)",
        ok="passes = .loaded(value.sorted { $0.until < $1.until })", bad="passes = .failed"),
    "Payment": dict(
        n=9, method="charge", params="_ amount: Cents, method: PaymentMethod", args="amount, method: method",
        type="Receipt",
        request='post("payments", body: ChargeBody(amount, method.id), as: Receipt.self',
        call="charge(450, method: .card)", check="total, 450", caller="Ride/CheckoutModel.swift", func="pay",
        before="problem = nil", use="payments.charge(due, method: chosen)", ok="receipt = value",
        bad="problem = Problem(error)"),
    "User": dict(
        n=8, method="rename", params="_ id: User.ID, to name: String", args="id, to: name", type="User",
        request='patch("users/\\(id)", body: ["name": name], as: User.self',
        call='rename("u-7", to: "Ada")', check='name, "Ada"', caller="Profile/ProfileModel.swift", func="save",
        before="saved = user.name", use="users.rename(user.id, to: draftName)", ok="user = value",
        bad="draftName = user.name"),
    "Station": dict(
        n=11, method="stations", params="in box: GeoBox", args="in: box", type="[Station]",
        request='get("stations", query: box.query, as: [Station].self',
        call="stations(in: .oldTown)", check="count, 14", caller="Map/StationLayerModel.swift", func="regionChanged",
        before="pending = box", use="client.stations(in: box)", ok="pins = value.map(Pin.init)",
        bad="pins = cache.pins(in: box)"),
    "Ride": dict(
        n=10, method="end", params="_ ride: Ride.ID, at station: Station.ID", args="ride, at: station",
        type="RideSummary",
        request='post("rides/\\(ride)/end", body: ["station": station], as: RideSummary.self',
        call='end("r-31", at: "s-9")', check="minutes, 22", caller="Ride/RideModel.swift",
        func="finish(at station: Station)", before="phase = .ending", use="rides.end(ride.id, at: station.id)",
        ok="phase = .ended(value)",
        bad="phase = .riding"),
}

# where the call stands in the caller's file, and when the client's tests ran
LINE = dict(Weather=21, Voucher=29, Support=24, Push=33, Pass=26, Payment=42, User=35, Station=47, Ride=60)
CLOCK = dict(Weather="15:07:12.408", Voucher="15:11:40.093", Support="15:16:02.771", Push="15:20:19.356",
             Pass="15:35:51.620", Payment="15:40:27.115", User="15:45:08.934", Station="15:51:33.287",
             Ride="15:56:49.502")


def file(kind, name):
    return {
        "client": f"{NET}/{name}Client.swift",
        "test": f"{TESTS}/{name}ClientTests.swift",
        "caller": f"{APP}/{CLIENTS[name]['caller']}",
    }[kind]


def old(c):
    done = f"completion: @escaping (Result<{c['type']}, APIError>) -> Void"
    return [
        f"    public func {c['method']}({c['params']}, {done}) {{",
        f"        http.{c['request']}, completion: completion)",
        "    }",
    ]


def new(c):
    return [
        f"    public func {c['method']}({c['params']}) async throws -> {c['type']} {{",
        f"        try await http.{c['request']})",
        "    }",
    ]


def wrapper(c):
    return [
        "",
        '    @available(*, deprecated, message: "use the async version")',
        old(c)[0],
        f"        bridge(completion) {{ try await self.{c['method']}({c['args']}) }}",
        "    }",
    ]


def caller_old(c):
    head = c["func"] if "(" in c["func"] else c["func"] + "()"
    return [
        f"    func {head} {{",
        f"        {c['before']}",
        f"        {c['use'][:-1]}) {{ [weak self] result in",
        "            DispatchQueue.main.async {",
        "                guard let self else { return }",
        "                switch result {",
        f"                case .success(let value): self.{c['ok']}",
        f"                case .failure(let error): self.{c['bad']}",
        "                }",
        "            }",
        "        }",
        "    }",
    ]


def caller_new(c):
    head = c["func"] if "(" in c["func"] else c["func"] + "()"
    return [
        f"    func {head} {{",
        f"        {c['before']}",
        "        Task {",
        "            do {",
        f"                let value = try await {c['use']}",
        f"                {c['ok']}",
        "            } catch {",
        f"                {c['bad']}",
        "            }",
        "        }",
        "    }",
    ]


def test_name(c):
    return "test" + c["method"][0].upper() + c["method"][1:]


def test_old(c):
    return [
        f"    func {test_name(c)}() {{",
        f'        let done = expectation(description: "{c["method"]}")',
        f"        client.{c['call']} {{ result in",
        f"            XCTAssertEqual(try? result.get().{c['check']})",
        "            done.fulfill()",
        "        }",
        "        wait(for: [done], timeout: 1)",
        "    }",
    ]


def test_new(c):
    return [
        f"    func {test_name(c)}() async throws {{",
        f"        let value = try await client.{c['call']}",
        f"        XCTAssertEqual(value.{c['check']})",
        "    }",
    ]


def client_file(name):
    c = CLIENTS[name]
    return "\n".join(
        ["import Foundation", "", f"public final class {name}Client {{", "    private let http: HTTP", "",
         "    public init(http: HTTP) { self.http = http }", "", *old(c), "}"]
    )


def hunk(path, minus, plus):
    """One file of a patch; lines that both sides begin or end with stay as context."""
    a, b, head, tail = list(minus), list(plus), [], []
    while a and b and a[0] == b[0]:
        head.append(a.pop(0))
        b.pop(0)
    while a and b and a[-1] == b[-1]:
        tail.insert(0, a.pop())
        b.pop()
    lines = [" " + x for x in head] + ["-" + x for x in a] + ["+" + x for x in b] + [" " + x for x in tail]
    return [f"*** Update File: {path}", "@@", *lines]


def patch(*hunks):
    return "\n".join(["*** Begin Patch", *[line for part in hunks for line in part], "*** End Patch"])


def with_wrapper(name):
    c = CLIENTS[name]
    return patch(hunk(file("client", name), old(c), new(c) + wrapper(c)))


def callers(name):
    c = CLIENTS[name]
    return [
        hunk(file("caller", name), caller_old(c), caller_new(c)),
        hunk(file("test", name), test_old(c), test_new(c)),
    ]


def without_wrapper(name):
    c = CLIENTS[name]
    return patch(hunk(file("client", name), new(c) + wrapper(c), new(c)), *callers(name))


def straight(name):
    c = CLIENTS[name]
    return patch(hunk(file("client", name), old(c), new(c)), *callers(name))


def counts():
    """Added and removed lines over all clients, from the first state to the last."""
    added = removed = 0
    for name in CLIENTS:
        for line in straight(name).split("\n"):
            added += line.startswith("+")
            removed += line.startswith("-") and not line.startswith("---")
    return added, removed


def build(names, warned=False):
    total = RNG.randint(128, 149)
    lines = ["Building for debugging..."]
    if warned:
        c = CLIENTS[names[0]]
        column = 9 + len(c["use"].split(".")[0]) + 1
        where = f"/Users/ines/dev/pedalo/{file('caller', names[0])}:{LINE[names[0]]}:{column}"
        lines.append(
            f"{where}: warning: '{c['method']}({label(c)}completion:)' is deprecated: use the async version"
        )
    shown = sorted({RNG.randint(3, total - 4) for _ in range(RNG.randint(1, 2))})
    lines += [f"[{k}/{total}] Compiling PedaloKit {RNG.choice(names)}Client.swift" for k in shown]
    lines.append(RNG.choice((f"[{total - 1}/{total}] Linking Pedalo", f"[{total}/{total}] Applying Pedalo")))
    seconds = RNG.randint(480, 1490) / 100
    return "\n".join([*lines, f"Build complete! ({seconds:.2f}s)"]), round(seconds + 0.4, 1)


def label(c):
    return "".join(part.strip().split(" ")[0].split(":")[0] + ":" for part in c["params"].split(","))


def tests(name):
    c = CLIENTS[name]
    clock = f"2026-06-11 {CLOCK[name]}"
    spent = RNG.randint(11, 96) / 1000
    suite = f"{name}ClientTests"
    return "\n".join(
        [f"Test Suite '{suite}' started at {clock}.",
         f"Test Case '-[PedaloKitTests.{suite} {test_name(c)}]' passed ({RNG.randint(2, 9) / 1000:.3f} seconds).",
         f"Test Suite '{suite}' passed.",
         f"         Executed {c['n']} tests, with 0 failures (0 unexpected) in {spent:.3f} seconds"]
    ), round(RNG.randint(31, 88) / 10, 1)


if __name__ == "__main__":
    for client in CLIENTS:
        print(straight(client))
