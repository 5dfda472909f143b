"""Account and card numbers: taken only where their check digits are right, so that few other numbers are."""

from __future__ import annotations

# A card: 13 to 19 digits under an issuer's prefix, in one piece or grouped. An IBAN: country, check digits, 11 to 30 more.
NUMBERS = (
    r"(?:^|[^0-9A-Za-z._/-])(?:(?:4[0-9]{3}|5[1-5][0-9]{2}|2[2-7][0-9]{2}|3[47][0-9]{2}|6011|65[0-9]{2})"
    r"(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}\b|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}\b"
    r"|[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b)"
)
# Numbers that payment providers publish for tests identify nobody, and a session about payments is full of them.
_TEST_CARDS = (
    "400000",
    "424242",
    "411111",
    "555555",
    "510510",
    "378282",
    "371449",
    "378734",
    "601111",
    "601100",
    "222300",
)
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "BR": 29, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20,
    "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27, "LI": 21,
    "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "RO": 24, "RS": 22, "SA": 24,
    "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26, "UA": 29,
}  # fmt: skip


def number_kind(text: str) -> str | None:
    """``card-number``, ``iban``, or None where the check digits are wrong."""
    bare = text.replace(" ", "").replace("-", "")
    if bare.isdigit():
        return "card-number" if _is_card(bare) else None
    return "iban" if _is_iban(bare) else None


def _is_card(digits: str) -> bool:
    """Luhn's check (ISO/IEC 7812), and not one of the published test numbers."""
    if not 15 <= len(digits) <= 19 or digits.startswith(_TEST_CARDS) or len(set(digits)) < 4:
        return False
    doubled = [int(d) * (2 if place % 2 else 1) for place, d in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _is_iban(bare: str) -> bool:
    """The remainder modulo 97 is 1 (ISO 13616), and the length is the country's."""
    if _IBAN_LENGTHS.get(bare[:2]) != len(bare):
        return False
    return int("".join(str(int(c, 36)) for c in bare[4:] + bare[:4])) % 97 == 1
