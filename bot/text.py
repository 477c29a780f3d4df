"""Turn what was typed into plain words, whatever keyboard or Slack client sent it."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from bot.numbers import DECIMAL

SPECIAL_MENTION: Final = re.compile(r"<[@#!][^<>]*>")
LINK: Final = re.compile(r"<((?:https?://|mailto:|tel:)[^<>|\s]*)(?:\|([^<>]*))?>")
HUB_ADDRESS: Final = re.compile(r"https?://(?:www\.)?(?:huggingface\.co|hf\.co)/(?=[\w.-]+/)")
ADDRESS: Final = re.compile(r"https?://\S+|mailto:\S+|tel:\S+")
ADDRESSED_TO: Final = re.compile(r"^\s*(?:[/@]gpusize\b[:,]?\s*)+", re.IGNORECASE)
DASHES: Final = dict.fromkeys(map(ord, "‐‑‒–—―−﹘﹣－"), "-")
QUOTES: Final = dict.fromkeys(map(ord, '"“”„«»`´‹›'), " ") | dict.fromkeys(map(ord, "'‘’‛"), "")
SYMBOLS: Final = dict.fromkeys(map(ord, "™®©"), "") | {
    ord("≤"): "<=",
    ord("≥"): ">=",
    ord("×"): "x",
    ord("✕"): "x",
    ord("→"): " ",
}
SEPARATORS: Final = dict.fromkeys(map(ord, "()[]{}|;?¿!¡…·•\\^"), " ")
COMMA: Final = re.compile(r"(?:(?<![\w,.])(?<!\w-)|(?<=\dx))(\d+(?:[.,]\d+)+)(?![\dx*])|,")
LIST_OF_NUMBERS: Final = re.compile(r",\d{4}")
TIMES_AFTER: Final = re.compile(
    r"(?<![\w.])(?<!res=)([a-z]+\d+[a-z]*|\d{4}(?:ti)?)[x*](\d{1,2})(?![\w.])"
)
ARROW: Final = re.compile(r"\s*(?:=>|->)\s*")
OPERATOR: Final = re.compile(
    r"\s+(<=|>=|==|=|<|>)\s+|(?<=[a-z])(<=|>=|==|=|<|>)\s+(?=[\d$])"
    r"|(?<=[a-z])\s+(<=|>=|==|=|<|>)(?=[\d$])"
)
DOLLAR: Final = re.compile(r"(us\$|\$)\s+(?=\d)")
TIMES: Final = re.compile(r"(?<![\w.,-])(\d[\d.,]*)(?:\s*[x*]\s+(?=\w)|\s+[x*](?=\d)|\*(?=\w))")
NAME_TIMES: Final = re.compile(r"(?<=[a-z\d])\s+[x*]\s*(\d{1,4})(?![\w.])")
WORDED_SCALES: Final = (
    (re.compile(r"(?<=\d)\s*-?(?:mil\s+millones|millardos?|billions?|bn)\b"), "b"),
    (re.compile(r"(?<=\d)\s*-?(?:millones|mill[oó]n|millions?)\b"), "m"),
    (re.compile(r"(?<=\d)\s*-?(?:billones|bill[oó]n|trillions?)\b"), "t"),
    (re.compile(r"(?<=\d)\s+mil\b"), "000"),
)
SPACED_UNIT: Final = re.compile(
    r"(?<![a-wyz\d_.,])(\d[\d.,]*)\s+(?=(?:[bkmgsw€%]|gi?b|tb|gbps|gbits?|gbe|gb/s|ms|kw|bits?|usd|eur"
    r"|t/s|toks?/s|tokens?/s|rps|qps|req/s)(?![\w/=<>:]))"
)
EDGES: Final = ".,:'*_~!&"
LONGEST_WORD: Final = 120
"""Characters of a word that are read; no name is longer."""


def readable(text: str) -> str:
    """Return a text that every store takes: no lone surrogates, no NUL."""
    return text.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def fold(word: str) -> str:
    """Return `word` in lower case without accents."""
    decomposed = unicodedata.normalize("NFD", word.lower())
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def clean(text: str) -> str:
    """Return `text` in lower case with Slack's markup and typographic characters made plain."""
    text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
    text = SPECIAL_MENTION.sub(" ", text)
    text = LINK.sub(_said_by_link, text)
    text = unicodedata.normalize("NFKC", text.translate(SYMBOLS | DASHES))
    text = text.translate(SYMBOLS | DASHES | QUOTES)
    text = "".join(_plain(letter) for letter in text).lower()
    text = ADDRESS.sub(" ", HUB_ADDRESS.sub(" ", text))
    return " ".join(ADDRESSED_TO.sub("", text).split())


def words_of(text: str) -> tuple[str, ...]:
    """Split cleaned text into words, each number joined with its unit and its multiplier."""
    text = OPERATOR.sub(lambda found: found[0].strip(), ARROW.sub(" ", text))
    text = DOLLAR.sub(r"\1", text)
    text = text.translate(SEPARATORS)
    text = COMMA.sub(_keep_decimal_comma, text)
    for scale, letter in WORDED_SCALES:
        text = scale.sub(letter, text)
    text = NAME_TIMES.sub(r" x\1", TIMES.sub(r"\1x", text))
    text = SPACED_UNIT.sub(r"\1", text)
    text = TIMES_AFTER.sub(r"\1 x\2", text)
    stripped = (word.lstrip(EDGES).rstrip(EDGES + "-") for word in text.split())
    return tuple(word[:LONGEST_WORD] for word in stripped if word.strip("-/<>="))


def _said_by_link(link: re.Match[str]) -> str:
    """Return a link's label, except that a model's address says more than its label."""
    is_model = HUB_ADDRESS.match(link[1])
    return f" {link[1] if is_model else link[2] or link[1]} "


def _plain(letter: str) -> str:
    category = unicodedata.category(letter)
    if category == "Cf":
        return ""
    return " " if category[0] in "CZ" else letter


def _keep_decimal_comma(found: re.Match[str]) -> str:
    number = found[1]
    if number and DECIMAL.fullmatch(number) and not LIST_OF_NUMBERS.search(number):
        return number
    return found[0].replace(",", " ")
