"""Routine stretches of the family legacy-perl-01: eighteen nightly report scripts moved to a new output path.

For each script: find the old path, read the head, edit, check the syntax, run it for one day, commit. The heads of the
scripts are written by hand below; record counts, run times, sizes, hashes, the kind of look-up and the short messages
are drawn with a fixed seed, so that both members of the pair hold the same lines.
"""

from __future__ import annotations

import difflib
import random

ROOT = "/home/dana/src/reports"
DAY = "2026-02-25"
OLD = "/export/reports"

# name: (extension, feed, first line shown, the lines as they are, edits, a slip and its repair or None)
SCRIPTS = {
    "r05_returns": ("pl", "returns.psv", 1, r"""
#!/usr/bin/perl -w
# returns of the day by depot, since 2006
use strict;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Rep::Feed;

my $day = shift || Rep::Feed::today();
my %n;
open(my $out, '>', "/export/reports/$day/r05_returns.txt") or die "r05: $!";
""", [("use Rep::Feed;", "use Rep::Env;\nuse Rep::Feed;"),
      ('"/export/reports/$day/r05_returns.txt"', 'Rep::Env::out($day, "r05_returns.txt")')], None),
    "r06_invoices": ("pl", "invoices.psv", 3, r"""
use strict;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Rep::Feed;
use Rep::Money;

my ($day) = @ARGV;
my $dir = "/export/reports/" . $day;
mkdir $dir unless -d $dir;
open(OUT, "> $dir/r06_invoices.txt") or die;
select OUT;
""", [("use Rep::Feed;", "use Rep::Env;\nuse Rep::Feed;"),
      ('my $dir = "/export/reports/" . $day;', "my $dir = Rep::Env::dir($day);")], None),
    "r07_postage": ("sh", "parcels.psv", 1, r"""
#!/bin/bash
# franking machine against parcels, M. Oduya 2009
set -u
day=${1:?day}
ROOT=$(cd "$(dirname "$0")/.." && pwd)
OUT=/export/reports
SPOOL=/srv/spool/in
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
""", [("OUT=/export/reports", '. "$ROOT/lib/env.sh"\nOUT=$REPORT_OUT')], None),
    "r08_carriers": ("pl", "parcels.psv", 4, r"""
use FindBin;
use lib "$FindBin::Bin/../lib";
use Rep::Feed;
use Getopt::Std;

our ($opt_d, $opt_v);
getopts('d:v');
my $file = "/export/reports/$opt_d/r08_carriers.txt";
my $index = "/export/reports/$opt_d/r08_carriers.idx";
""", [("use Rep::Feed;", "use Rep::Env;\nuse Rep::Feed;"),
      ('"/export/reports/$opt_d/r08_carriers.txt"', 'Rep::Env::out($opt_d, "r08_carriers.txt")')],
        ("stray", '"/export/reports/$opt_d/r08_carriers.idx"', 'Rep::Env::out($opt_d, "r08_carriers.idx")')),
    "r09_claims": ("pl", "claims.psv", 2, r"""
# open claims with age, weekly totals on Sunday
use strict;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Rep::Feed;
use Time::Local;

use constant OUT => '/export/reports';
use constant AGE => (7, 14, 30);

my $day = shift;
my $path = OUT . "/$day/r09_claims.txt";
""", [("use Rep::Feed;", "use Rep::Env;\nuse Rep::Feed;"),
      ("use constant OUT => '/export/reports';", "use constant OUT => Rep::Env::root();")], None),
    "r10_dunning": ("sh", "ledger.psv", 1, r"""
#!/bin/bash
# three dunning levels, one file each
day=$1
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/lib/feed.sh"
for level in 1 2 3; do
  out=/export/reports/$day/r10_dunning_$level.txt
  feed_rows ledger "$day" | awk -F'|' -v l="$level" '$6==l' | sort -t'|' -k2,2 > "$out"
done
""", [('. "$ROOT/lib/feed.sh"', '. "$ROOT/lib/env.sh"\n. "$ROOT/lib/feed.sh"'),
      ("out=/export/reports/$day/", "out=$REPORT_OUT/$day/")], None),
    "r12_slots": ("sh", "slots.psv", 1, r"""
#!/bin/bash
# booked and used unloading slots per gate
day=$1; shift
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/lib/feed.sh"
REP=${REP:-/export/reports}
feed_rows slots "$day" | awk -F'|' -f "$ROOT/lib/slots.awk" > "$REP/$day/r12_slots.txt"
""", [('. "$ROOT/lib/feed.sh"', '. "$ROOT/lib/env.sh"\n. "$ROOT/lib/feed.sh"'),
      ("REP=${REP:-/export/reports}", "REP=$REPORT_OUT")], None),
    "r13_pallets": ("pl", "pallets.psv", 3, r"""
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Rep::Feed qw(rows);

my $day = shift or die "usage: r13_pallets.pl DAY\n";
my %balance;
$balance{$_->[2]} += $_->[4] - $_->[5] for rows('pallets', $day);
open my $fh, '>', "/export/reports/$day/r13_pallets.txt" or die "$day: $!";
printf $fh "%-12s %8d\n", $_, $balance{$_} for sort keys %balance;
""", [("use Rep::Feed qw(rows);", "use Rep::Env;\nuse Rep::Feed qw(rows);"),
      ('"/export/reports/$day/r13_pallets.txt"', 'Rep::Env::out($day, "r13_pallets.txt")')], None),
    "r14_tariffs": ("pl", "tariffs.psv", 1, r"""
#!/usr/bin/perl
# tariffs that change within 14 days
use strict;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Rep::Feed;
use Rep::Mail;
my $day = $ARGV[0];
my $txt = "/export/reports/$day/r14_tariffs.txt";
# ...
Rep::Mail::send('tariffs', "see /export/reports/$day/r14_tariffs.txt");
""", [("use Rep::Feed;", "use Rep::Env;\nuse Rep::Feed;"),
      ('my $txt = "/export/reports/$day/r14_tariffs.txt";', 'my $txt = Rep::Env::out($day, "r14_tariffs.txt");'),
      ('"see /export/reports/$day/r14_tariffs.txt"', '"see $txt"')], None),
    "r15_weights": ("sh", "scales.psv", 5, r"""
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/lib/feed.sh"
day=$1
dest=/export/reports/$day
mkdir -p "$dest"
feed_rows scales "$day" | cut -d'|' -f1,4,7 | tr '|' '\t' > "$dest/r15_weights.tsv"
gzip -c "$dest/r15_weights.tsv" > /export/archive/weights-$day.gz
""", [('. "$ROOT/lib/feed.sh"', '. "$ROOT/lib/env.sh"\n. "$ROOT/lib/feed.sh"'),
      ("dest=/export/reports/$day", "dest=$REPORT_OUT/$day")], None),
    "r16_routes": ("pl", "routes.psv", 6, r"""
use lib "$FindBin::Bin/../lib";
use Rep::Feed;

my $day = shift;
my @routes = Rep::Feed::rows('routes', $day);
my %km;
for my $r (@routes) { $km{$r->[1]} += $r->[5] }
my $report = sprintf '/export/reports/%s/r16_routes.txt', $day;
open my $fh, '>', $report or die "r16: cannot write $report: $!";
""", [("use Rep::Feed;", "use Rep::Env;\nuse Rep::Feed;"),
      ("sprintf '/export/reports/%s/r16_routes.txt', $day", "Rep::Env::out($day, 'r16_routes.txt')")], None),
    "r17_empties": ("pl", "empties.psv", 1, r"""
#!/usr/bin/perl -w
use strict;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Rep::Feed;
# crates and barrels, in and out, deposit in cents
my $day = shift;
my %file = (
    crates  => "/export/reports/$day/r17_crates.txt",
    barrels => "/export/reports/$day/r17_barrels.txt",
);
""", [("use Rep::Feed;", "use Rep::Env;\nuse Rep::Feed;"),
      ('"/export/reports/$day/r17_crates.txt"', 'Rep::Env::out($day, "r17_crates.txt")'),
      ('"/export/reports/$day/r17_barrels.txt"', 'Rep::Env::out($day, "r17_barrels.txt")')], None),
    "r18_customs": ("sh", "customs.psv", 1, r"""
#!/bin/bash
# movements under bond, for the customs office; keep the column order
ROOT=$(cd "$(dirname "$0")/.." && pwd)
. "$ROOT/lib/feed.sh"
day=$1
cd /export/reports/$day || exit 3
feed_rows customs "$day" | sort -t'|' -k3,3 -k1,1n > r18_customs.psv
wc -l < r18_customs.psv > r18_customs.count
""", [('. "$ROOT/lib/feed.sh"', '. "$ROOT/lib/env.sh"\n. "$ROOT/lib/feed.sh"'),
      ("cd /export/reports/$day || exit 3", 'cd "$REPORT_OUT/$day" || exit 3')], None),
    "r19_fuel": ("pl", "fuel.psv", 2, r"""
# litres per truck, card against tank
use strict;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Rep::Feed;
use POSIX qw(floor);

my $day  = shift;
my $root = $ENV{FUEL_OUT} || '/export/reports';
my $txt  = "$root/$day/r19_fuel.txt";
my $log  = '/export/reports/log/r19.log';
""", [("use Rep::Feed;", "use Rep::Env;\nuse Rep::Feed;"),
      ("my $root = $ENV{FUEL_OUT} || '/export/reports';", "my $root = Rep::Env::root();"),
      ("'/export/reports/log/r19.log'", '"$root/log/r19.log')],
        ("syntax", '"$root/log/r19.log', '"$root/log/r19.log"')),
    "r20_drivers": ("sh", "shifts.psv", 1, r"""
#!/bin/bash
# hours per driver, rest times below eleven hours are marked
day=$1
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../lib/feed.sh"
umask 027
feed_rows shifts "$day" | awk -F'|' -f "$here/../lib/rest.awk" > /export/reports/$day/r20_drivers.txt
chgrp payroll /export/reports/$day/r20_drivers.txt
""", [('. "$here/../lib/feed.sh"', '. "$here/../lib/env.sh"\n. "$here/../lib/feed.sh"'),
      ("> /export/reports/$day/", '> "$REPORT_OUT"/$day/'),
      ("chgrp payroll /export/reports/$day/", 'chgrp payroll "$REPORT_OUT"/$day/')], None),
    "r21_damages": ("pl", "damages.psv", 5, r"""
use lib "$FindBin::Bin/../lib";
use Rep::Feed;
use Text::Wrap;
$Text::Wrap::columns = 72;

my $day = shift @ARGV;
my $target = '/export/reports/' . $day . '/r21_damages.txt';
rename $target, "$target.old" if -e $target;
open(T, ">$target") || die "r21: $!";
""", [("use Rep::Feed;", "use Rep::Env;\nuse Rep::Feed;"),
      ("'/export/reports/' . $day . '/r21_damages.txt'", "Rep::Env::out($day, 'r21_damages.txt')")], None),
    "r22_sla": ("pl", "calls.psv", 3, r"""
use strict;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Rep::Feed;

my ($day, $quiet) = @ARGV;
my $in = Rep::Feed::path('calls', $day);
my $out = "/export/reports/$day/r22_sla.txt";
my $prev = '/export/reports/last/r22_sla.txt';
print "r22: $in -> $out\n" unless $quiet;
""", [("use Rep::Feed;", "use Rep::Env;\nuse Rep::Feed;"),
      ('"/export/reports/$day/r22_sla.txt"', 'Rep::Env::out($day, "r22_sla.txt")'),
      ("'/export/reports/last/r22_sla.txt'", "Rep::Env::out('last', 'r22_sla.txt')")], None),
    "r23_summary": ("sh", "(reports)", 1, r"""
#!/bin/bash
# index of the night: one line a report, then mail to ops
ROOT=$(cd "$(dirname "$0")/.." && pwd)
day=$1
cd /export/reports/$day || exit 3
{ echo "reports of $day on $(hostname)"
  for f in r*.t?? r*.psv; do printf '%-24s %8d\n' "$f" "$(wc -l < "$f")"; done
} > index.txt
mailx -s "reports $day" ops < /export/reports/$day/index.txt
""", [("cd /export/reports/$day || exit 3", '. "$ROOT/lib/env.sh"\ncd "$REPORT_OUT/$day" || exit 3'),
      ("< /export/reports/$day/index.txt", "< index.txt")], None),
}

