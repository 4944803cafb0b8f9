"""Finds the samples whose tokens a batch row holds, and what their labels were before the collate."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass

from dldoctor.finding import SampleId
from dldoctor.probes.labels.trace import SampleTrace

ENOUGH = 2
INT32_MOST = 2**31 - 1
MASK_WORDS = ("assistant", "completion", "loss", "response", "answer", "train", "target", "label")


@dataclass(frozen=True)
class Part:
    """A stretch of a row that came from one sample."""

    sample: int
    """Position of the sample in its batch."""
    start: int
    length: int
    whole: int
    """Tokens that the sample had; more than `length` where the rest was cut."""
    skipped: int = 0
    """Tokens that were cut at the front."""
    padded: bool = False
    """The sample came padded, and its padding was taken off: its length says less than a text's own."""


@dataclass(frozen=True)
class Source:
    """The fields of the samples that become the token ids and labels of a group."""

    tokens: str
    labels: str | None = None
    mask: str | None = None
    """A field that marks targets."""
    prompt: str | None = None
    """A number that says how many tokens the prompt has."""


def source_of(
    rows: Sequence[array[int]], traces: Sequence[SampleTrace], tokens: str, labels: str | None
) -> Source | None:
    """Return the fields that most rows were made of, or None where rows cannot be traced."""
    paths = dict.fromkeys(path for trace in traces for path in trace.sequences)
    if not paths or not rows:
        return None
    ordered = sorted(paths, key=lambda path: (path != tokens, "attention" in path, "label" in path))
    for path in ordered[:6]:
        if _plain_flags([trace.sequences.get(path) for trace in traces]):
            continue
        found = [parts_of(row, number, traces, path) for number, row in enumerate(rows)]
        if sum(bool(one) for one in found) * 2 >= len(rows):
            return _with_beside(path, traces, labels)
    return None


def _plain_flags(sequences: Sequence[array[int] | None]) -> bool:
    return all(set(one) <= {0, 1} for one in sequences if one is not None)


def _with_beside(path: str, traces: Sequence[SampleTrace], labels: str | None) -> Source:
    beside = [one for one in dict.fromkeys(p for t in traces for p in t.sequences) if one != path]
    kept = [one for one in beside if all(_as_long(trace, one, path) for trace in traces)]
    found = next((one for one in kept if one == labels), None) or next(
        (one for one in kept if _is_labels(traces, one, path)), None
    )
    mask = next((one for one in kept if one != found and _marks_targets(traces, one)), None)
    prompt = next(
        (one for one in dict.fromkeys(p for t in traces for p in t.numbers)
         if "prompt" in one.lower() or one.lower().rpartition(".")[2] in ("source_len", "source_length")),
        None,
    )  # fmt: skip
    return Source(path, found, mask, prompt)


def _as_long(trace: SampleTrace, path: str, tokens: str) -> bool:
    one, other = trace.sequences.get(path), trace.sequences.get(tokens)
    return one is None or other is None or len(one) == len(other)


def _is_labels(traces: Sequence[SampleTrace], path: str, tokens: str) -> bool:
    if "label" not in path.lower() and "target" not in path.lower():
        return False
    return any(
        min(labels) < 0 and any(label == token for label, token in zip(labels, ids, strict=False))
        for trace in traces
        if (labels := trace.sequences.get(path)) and (ids := trace.sequences.get(tokens))
    )


def _marks_targets(traces: Sequence[SampleTrace], path: str) -> bool:
    if not any(word in path.lower() for word in MASK_WORDS):
        return False
    known = [trace.sequences[path] for trace in traces if path in trace.sequences]
    return (
        bool(known)
        and all(set(one) <= {0, 1} for one in known)
        and any(0 in one and 1 in one for one in known)
    )


