"""What was seen of late: memory that does not grow with the file."""

from __future__ import annotations

from collections.abc import Hashable


class Recent:
    """A map that holds at least the last ``room`` keys put in, and at most twice as many; without room, all of them."""

    def __init__(self, room: int | None = None) -> None:
        self._room = room
        self._newer: dict[Hashable, object] = {}
        self._older: dict[Hashable, object] = {}

    def __contains__(self, key: object) -> bool:
        return key in self._newer or key in self._older

    def is_new(self, key: Hashable) -> bool:
        """Whether the key was not there yet; from now on it is."""
        if key in self._newer or key in self._older:
            return False
        self._newer[key] = None
        if len(self._newer) == self._room:
            self._newer, self._older = {}, self._newer
        return True

    def put(self, key: Hashable, value: object) -> None:
        self._newer[key] = value
        if len(self._newer) == self._room:
            self._newer, self._older = {}, self._newer

    def get(self, key: Hashable) -> object:
        """The value of a key; None where it is not remembered."""
        return self._newer[key] if key in self._newer else self._older.get(key)

    def pop(self, key: Hashable) -> object:
        """As ``get``, and the key is gone."""
        older = self._older.pop(key, None)
        return self._newer.pop(key, older)


class Texts:
    """Texts that were seen, by a hash of 64 bits: long texts cost no more than short ones."""

    def __init__(self, room: int | None = None) -> None:
        self._hashes = Recent(room)

    def __contains__(self, text: object) -> bool:
        return hash(text) in self._hashes

    def add(self, text: str) -> None:
        self._hashes.put(hash(text), None)