BEFORE = [
    "r05 next, the oldest one.", "r06 builds its directory itself.", "r07 is bash, one assignment to change.",
    "On with the carriers.", "r09 has the path as a constant.", "r10 writes three files in a loop.",
    "Now the unloading slots.", "Pallets.", "r14 also mails the path.", "r15 writes a table and an archive copy.",
    "Routes next.", "r17 has two files.", "Customs, with a count file beside it.", "r19, fuel.",
    "r20 sets a group on its file.", "Three left.", "r22 reads the report of the day before.",
    "The last one is the index.",
]
AFTER = [
    "Same text as in the archive.", "Committed, {left} to go besides r11.", "No difference to last night's file.",
    "That one was quick.", "Text and size agree.", "Fine on rep01 as well.",
    "Identical but for the place.", "{name} is through.", "Checked and committed.", "Good, next file.",
]
THOUGHTS = {
    "r06_invoices": "It makes the directory itself, dir() does that too. Harmless, so I leave the mkdir.",
    "r09_claims": "A constant from a function works as long as Rep::Env is loaded by use before it. It is.",
    "r10_dunning": "The check counts the three files together.",
    "r12_slots": "REP could be set from outside; nothing in the crontab sets it, so REPORT_OUT takes over.",
    "r14_tariffs": "The mail text should name the new place as well, otherwise people look on the old volume.",
    "r15_weights": "/export/archive is another volume and not part of the task. Only dest.",
    "r18_customs": "cd into the directory, so one line is enough. Column order stays untouched.",
    "r20_drivers": "chgrp has to follow the file, both lines then.",
    "r22_sla": "last/ is a link in the report root. out() takes it as it would take a day.",
}


