"""What each shown token has to predict, as the labels of its row stand."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TypeVar

from dldoctor.evidence.labels import LabelGroup, ShownToken
from dldoctor.render.clean_text import clean

Aim = TypeVar("Aim")

_MARKS = {"\r\n": "↵", "\n": "↵", "\r": "↵", "\t": "⇥"}
"""Breaks of lines are part of a chat template, and a blank in their place would hide them."""


def shown_text(text: str, number: int) -> str:
    """Return a token as it is shown: decoded, or else its id."""
    for sign, mark in _MARKS.items():
        text = text.replace(sign, mark)
    return clean(text, 24) if text else str(number)


def text_of(token: ShownToken) -> str:
    """Return what stands in the input at a position."""
    return shown_text(token.text, token.id)


def aim_of(group: LabelGroup, token: ShownToken) -> str:
    """Return the word that a position is to name, where that is no token of the row; else nothing."""
    if token.role != "trained" or token.label is None or token.label == token.id:
        return ""
    return shown_text(token.label_text, token.label) if group.label_kind in ("mlm", "other") else ""


def aims(group: LabelGroup, tokens: Sequence[ShownToken]) -> tuple[str, ...]:
    """Say of the first and the last target what predicts it."""
    trained = [one for one in tokens if one.role == "trained"]
    if group.decoder:
        return _sequence(trained)
    if group.label_kind in ("mlm", "classes", "other"):
        return tuple(_at_its_place(group, one) for one in _ends(trained))
    pairs = [(one, two) for one, two in pairwise(tokens) if two.at == one.at + 1 and two.role == "trained"]
    return tuple(
        f"position {one.at} (`{text_of(one)}`) predicts `{text_of(two)}`" for one, two in _ends(pairs)
    )


def _sequence(trained: Sequence[ShownToken]) -> tuple[str, ...]:
    if not trained:
        return ()
    first, last = (f"`{text_of(one)}` (position {one.at})" for one in (trained[0], trained[-1]))
    return (f"the labels are a sequence of their own, from {first} to {last}",)


def _at_its_place(group: LabelGroup, token: ShownToken) -> str:
    place = f"position {token.at} (`{text_of(token)}`)"
    if group.label_kind == "classes":
        return f"{place} has class {token.label}"
    aim = aim_of(group, token)
    if group.label_kind == "other":
        return f"{place} has the label `{aim or text_of(token)}`"
    return f"{place} predicts its own word, `{aim}`" if aim else f"{place} predicts itself"


def _ends(found: Sequence[Aim]) -> Sequence[Aim]:
    return found if len(found) < 2 else [found[0], found[-1]]
