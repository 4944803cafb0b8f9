"""Text of the data is made harmless, and otherwise left alone."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dldoctor.render.clean_text import clean, clean_lines, fold_to_ascii


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("plain [text] <b>", "plain [text] <b>"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x9b2Jgone", "gone"),
        ("\x1bP1$r\x1b\\dcs", "dcs"),
        ("lone escape \x1b", "lone escape "),
        ("a\tb\nc\r\nd\x85e\u2028f", "a b c  d e f"),
        ("nul\x00bell\x07back\x08", "nulbellback"),
        ("user\u202egnp.exe\u2066x\u2069", "usergnp.exex"),
        ("\ufeffbom zero\u200bwidth", "bom zerowidth"),
        ("lone \ud800", "lone \ufffd"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
        ("كلب שלום 家庭 e\u0301", "كلب שלום 家庭 e\u0301"),
        ("z" + "\u0300" * 40 + "y", "z\u0300\u0300\u0300y"),
    ],
)
def test_what_moves_the_cursor_goes_and_writing_stays(raw, expected):
    """Escapes, controls and overrides vanish; every script and emoji remains."""
    assert clean(raw) == expected


@pytest.mark.parametrize(
    ("limit", "expected"), [(5, "abcd…"), (6, "abcdef"), (7, "abcdef"), (1, "…"), (None, "abcdef")]
)
def test_a_long_text_is_cut_and_says_so(limit, expected):
    """A text beyond the limit ends in an ellipsis within the limit."""
    assert clean("abcdef", limit) == expected


def test_a_cut_counts_what_is_seen():
    """Escapes do not count against the limit, and a text of nothing else is cut all the same."""
    assert clean("\x1b[31m" * 3 + "abc", 3) == "abc"
    assert clean("\x1b[31m" * 10_000 + "abc", 3) == "…"


@given(st.text(alphabet=st.characters(codec=None)), st.integers(1, 50))
def test_any_text_becomes_one_harmless_line(text, limit):
    """Whatever the text, the result is one line within the limit, and cleaning it again changes nothing."""
    done = clean(text, limit)
    kinds = {unicodedata.category(char) for char in done if char not in "\u200c\u200d"}
    assert kinds & {"Cc", "Cf", "Cs", "Zl", "Zp"} == set()
    assert len(done) <= limit
    assert clean(done, limit) == done


def test_lines_are_cleaned_one_by_one():
    """Captured output keeps its lines."""
    assert clean_lines("one\x1b[31m\ntwo\x00\n") == ["one", "two"]


def test_folding_spells_our_signs_and_escapes_the_rest():
    """Signs of ours become ASCII signs, foreign letters their escapes."""
    assert fold_to_ascii("3 µs · a…b 犬") == "3 us - a...b \\u72ac"
