"""Makes the routine stretches of L0035: eighteen SwiftUI views moved from DateFormatter to Date.FormatStyle.

`steps(seed)` gives, for each view, a look at the file, the patch and the commit, with a build and a short message now
and then, as (kind, fields) pairs; the order of the files and the wording are drawn with the seed. Run as a script it
prints the steps of both long attempts (a1: seed 11, a3: seed 33) as JSON lines.
"""

import json
import random

CLOCK = ".dateTime.hour(.twoDigits(amPM: .omitted)).minute(.twoDigits)"
# view, formatter, pattern, style, the date, what stands around it
VIEWS = [
    ("TideRowView", "timeFormat", "HH:mm", CLOCK, "tide.time",
     ["let tide: Tide"], ["HStack {", "    Image(systemName: tide.isHigh ? \"arrow.up\" : \"arrow.down\")", "    @@",
                          "    Spacer()", "    Text(tide.height, format: .number)", "}"]),
    ("TideHeaderView", "dayFormat", "EEEE d MMMM", ".dateTime.weekday(.wide).day().month(.wide)", "entry.date",
     ["let entry: TideEntry"], ["VStack(alignment: .leading) {", "    Text(entry.station.name).font(.headline)",
                                "    @@", "}"]),
    ("NextHighView", "hourFormat", "HH:mm", CLOCK, "next.time",
     ["let next: Tide"], ["Label {", "    @@", "} icon: {", "    Image(systemName: \"water.waves.and.arrow.up\")",
                          "}"]),
    ("NextLowView", "hourFormat", "HH:mm", CLOCK, "next.time",
     ["let next: Tide"], ["Label {", "    @@", "} icon: {", "    Image(systemName: \"water.waves.and.arrow.down\")",
                          "}", ".foregroundStyle(.secondary)"]),
    ("TideChartAxisView", "axisFormat", "H", ".dateTime.hour(.defaultDigits(amPM: .omitted))", "mark",
     ["let marks: [Date]"], ["HStack(spacing: 0) {", "    ForEach(marks, id: \\.self) { mark in",
                             "        @@.frame(maxWidth: .infinity)", "    }", "}", ".font(.system(size: 8))"]),
    ("MoonPhaseView", "phaseDay", "d MMM", ".dateTime.day().month(.abbreviated)", "moon.next",
     ["let moon: Moon"], ["HStack {", "    Text(moon.symbol)", "    @@", "}"]),
    ("SunTimesView", "sunFormat", "HH:mm", CLOCK, "sun.rise",
     ["let sun: SunTimes"], ["HStack {", "    Image(systemName: \"sunrise\")", "    @@",
                             "    Image(systemName: \"sunset\")", "    Text(sun.length)", "}"]),
    ("StationFooterView", "stampFormat", "d MMM yyyy", ".dateTime.day().month(.abbreviated).year()",
     "station.tableUntil", ["let station: Station"],
     ["HStack(spacing: 4) {", "    Text(station.source)", "    @@", "}", ".font(.caption2)"]),
    ("WeekStripView", "weekday", "EEE", ".dateTime.weekday(.abbreviated)", "day.date",
     ["let days: [TideDay]"], ["HStack {", "    ForEach(days) { day in", "        VStack {", "            @@",
                               "            TideGaugeView(day: day)", "        }", "    }", "}"]),
    ("LargeTideView", "monthFormat", "LLLL", ".dateTime.month(.wide)", "entry.date",
     ["let entry: TideEntry"], ["VStack {", "    @@.font(.title3)",
                                "    ForEach(entry.tides) { TideRowView(tide: $0) }",
                                "    TideChartView(tides: entry.tides)", "}"]),
    ("LockScreenCircularView", "shortTime", "HH:mm", CLOCK, "entry.next.time",
     ["let entry: TideEntry"], ["ZStack {", "    AccessoryWidgetBackground()", "    VStack(spacing: 1) {",
                                "        Image(systemName: entry.next.symbol)", "        @@", "    }", "}"]),
    ("LockScreenInlineView", "inlineTime", "HH:mm", CLOCK, "entry.next.time",
     ["let entry: TideEntry"], ["ViewThatFits {", "    @@", "    Text(entry.next.symbol)", "}"]),
    ("TideGaugeView", "gaugeDay", "d", ".dateTime.day()", "day.date",
     ["let day: TideDay"], ["Gauge(value: day.range, in: 0...day.station.maxRange) {", "    @@", "}",
                            ".gaugeStyle(.accessoryLinear)"]),
    ("UpdatedAtView", "updated", "d MMM HH:mm", ".dateTime.day().month(.abbreviated).hour().minute()", "date",
     ["let date: Date"], ["@@", "    .font(.caption2)", "    .foregroundStyle(.tertiary)"]),
    ("SmallTideView", "smallTime", "HH:mm", CLOCK, "entry.next.time",
     ["let entry: TideEntry"], ["VStack(alignment: .leading, spacing: 2) {", "    TideHeaderView(entry: entry)",
                                "    Spacer()", "    @@.font(.title2.monospacedDigit())", "}"]),
    ("SpringNeapView", "springDay", "d MMM", ".dateTime.day().month(.abbreviated)", "spring",
     ["let spring: Date", "let neap: Bool"], ["HStack {", "    Text(neap ? \"Neap\" : \"Spring\")", "    @@",
                                              "}", ".font(.caption)"]),
    ("StandbyTideView", "bigTime", "HH:mm", CLOCK, "entry.next.time",
     ["let entry: TideEntry"], ["HStack(alignment: .firstTextBaseline) {", "    Image(systemName: entry.next.symbol)",
                                "    @@", "        .font(.system(size: 64, weight: .light))", "}"]),
    ("TideTrendView", "trendDay", "EEE", ".dateTime.weekday(.abbreviated)", "day.date",
     ["let days: [TideDay]"], ["Grid {", "    ForEach(days) { day in", "        GridRow {", "            @@",
                               "            TrendArrow(day.trend)", "        }", "    }", "}"]),
]
SUBJECTS = ["{v}: FormatStyle instead of DateFormatter", "{v}: use Date.FormatStyle", "{v}: drop {f}",
            "widget: FormatStyle in {v}"]
