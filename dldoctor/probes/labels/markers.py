"""The ids that announce an answer and the ids that change the speaker."""

from __future__ import annotations

import re
import types
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dldoctor.evidence.labels import Marker
from dldoctor.probes.frames import is_first_party
from dldoctor.probes.labels.reach import reachable
from dldoctor.probes.labels.vocabulary import Tokenizer

_NAME = re.compile(
    r"(response|answer|assistant|completion|output|reply)\w*(template|marker|token|ids|prefix|tag|start|header|key)"
    r"|^_?(marker|response_template|answer_start)\w*$",
    re.IGNORECASE,
)
LONGEST = 16
COMMON = 0.8
"""Share of good rows that must agree on what stands before their first target."""
SPEAKERS = {
    "system": "system", "user": "user", "human": "user", "prompter": "user", "assistant": "assistant", "model": "assistant",
    "gpt": "assistant", "bot": "assistant", "tool": "tool", "observation": "tool",
}  # fmt: skip
OTHER = "other"
_OPENERS = ("im_start", "start_header_id", "start_of_turn", "start_of_role")


def declared_marker(starts: Sequence[tuple[str, Any]], tokenizer: Tokenizer | None) -> Marker | None:
    """Return the marker that the user's code names, if it does."""
    for start, one in starts:
        for path, holder in reachable(one, start):
            for step, value in _named(holder):
                if not _NAME.search(step):
                    continue
                ids = _as_ids(value, tokenizer)
                if ids and len(ids) <= LONGEST:
                    text = value if isinstance(value, str) else _text(ids, tokenizer)
                    return Marker(ids, f"{path}.{step}", text=text)
    return None


def _named(holder: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(holder, types.FunctionType):
        yield from _of_function(holder)
        return
    kind = type(holder)
    yield from (vars(holder) if hasattr(holder, "__dict__") else {}).items()
    for base in kind.__mro__:
        for step, value in vars(base).items():
            if isinstance(value, types.FunctionType) and is_first_party(value.__code__.co_filename):
                yield from _of_function(value)
            elif not step.startswith("__"):
                yield step, value


def _of_function(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    for step in function.__code__.co_names:
        if step in function.__globals__:
            yield step, function.__globals__[step]
    for step, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=False):
        try:
            yield step, cell.cell_contents
        except ValueError:
            continue


def _as_ids(value: Any, tokenizer: Tokenizer | None) -> tuple[int, ...] | None:
    if isinstance(value, (list, tuple)) and value and all(type(one) is int for one in value):
        return tuple(value)
    if isinstance(value, str) and value.strip() and len(value) < 200 and tokenizer is not None:
        return tokenizer.ids(value)
    return None


def _text(ids: Sequence[int], tokenizer: Tokenizer | None) -> str:
    return "".join(tokenizer.text(one) for one in ids) if tokenizer is not None else ""


def learned_marker(heads: Sequence[tuple[int, ...]], tokenizer: Tokenizer | None) -> Marker | None:
    """Return what stands before the first target of most good rows: the longest end that they share.

    `heads` are the ids before the first target, at most `LONGEST` of them.
    """
    good = [head for head in heads if head]
    if len(good) < 4:
        return None
    ids: tuple[int, ...] = ()
    for length in range(1, LONGEST + 1):
        ends = Counter(head[-length:] for head in good if len(head) >= length)
        top, count = ends.most_common(1)[0] if ends else ((), 0)
        if count < COMMON * len(good):
            break
        ids = top
    if tokenizer is not None:  # words before the first special token belong to the question
        starts = [at for at, one in enumerate(ids) if one in tokenizer.special]
        ids = ids[starts[0] :] if starts else ids
        if all(one in tokenizer.placeholders for one in ids):
            return None  # what is ignored is a picture in front of the text, and announces no answer
    return Marker(ids, "rows", text=_text(ids, tokenizer)) if ids else None


def occurrences(row: array[int], ids: Sequence[int]) -> int:
    """Return how often a row holds the marker."""
    wanted = array("i", ids)
    data, sought = row.tobytes(), wanted.tobytes()
    count, at = 0, data.find(sought)
    while at >= 0:
        count += at % 4 == 0
        at = data.find(sought, at + 4 - at % 4)
    return count


def nearest(row: Sequence[int], ids: Sequence[int]) -> tuple[int, ...]:
    """Return the stretch of a row that shares most ids with the marker, in place."""
    best: tuple[int, ...] = ()
    most = 0
    size = len(ids)
    for at in range(max(0, len(row) - size) + 1):
        part = row[at : at + size]
        alike = sum(one == other for one, other in zip(part, ids, strict=False))
        if alike > most:
            best, most = tuple(part), alike
    return best


def with_nearest(
    marker: Marker, row: Sequence[int], place: tuple[int, int], tokenizer: Tokenizer | None
) -> Marker:
    """Return the marker with what comes nearest to it in a row that lacks it."""
    found = nearest(row, marker.ids)
    return (
        replace(marker, nearest=found, nearest_row=place, nearest_text=_text(found, tokenizer))
        if found
        else marker
    )


@dataclass(frozen=True)
class Speakers:
    """Sequences of ids after which somebody else speaks."""

    starts: tuple[tuple[tuple[int, ...], str], ...]

    def of(self, ids: Any) -> dict[str, Any]:
        """Return, for each speaker, flags of the tokens that are theirs."""
        import torch

        names = ["", *dict.fromkeys(name for _, name in self.starts)]
        marks = torch.zeros_like(ids)
        for sequence, name in self.starts:
            marks = torch.where(hits(ids, sequence), torch.tensor(names.index(name)), marks)
        places = torch.arange(ids.shape[1]).expand_as(ids).masked_fill(marks == 0, 0)
        spoken = marks.gather(1, torch.cummax(places, dim=1).values)
        return {name: spoken == number for number, name in enumerate(names) if number}

    def answers(self, ids: Any) -> Any:
        """Return flags of the positions at which the assistant begins to speak."""
        import torch

        found = torch.zeros_like(ids, dtype=torch.bool)
        for sequence, name in self.starts:
            if name == "assistant":
                found |= hits(ids, sequence)
        return found


def hits(ids: Any, sequence: Sequence[int]) -> Any:
    """Return flags ``[rows, width]`` of the positions at which a sequence of ids begins."""
    import torch

    found = ids == sequence[0]
    for step, one in enumerate(sequence[1:], start=1):
        moved = torch.zeros_like(found)
        moved[:, :-step] = ids[:, step:] == one
        found &= moved
    return found


def speakers_of(tokenizer: Tokenizer | None) -> Speakers | None:
    """Return the speakers that a tokenizer's special tokens name; None where it names no two."""
    if tokenizer is None:
        return None
    found: list[tuple[tuple[int, ...], str]] = []
    for one in sorted(tokenizer.special)[:512]:
        text = tokenizer.text(one).lower()
        word = next((w for w in SPEAKERS if re.search(rf"(?<![a-z]){w}(?![a-z])", text)), None)
        if word and "end" not in text and "/" not in text:
            found.append(((one,), SPEAKERS[word]))
        elif any(opener in text for opener in _OPENERS):
            found.append(((one,), OTHER))  # whoever speaks now, it is not who spoke before
            for word, speaker in SPEAKERS.items():
                ids = tokenizer.ids(word)
                if ids and len(ids) <= LONGEST:
                    found.append(((one, *ids), speaker))
    return Speakers(tuple(found)) if len({name for _, name in found} - {OTHER}) >= 2 else None
