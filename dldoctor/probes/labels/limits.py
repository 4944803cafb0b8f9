"""At which length rows are cut, and what they would have been without the limit."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dldoctor.child.fork import RunDiedError
from dldoctor.child.session import Session
from dldoctor.evidence.label_rows import LabelRow
from dldoctor.evidence.labels import LimitTrial
from dldoctor.probes.labels.forked import asked_aside
from dldoctor.probes.labels.reach import reachable

_NAME = re.compile(
    r"max_?(seq_?|token_?|text_?|source_?|sample_?)?(len|length|tokens)|cutoff|truncat|block_size|seq_?len|context_len|^limit$|length_limit"
)
PILE = 0.02
"""Share of rows of one and the same greatest length from which on it is taken for a limit."""
FEWEST = 3
TIMES = 16
MOST_SAMPLES = 96
SECONDS = 5.0


class Setting(NamedTuple):
    """An attribute that holds the limit."""

    holder: Any
    name: str
    path: str
    value: int


def limit_of(
    rows: Sequence[LabelRow], declared: int | None, settings: Sequence[Setting]
) -> tuple[int | None, str]:
    """Return the length at which rows are cut, and how it is known; None where nothing says so."""
    lengths = [row.real for row in rows if row.real]
    if not lengths:
        return None, ""
    longest = max(lengths)
    if declared is not None and longest >= declared:
        return declared, "declared"
    for setting in settings:
        if setting.value == longest:
            return longest, setting.path
    held = sum(length == longest for length in lengths)
    # Texts that end by themselves may be of one length too; what was cut mostly does not end.
    if 2 * sum(row.eos_last for row in rows if row.real == longest) > held:
        return None, ""
    if held >= FEWEST and held >= PILE * len(lengths) and held < len(lengths):
        return longest, "rows"
    return None, ""


def settings_of(starts: Sequence[tuple[str, Any]]) -> list[Setting]:
    """Return attributes that are named like a limit of length."""
    found = []
    for start, one in starts:
        for path, holder in reachable(one, start):
            for name, value in list(vars(holder).items()) if hasattr(holder, "__dict__") else ():
                if type(value) is int and 1 < value < 1 << 24 and _NAME.search(name.lower()):
                    found.append(Setting(holder, name, f"{path}.{name}", value))
    return found


Measure = Callable[[Any], list[tuple[int, int, int]]]
"""Returns (real tokens, first target + 1, last target + 1) of each row of a batch; 0 where there is none."""


def try_without(
    pipeline: Any, session: Session, setting: Setting, rows: Sequence[LabelRow], measure: Measure
) -> LimitTrial | None:
    """Read samples again in a fork with the limit raised."""
    if not pipeline.by_index or pipeline.dataset is None:
        return None
    indices = _indices(rows)
    if not indices:
        return None
    session.note("getitem", indices[0])
    try:
        needs = asked_aside(session, lambda: _read(pipeline, session, setting, indices, measure))
    except RunDiedError:
        return None
    return _trial([tuple(one) for one in needs], setting)


def _indices(rows: Sequence[LabelRow]) -> list[int]:
    """Return samples in the order in which they came, without those of packs."""
    found = dict.fromkeys(row.sample for row in rows if isinstance(row.sample, int) and row.documents == 1)
    return list(found)[:MOST_SAMPLES]


def _read(
    pipeline: Any, session: Session, setting: Setting, indices: Sequence[int], measure: Measure
) -> list[tuple[int, int, int]]:
    setattr(setting.holder, setting.name, setting.value * TIMES)
    collate = pipeline.torch_loader.collate_fn
    needs: list[tuple[int, int, int]] = []
    until = time.monotonic() + SECONDS
    for index in indices:
        if time.monotonic() > until:
            break
        session.note("getitem", index)
        try:
            needs += measure(collate([pipeline.dataset[index]]))
        except Exception:  # noqa: BLE001, S112 - the user's code, under a setting that it was not made for
            continue
    return needs


def _trial(needs: Sequence[tuple[int, ...]], setting: Setting) -> LimitTrial | None:
    if not needs:
        return None
    limit = setting.value
    lengths = [one[0] for one in needs]
    with_targets = [one for one in needs if one[2] > 0]
    lasts, firsts = sorted(one[2] for one in with_targets), sorted(one[1] for one in with_targets)
    return LimitTrial(
        attribute=setting.path,
        limit=limit,
        samples=len(needs),
        cut=sum(length > limit for length in lengths),
        answers_cut=sum(one[2] > limit for one in with_targets),
        longest=max(lengths),
        keeps_95=at_share(lasts, 0.95),
        keeps_99=at_share(lasts, 0.99),
        first_95=at_share(firsts, 0.95),
    )


def at_share(ordered: Sequence[int], share: float) -> int | None:
    """Return the smallest value that covers a share of an ascending series."""
    if not ordered:
        return None
    place = min(len(ordered) - 1, max(0, -(-int(share * 1000) * len(ordered) // 1000) - 1))
    return ordered[place]
