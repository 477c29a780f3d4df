"""Numbers: the same text means tokens, money or parameters by where it stands."""

import pytest

from bot import numbers


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7), ("7,5", 7.5), ("7.5", 7.5), ("0,98", 0.98), ("0.125", 0.125), ("128.000", 128000),
        ("128,000", 128000), ("1.234.567", 1234567), ("1,234,567", 1234567),
        ("1.234,5", 1234.5), ("1,234.5", 1234.5), ("1.5000", 1.5), ("12.34", 12.34),
        ("", None), ("1.2.3", None), ("abc", None), ("1,2,3", None), ("1" * 19, None),
    ],
)  # fmt: skip
def test_decimal(text, value):
    """Three digits after a separator are thousands, any other number of them decimals."""
    assert numbers.decimal(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("13b", 13e9), ("7,5b", 7.5e9), ("13.000m", 13e9), ("1.3m", 1.3e6), ("1,3t", 1.3e12),
        ("0.5b", 0.5e9), ("270m", 270e6), ("2.4t", 2.4e12), ("1.000b", 1e12),
        # A model of 6,738 billion parameters does not exist; one of 6.738 does.
        ("6.738b", 6.738e9),
        ("13", None), ("13k", None), ("-13b", None), ("0b", None), ("b", None),
    ],
)  # fmt: skip
def test_parameters(text, value):
    assert numbers.parameters(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$1.5m", 1.5e6), ("40k", 40e3), ("40.000", 40e3), ("us$40k", 40e3), ("40kusd", 40e3),
        ("$40,000", 40e3), ("$1.500", 1500), ("$1.50", 1.5), ("$", None), ("40b", None),
    ],
)  # fmt: skip
def test_money(text, value):
    assert numbers.money(text) == value


@pytest.mark.parametrize(
    ("scales", "text", "value"),
    [
        (numbers.TOKEN_SCALES, "8k", 8192),
        (numbers.TOKEN_SCALES, "128.000", 128000),
        (numbers.TOKEN_SCALES, "1m", 1048576),
        (numbers.COUNT_SCALES, "8k", 8000),
        (numbers.MS_SCALES, "500ms", 500),
        (numbers.MS_SCALES, "0,5s", 500),
        (numbers.GBPS_SCALES, "100gb", 100),
        (numbers.GBPS_SCALES, "1.6tbps", 1600),
        (numbers.WATT_SCALES, "3kw", 3000),
        (numbers.GB_SCALES, "1,5tb", 1500),
        (numbers.TOKEN_SCALES, "8x", None),
        (numbers.TOKEN_SCALES, "-8k", -8192),
    ],
)
def test_quantity(scales, text, value):
    assert numbers.quantity(text, scales) == value


@pytest.mark.parametrize(
    ("text", "value"), [("0.9", 0.9), ("0,9", 0.9), ("90%", 0.9), ("1", 1), ("x", None)]
)
def test_fraction(text, value):
    assert numbers.fraction(text) == pytest.approx(value) if value else value is None


@pytest.mark.parametrize(
    ("word", "value"), [("dos", 2), ("una", 1), ("16", 16), ("dieciseis", 16), ("x", None)]
)
def test_small_number(word, value):
    assert numbers.small_number(word) == value
