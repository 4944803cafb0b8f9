"""Whether a sample opens numbered files in the order of their names as text: 1, 10, 11, 2."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence

from dldoctor.evidence.file_pairs import FrameOrder
from dldoctor.finding import SampleId
from dldoctor.probes.alignment.file_names import DIGITS, template
from dldoctor.probes.frames import shown_path

FEWEST = 4
"""Files of one kind in one folder that make a row of frames."""
EXAMPLE = 6


def frame_order(opened: Sequence[tuple[SampleId, Sequence[str]]], films: bool) -> FrameOrder | None:
    """Return what the order of numbered files tells; None where no sample opens a row of them."""
    rows = [(sample, row) for sample, files in opened if (row := _row(files))]
    as_text = [(sample, row) for sample, row in rows if row == sorted(row)]
    jumping = [(sample, row) for sample, row in as_text if _numbers(row) != sorted(_numbers(row))]
    if not rows:
        return None
    # One row that is in no order at all says that the order of names is not what the code goes by.
    wrong = jumping if len(as_text) == len(rows) else []
    example = tuple(os.path.basename(path) for path in _around_jump(wrong[0][1])) if wrong else ()
    return FrameOrder(
        samples=len(rows),
        wrong=tuple(sample for sample, _ in wrong),
        folder=shown_path(os.path.dirname(wrong[0][1][0])) if wrong else "",
        example=example,
        film=films,
    )


def _row(files: Sequence[str]) -> list[str]:
    """Return the files of one folder that differ in numbers alone, in the order in which they were opened."""
    groups: Mapping[str, list[str]] = defaultdict(list)
    for path in files:
        groups[os.path.join(os.path.dirname(path), template(os.path.basename(path)))].append(path)
    row = max(groups.values(), key=len, default=[])
    if len(row) < FEWEST or len(set(row)) < len(row):
        return []
    return row


def _all_numbers(path: str) -> list[int]:
    return [int(one) for one in DIGITS.findall(os.path.basename(path))]


def _numbers(row: Sequence[str]) -> list[list[int]]:
    return [_all_numbers(path) for path in row]


def _around_jump(row: Sequence[str]) -> Sequence[str]:
    """Return the files around the first one whose number is below that of the one before."""
    numbers = _numbers(row)
    at = next(at for at in range(1, len(row)) if numbers[at] < numbers[at - 1])
    start = max(0, min(at - EXAMPLE // 2, len(row) - EXAMPLE))
    return row[start : start + EXAMPLE]