def parts_of(row: array[int], number: int, traces: Sequence[SampleTrace], path: str) -> tuple[Part, ...]:
    """Return the stretches of a row that came from samples, from left to right."""
    if not traces:
        return ()
    own = number % len(traces)
    one = _found(row, own, traces, path)
    if one is not None and one.start + one.length >= len(row) - 1:
        return (one,)
    if one is not None and number < len(traces) and not _more(row, one, traces, path, number):
        return (one,)
    return _pack(row, traces, path) or ((one,) if one else ())


def _more(row: array[int], one: Part, traces: Sequence[SampleTrace], path: str, own: int) -> bool:
    """Whether another sample follows in the same row."""
    rest = row[one.start + one.length :]
    for other, trace in enumerate(traces):
        ids = trace.sequences.get(path)
        if other != own and ids is not None and len(ids) >= ENOUGH:
            head = ids[: min(len(ids), 16)]
            if rest[: len(head)] == head or rest[1 : 1 + len(head)] == head:
                return True
    return False


def _pack(row: array[int], traces: Sequence[SampleTrace], path: str) -> tuple[Part, ...]:
    parts: list[Part] = []
    at = 0
    data = row.tobytes()
    used = set[int]()
    while at < len(row):
        best: Part | None = None
        for number, trace in enumerate(traces):
            ids = trace.sequences.get(path)
            if number in used or ids is None or len(ids) < ENOUGH:
                continue
            place = _find(data, ids.tobytes(), at)
            if place >= 0 and (
                best is None or place < best.start or (place == best.start and len(ids) > best.length)
            ):
                best = Part(number, place, len(ids), len(ids))
        if best is None:
            break
        used.add(best.sample)
        parts.append(best)
        at = best.start + best.length
    return tuple(parts)


def _found(row: array[int], number: int, traces: Sequence[SampleTrace], path: str) -> Part | None:
    ids = traces[number].sequences.get(path)
    if ids is None or len(ids) < ENOUGH:
        return None
    place = _find(row.tobytes(), ids.tobytes(), 0)
    if place >= 0:
        return Part(number, place, len(ids), len(ids))
    return _cut(row, number, ids)


def _cut(row: array[int], number: int, ids: array[int]) -> Part | None:
    """A sample of which the end (or the beginning) was cut away."""
    head = _alike(row, ids)
    if head == len(row) < len(ids):
        return Part(number, 0, head, len(ids))
    tail = _alike(row[::-1], ids[::-1])
    if tail == len(row) < len(ids):
        return Part(number, 0, tail, len(ids), skipped=len(ids) - tail)
    # Cut, perhaps ended anew, and then padded to a fixed width. Texts that only begin alike go on.
    padded = len(set(row[head + 1 :])) <= 1
    return Part(number, 0, head, len(ids)) if padded and head >= max(8, len(ids) // 4) else None


def _alike(one: array[int], other: array[int]) -> int:
    most = min(len(one), len(other))
    if one[:most] == other[:most]:
        return most
    return next(at for at in range(most) if one[at] != other[at])


def _find(data: bytes, wanted: bytes, start: int) -> int:
    """Return the position, counted in elements, at which a row holds a sequence; -1 if it does not."""
    place = data.find(wanted, 4 * start)
    while place >= 0 and place % 4:
        place = data.find(wanted, place + 1)
    return place // 4 if place >= 0 else -1


def as_numbers(row: Sequence[int]) -> array[int]:
    """Return a row of ids as 32-bit numbers; what is larger is cut."""
    try:
        return array("i", row)
    except OverflowError:
        return array("i", [max(-INT32_MOST, min(INT32_MOST, one)) for one in row])


def sample_of(row: int, parts: Sequence[Part], rows: int, samples: Sequence[SampleId]) -> SampleId | None:
    """Return the sample whose tokens a row holds, the first of a pack."""
    if parts:
        return samples[parts[0].sample] if parts[0].sample < len(samples) else None
    if samples and rows % len(samples) == 0:
        return samples[row % len(samples)]
    return None
