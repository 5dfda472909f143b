"""Members of a zip archive, read whole up to a cap; those compressed with Zstandard too, where its package is there."""

from __future__ import annotations

import io
import struct
import sys
import zipfile
import zlib
from typing import Any, BinaryIO

_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_UNREADABLE = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, zlib.error, struct.error)


class Archive:
    """An archive whose every trouble is a ValueError with the reason."""

    def __init__(self, stream: BinaryIO, largest: int) -> None:
        self._stream, self._largest = stream, largest
        try:
            self._archive = zipfile.ZipFile(stream)
        except (*_UNREADABLE, ValueError) as error:
            raise ValueError(f"not a whole zip archive: {error}") from error
        self.names = tuple(dict.fromkeys(self._archive.namelist()))  # of members with one name, the last counts

    def read(self, name: str) -> bytes:
        """A member, unpacked."""
        member = self._archive.getinfo(name)
        if member.file_size > self._largest:
            raise ValueError(f"{name} is longer than {self._largest} bytes")
        try:
            content = self._unpacked(member)
        except _UNREADABLE as error:
            raise ValueError(f"{name} cannot be unpacked: {error}") from error
        if len(content) > self._largest:
            raise ValueError(f"{name} is longer than {self._largest} bytes")
        return content

    def _unpacked(self, member: zipfile.ZipInfo) -> bytes:
        if member.compress_type != _ZSTANDARD:
            with self._archive.open(member) as file:
                return file.read(self._largest + 1)
        content = _unzstd(io.BytesIO(self._packed(member)), self._largest + 1)
        if len(content) <= self._largest and zlib.crc32(content) != member.CRC:
            raise zipfile.BadZipFile(f"bad CRC-32 for file {member.filename!r}")
        return content

    def _packed(self, member: zipfile.ZipInfo) -> bytes:
        """The bytes of a member as they are: zipfile gives none that it cannot unpack."""
        self._stream.seek(member.header_offset)
        _, name, extra = _LOCAL_HEADER.unpack(self._stream.read(_LOCAL_HEADER.size))
        self._stream.seek(name + extra, io.SEEK_CUR)
        return self._stream.read(member.compress_size)


def _unzstd(packed: BinaryIO, limit: int) -> bytes:
    """Zstandard frames, one behind the other, unpacked up to a limit."""
    opened, trouble = _zstandard(packed)
    try:
        with opened as file:
            content: bytes = file.read(limit)
            return content
    except trouble as error:
        raise zipfile.BadZipFile(str(error)) from error


def _zstandard(packed: BinaryIO) -> tuple[Any, type[Exception]]:
    """A reader, and what it raises on bytes that are no frames."""
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd.open(packed), zstd.ZstdError
    try:
        import zstandard  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        raise NotImplementedError("it is compressed with Zstandard: install the package zstandard") from None
    return zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True), zstandard.ZstdError
