from __future__ import annotations

import pytest

from bot.format import Numbers

EN, ES = Numbers("en"), Numbers("es")


@pytest.mark.parametrize(
    ("name", "value", "english", "spanish"),
    [
        ("gb", 18_761_453_158, "18.8 GB", "18,8 GB"),
        ("gb", 1_234_567_000_000, "1,234.6 GB", "1.234,6 GB"),
        # 0.05 GB is the first size that GB with one decimal can show.
        ("gb", 49_999_999, "50.0 MB", "50,0 MB"),
        ("gb", 50_000_000, "0.1 GB", "0,1 GB"),
        ("gb", -4_540_000_000, "-4.5 GB", "-4,5 GB"),
        ("gb_exact", 13_352_478_720, "13.35 GB", "13,35 GB"),
        ("gb_exact", 829_440, "0.8 MB", "0,8 MB"),
        # 13,352,478,720 / 2^30 = 12.4355
        ("gib", 13_352_478_720, "12.44 GiB", "12,44 GiB"),
        ("plain_gb", 24.0, "24 GB", "24 GB"),
        ("plain_gb", 94.5, "94.5 GB", "94,5 GB"),
        ("size_bytes", 819_200, "819,200 bytes", "819.200 bytes"),
        ("tokens", 4096, "4,096 tokens", "4.096 tokens"),
        ("tokens", 1, "1 token", "1 token"),
        ("short_tokens", 4096, "4k", "4k"),
        ("short_tokens", 131_072, "128k", "128k"),
        ("short_tokens", 5000, "5,000 tokens", "5.000 tokens"),
        ("count", 32_000, "32,000", "32.000"),
        ("percent", 25, "25 %", "25 %"),
        ("percent", 12.5, "12.5 %", "12,5 %"),
        ("fraction", 0.9, "0.90", "0,90"),
        ("fraction", 0.777, "0.777", "0,777"),
        ("bits", 8.2069, "8.21 bits", "8,21 bits"),
        ("bits", 16.0, "16 bits", "16 bits"),
        ("parameters", 13_015_864_320, "13.0 B", "13,0 mil millones (13,0 B)"),
        ("parameters", 1_300_000_000_000, "1.3 T", "1,3 billones (1,3 T)"),
        ("parameters", 1_300_000, "1.3 M", "1,3 millones (1,3 M)"),
        ("parameters", 999, "999", "999"),
        ("short_parameters", 70_553_706_496, "70.6 B", "70,6 B"),
        ("short_parameters", 999, "999", "999"),
        ("number", 3.0, "3", "3"),
        ("rate", 112.5, "112.5", "112,5"),
        ("rate", 1792.0, "1,792", "1.792"),
        ("number", 0.5, "0.50", "0,50"),
    ],
)
def test_numbers_as_people_of_each_language_write_them(name, value, english, spanish):
    assert getattr(EN, name)(value) == english
    assert getattr(ES, name)(value) == spanish
