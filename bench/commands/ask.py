"""Questions in the terminal. End of input and ``q`` stop; nothing that was answered before is lost."""

from __future__ import annotations

from collections.abc import Callable, Mapping


class Stop(Exception):
    """The person wants to go on another time."""


def ask_text(prompt: str, *, may_be_empty: bool = False) -> str:
    """A line of text; asked again until there is one."""
    while True:
        try:
            text = _readable(input(f"{prompt}: ")).strip()
        except EOFError:
            raise Stop from None
        if text or may_be_empty:
            return text
        print("a text is wanted (q at an answer, or end of input, stops)")


def _readable(text: str) -> str:
    """Bytes that the terminal's encoding does not know arrive as lone surrogates (PEP 383), which no file can hold."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def ask_choice(
    prompt: str,
    options: tuple[str, ...],
    *,
    meanings: Mapping[str, str] | None = None,
    again: Callable[[], None] | None = None,
) -> str:
    """One of the options, by its name, a unique beginning of it, or its number. q stops; s shows the session again."""
    if meanings:
        for number, option in enumerate(options, 1):
            print(f"  {number} {option}: {meanings[option]}")
    extra = ", s: session again" if again else ""
    while True:
        text = ask_text(f"{prompt} [{' / '.join(options)}; q: stop{extra}]")
        if text in options:
            return text
        if text == "q":
            raise Stop
        if text == "s" and again is not None:
            again()
            continue
        if text.isdecimal() and 1 <= int(text) <= len(options) and meanings:
            return options[int(text) - 1]
        near = [option for option in options if option.startswith(text)]
        if len(near) == 1:
            return near[0]
        print(f"{text!r} is none of {', '.join(options)}")


def ask_numbers(prompt: str, highest: int) -> tuple[int, ...]:
    """Event numbers from 1 to ``highest``."""
    while True:
        words = ask_text(prompt, may_be_empty=True).replace(",", " ").replace("#", " ").split()
        if all(word.isdecimal() and 1 <= int(word) <= highest for word in words):
            return tuple(int(word) for word in words)
        print(f"whole numbers from 1 to {highest} are wanted")
