"""What all callers of one provider share: its rate, and the pauses that it asks for. And what a run may spend."""

from __future__ import annotations

import threading
import time


class Gate:
    """Lets calls through at most so many a minute, and none during a pause."""

    def __init__(self, per_minute: int | None, stop: threading.Event) -> None:
        self._interval = 0.0 if per_minute is None else 60.0 / per_minute
        self._stop = stop
        self._lock = threading.Lock()
        self._next = 0.0
        self._paused_until = 0.0

    def enter(self, give_up_at: float | None) -> bool:
        """Wait for a turn. False where it would come after ``give_up_at`` (time.monotonic()), or the run was stopped."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next, self._paused_until)
            if give_up_at is not None and turn > give_up_at:
                return False
            self._next = turn + self._interval
        return self.sleep(turn - now) and not self._stop.is_set()

    def pause(self, seconds: float) -> None:
        """Nobody enters for so long."""
        with self._lock:
            self._paused_until = max(self._paused_until, time.monotonic() + seconds)

    def sleep(self, seconds: float) -> bool:
        """Sleep unless the run is stopped; whether it was not."""
        return not self._stop.wait(seconds) if seconds > 0 else not self._stop.is_set()


class Purse:
    """What a run may spend. Calls reserve what they are expected to cost, and settle when it is known."""

    def __init__(self, limit_usd: float | None) -> None:
        self.limit = limit_usd
        self.spent = 0.0
        self._reserved = 0.0

    def reserve(self, usd: float | None) -> bool:
        """Whether the call may still be made."""
        if self.limit is None:
            return True
        if usd is None or self.spent + self._reserved + usd > self.limit:
            return False
        self._reserved += usd
        return True

    def settle(self, expected: float | None, actual: float | None) -> None:
        """A call is over. An unknown cost counts as what was expected."""
        if self.limit is not None:
            self._reserved -= expected or 0.0
            self.spent += (expected or 0.0) if actual is None else actual