BUILDS = ["make build-widget SIM=booted", "make build-widget SIM=booted 2>&1 | tail -5"]
NOTES = ["{n} of 18 are through, the rest is of the same kind.", "{n} done. Next: `{v}`.",
         "`{v}` follows. {n} committed so far, the build is clean.", "Going on with `{v}`, {n} are committed."]


def source(view: tuple) -> list[str]:
    """The Swift file of a view, with its formatter."""
    name, field, pattern, _, date, fields, body = view
    lines = ["import SwiftUI", "import WidgetKit", "", f"struct {name}: View {{"]
    lines += [f"    {line}" for line in fields]
    lines += [f"    private static let {field}: DateFormatter = {{", "        let formatter = DateFormatter()",
              f'        formatter.dateFormat = "{pattern}"', "        return formatter", "    }()", "",
              "    var body: some View {"]
    lines += ["        " + line.replace("@@", f"Text(Self.{field}.string(from: {date}))") for line in body]
    return [*lines, "    }", "}"]


def patch_of(view: tuple) -> str:
    """The hunk for one view, without begin and end."""
    name, field, pattern, style, date, fields, body = view
    used = next(line for line in body if "@@" in line)
    before = "        " + used.replace("@@", f"Text(Self.{field}.string(from: {date}))")
    after = "        " + used.replace("@@", f"Text({date}, format: {style})")
    return "\n".join([f"*** Update File: TideWidget/Views/{name}.swift", "@@", f"     {fields[-1]}",
                      f"-    private static let {field}: DateFormatter = {{",
                      "-        let formatter = DateFormatter()", f'-        formatter.dateFormat = "{pattern}"',
                      "-        return formatter", "-    }()", "@@", f"-{before}", f"+{after}"])


def build_output(rng: random.Random) -> str:
    """What a build of the widget target prints."""
    seconds = rng.uniform(7.5, 16.0)
    done = ["SwiftDriver TideWidget normal arm64", "SwiftCompile normal arm64 (in target 'TideWidget')",
             "Ld TideWidget.appex/TideWidget", "CodeSign TideWidget.appex", "Validate TideWidget.appex"]
    start = rng.randrange(3)
    return "\n".join([*done[start:start + rng.choice([2, 3])], f"** BUILD SUCCEEDED ** [{seconds:.3f} sec]"])


def steps(seed: int) -> list[tuple[str, dict]]:
    """One routine stretch."""
    rng = random.Random(seed)
    views = VIEWS[:]
    rng.shuffle(views)
    out: list[tuple[str, dict]] = []
    builds = {rng.randrange(2, 5), rng.randrange(6, 9), rng.randrange(10, 13), rng.randrange(14, 17)}
    notes = rng.sample(NOTES, len(NOTES))
    for number, view in enumerate(views, 1):
        name, field = view[0], view[1]
        path = f"TideWidget/Views/{name}.swift"
        look = rng.choice([f"cat {path}", f"sed -n 1,40p {path}", f"sed -n '1,60p' {path}"])
        out.append(("cmd", {"command": look, "output": "\n".join(source(view))}))
        out.append(("patch", {"input": f"*** Begin Patch\n{patch_of(view)}\n*** End Patch"}))
        subject = rng.choice(SUBJECTS).format(v=name, f=field)
        commit = f'git commit -qm "{subject}" {path} && git log --oneline -1'
        out.append(("cmd", {"command": commit, "output": f"{rng.getrandbits(28):07x} {subject}"}))
        if number in builds:
            out.append(("cmd", {"command": rng.choice(BUILDS), "output": build_output(rng)}))
            out.append(("msg", {"text": notes.pop().format(n=number, v=views[number][0])}))
    return out


if __name__ == "__main__":
    for attempt, drawn in (("a1", 11), ("a3", 33)):
        for kind, fields_of_step in steps(drawn):
            print(json.dumps({"attempt": attempt, "kind": kind, **fields_of_step}, ensure_ascii=False))