def bash(command: str, output: str, code: int = 0) -> dict:
    text = f"Exit code {code}\n{output}" if code else output
    return {"kind": "command", "tool": "Bash", "command": command, "output": text, "exit_code": code,
            "exit_source": "text" if code else "implied", "ok": code == 0}


def edit(path: str, old: str, new: str) -> dict:
    return {"kind": "tool_call", "tool": "Edit", "args": {"file_path": path, "old_string": old, "new_string": new},
            "output": f"The file {path} has been updated successfully.", "ok": True}


def check_text(name: str, ext: str, feed: str, rows: int, seconds: float, size: float, stray: str = "") -> str:
    lines = [f"{name}  day {DAY}  host rep01", f"  feed     {feed}  {rows} records",
             f"  run      bash -lc 'bin/{name}.{ext} {DAY}'  {seconds:.1f} s", f"  rows     read {rows}, used {rows}",
             f"  written  /srv/reports/{DAY}  {size:.1f} kB", "  archive  same"]
    if stray:
        return "\n".join([*lines, f"  stray    {stray}", "  result   NOT OK"])
    return "\n".join([*lines, "  result   ok"])


def counts(seed: int = 11) -> dict[str, int]:
    """Records of the day in each feed."""
    draw = random.Random(seed)
    feeds = sorted({entry[1] for entry in SCRIPTS.values()})
    return {feed: 22 if feed == "(reports)" else draw.randrange(140, 4200) for feed in feeds}


