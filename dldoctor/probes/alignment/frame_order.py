"""Whether a sample opens numbered files in the order of their names as text: 1, 10, 11, 2."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from dldoctor.evidence.file_pairs import FrameOrder
from dldoctor.finding import SampleId
from dldoctor.probes.alignment.file_names import DIGITS, template
from dldoctor.probes.arrays import is_array
from dldoctor.probes.frames import shown_path

FEWEST = 4
"""Files of one kind in one folder that make a row of frames."""
EXAMPLE = 6
CHANNELS = (1, 3, 4)


def frame_order(opened: Sequence[tuple[SampleId, Sequence[str]]], films: bool) -> FrameOrder | None:
    """Return what the order of numbered files tells; None where no sample opens a row of them."""
    rows = [(sample, row) for sample, files in opened if (row := _row(files))]
    if not rows:
        return None
    as_text = [(sample, row) for sample, row in rows if row == sorted(row)]
    jumping = [(sample, row) for sample, row in as_text if _numbers(row) != sorted(_numbers(row))]
    # One row that is not in the order of names, be it in that of numbers or in none, says that the code
    # goes by something else. A window in which both orders are the same contradicts neither.
    wrong = jumping if len(as_text) == len(rows) else []
    alike = len(as_text) - len(jumping)
    example = tuple(os.path.basename(path) for path in _around_jump(wrong[0][1])) if wrong else ()
    return FrameOrder(
        samples=len(rows),
        wrong=tuple(sample for sample, _ in wrong),
        folder=shown_path(os.path.dirname(wrong[0][1][0])) if wrong else "",
        example=example,
        film=films,
        alike=alike,
    )


def is_volume(value: Any, files: int) -> bool:
    """Whether opened files lie behind the channels (3, files, height, width), as convolutions over time take them.

    Where they lie before them, it may as well be a set of pictures.
    """
    shape = tuple(value.shape) if is_array(value) else ()
    return len(shape) == 4 and shape[0] in CHANNELS and shape[1] == files >= FEWEST


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
