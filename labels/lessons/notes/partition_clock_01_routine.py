"""Routine stretches of the family partition-clock-01: openings per hour, run log, day and hour tables, reload outputs.

Everything is drawn with a fixed seed, so that both members of the pair hold the same lines. A run every three hours
appends the openings of six hours until the repair, of three hours after it.
"""

from __future__ import annotations

import math
import random
from datetime import UTC, datetime, timedelta

LOCKERS = 412
PROFILE = (88, 52, 31, 27, 64, 210, 498, 861, 1012, 934, 903, 978, 1105, 1061, 1020, 1187, 1498, 1802, 1733, 1290,
           842, 511, 302, 167)
WEEKDAY = (1.0, 0.97, 0.98, 1.03, 1.12, 0.81, 0.58)
FIRST = datetime(2026, 10, 5, tzinfo=UTC)
LIVE = datetime(2026, 10, 6, tzinfo=UTC)  # start of the first slot that the runner loaded
NOW = datetime(2026, 10, 14, 9, tzinfo=UTC)  # end of the last slot before the session
HOUR = timedelta(hours=1)


def _draw() -> tuple[dict[datetime, int], dict[datetime, int]]:
    draw = random.Random(20261014)
    openings, rows = {}, {}
    moment = FIRST
    while moment < FIRST + timedelta(days=10):
        count = round(PROFILE[moment.hour] * WEEKDAY[moment.weekday()] * draw.uniform(0.94, 1.06))
        used = LOCKERS * (1 - math.exp(-count / LOCKERS))
        openings[moment] = count
        rows[moment] = min(count, LOCKERS - 3, round(used * draw.uniform(0.97, 1.01)))
        moment += HOUR
    return openings, rows


OPENINGS, ROWS = _draw()


def span(values: dict[datetime, int], start: datetime, end: datetime) -> int:
    return sum(value for moment, value in values.items() if start <= moment < end)


def times(moment: datetime, until: datetime = NOW) -> int:
    """How often an hour stands in the mart before the repair."""
    if moment < LIVE - 3 * HOUR:
        return 1
    slot = moment - HOUR * (moment.hour % 3)
    own = slot >= LIVE and slot + 3 * HOUR <= until
    following = slot + 3 * HOUR >= LIVE and slot + 6 * HOUR <= until
    return own + following + (moment < LIVE)


def mart(values: dict[datetime, int], start: datetime, end: datetime, until: datetime = NOW) -> int:
    return sum(value * times(moment, until) for moment, value in values.items() if start <= moment < end)


def day(number: int) -> datetime:
    return datetime(2026, 10, number, tzinfo=UTC)


def end_of(number: int) -> datetime:
    return min(day(number + 1), NOW)


def day_table() -> str:
    lines = ["    day     |  raw  | mart  | ratio ", "------------+-------+-------+-------"]
    for number in range(5, 15):
        raw, held = span(OPENINGS, day(number), end_of(number)), mart(OPENINGS, day(number), end_of(number))
        lines.append(f" 2026-10-{number:02d} | {raw:5d} | {held:5d} | {held / raw:.3f}")
    return "\n".join([*lines, "(10 rows)"])


def hour_table(number: int) -> str:
    lines = [" hour  | raw  | mart ", "-------+------+------"]
    for step in range(24):
        moment = day(number) + step * HOUR
        lines.append(f" {step:02d}:00 | {OPENINGS[moment]:4d} | {OPENINGS[moment] * times(moment):4d}")
    return "\n".join([*lines, "(24 rows)"])


def run_log(number: int) -> str:
    draw = random.Random(number)
    lines = ["   slot_start     |      started_at     | attempt | state | rows ",
             "------------------+---------------------+---------+-------+------"]
    for step in range(0, 24, 3):
        start = day(number) + step * HOUR
        begun = start + 3 * HOUR + timedelta(seconds=draw.randint(4, 13))
        loaded = span(ROWS, start - 3 * HOUR, start + 3 * HOUR)
        lines.append(f" {start:%Y-%m-%d %H:%M} | {begun:%Y-%m-%d %H:%M:%S} | {1:7d} | ok    | {loaded:4d}")
    return "\n".join([*lines, "(8 rows)"])


def reload_output(number: int) -> str:
    start = LIVE - 3 * HOUR if number == 5 else day(number)
    held, fresh = mart(ROWS, start, end_of(number)), span(ROWS, start, end_of(number))
    return f"BEGIN\nDELETE {held}\nINSERT 0 {fresh}\nCOMMIT"


def week_before() -> int:
    return mart(OPENINGS, day(5), day(12), day(12) + 4 * HOUR)


def week_after() -> int:
    return span(OPENINGS, day(5), day(12))


if __name__ == "__main__":
    print(day_table(), hour_table(13), run_log(13), *map(reload_output, range(5, 15)), sep="\n")
    print(week_before(), week_after())