def commit_text(name: str, old: str, new: str, draw: random.Random) -> str:
    diff = list(difflib.ndiff(old.split("\n"), new.split("\n")))
    plus, minus = (sum(line.startswith(mark) for line in diff) for mark in ("+ ", "- "))
    word = ("insertion" if plus == 1 else "insertions", "deletion" if minus == 1 else "deletions")
    return (f"[move-output {draw.getrandbits(28):07x}] {name[:3]}: write below REPORT_OUT\n"
            f" 1 file changed, {plus} {word[0]}(+), {minus} {word[1]}(-)")


def script_events(name: str) -> list[dict]:
    """All events for one script."""
    order = list(SCRIPTS)
    number = order.index(name)
    ext, feed, start, shown, edits, later = SCRIPTS[name]
    draw = random.Random(4100 + number)
    path, short = f"{ROOT}/bin/{name}.{ext}", f"bin/{name}.{ext}"
    body = shown.strip("\n")
    lines = body.split("\n")
    hits = [(at, line) for at, line in enumerate(lines, start) if OLD in line]
    rows, seconds, size = counts()[feed], draw.uniform(0.3, 4.9), draw.uniform(1.1, 60)
    events: list[dict] = [{"kind": "message", "text": BEFORE[number]}]
    if draw.random() < 0.5:
        events.append(bash(f"grep -n '{OLD}' {short}", "\n".join(f"{at}:{line}" for at, line in hits)))
    else:
        args = {"pattern": OLD, "path": path, "output_mode": "content", "-n": True}
        found = "\n".join(f"{at}:{line}" for at, line in hits)
        events.append({"kind": "tool_call", "tool": "Grep", "args": args, "output": found, "ok": True})
    args = {"file_path": path, "offset": start, "limit": len(lines)}
    numbered = "\n".join(f"{at:>6}→{line}" for at, line in enumerate(lines, start))
    events.append({"kind": "tool_call", "tool": "Read", "args": args, "output": numbered, "ok": True})
    if name in THOUGHTS:
        events.append({"kind": "reasoning", "text": THOUGHTS[name]})
    after = body
    for old, new in edits:
        assert after.count(old) == 1, (name, old)
        after = after.replace(old, new)
        events.append(edit(path, old, new))
    syntax = f"perl -Ilib -c {short}" if ext == "pl" else f"bash -n {short}"
    fine = f"{short} syntax OK" if ext == "pl" else ""
    if later:
        kind, old, new = later
        if kind == "syntax":
            error = (f"Can't find string terminator '\"' anywhere before EOF at {short} line 13.")
            events.append(bash(syntax, error, 255))
        else:
            events.append(bash(syntax, fine))
            stray = f"{OLD}/{DAY}/{name}.idx"
            events.append(bash(f"./check {name[:3]}", check_text(name, ext, feed, rows, seconds, size, stray), 1))
            events.append({"kind": "message", "text": "I left the index file out, it stands one line below."})
        assert after.count(old) == 1, (name, old)
        after = after.replace(old, new)
        events.append(edit(path, old, new))
    events.append(bash(syntax, fine))
    events.append(bash(f"./check {name[:3]}", check_text(name, ext, feed, rows, seconds + 0.1, size)))
    commit = f"git commit -qam '{name[:3]}: write below REPORT_OUT' && git show --stat --format='%h %s' HEAD | tail -1"
    text = commit_text(name, body, after, draw)
    if draw.random() < 0.5:
        commit, text = commit, text.split("\n")[1]
    else:
        commit = f"git commit -am '{name[:3]}: write below REPORT_OUT'"
    events.append(bash(commit, text))
    if number % 2:
        left = len(order) - number - 1
        events.append({"kind": "message", "text": AFTER[number // 2 % len(AFTER)].format(left=left, name=name[:3])})
    return events
