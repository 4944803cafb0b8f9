"""Tables of boxes with something before the four numbers: a class, or the row of the picture and a class."""

from __future__ import annotations

from typing import Any

ROOM = 0.02
"""A box may leave its picture by so much of the side."""
MOSTLY = 0.9
"""Share of the rows that must be centre and size of a box within its picture."""
COLUMNS = (5, 6)


def box_columns(table: Any) -> Any:
    """Return the four columns of boxes of a table of rows; None where it has none.

    Of five or six columns those before the last four are whole numbers: a class, or the row of the picture
    and a class.
    """
    if table.ndim != 2 or table.shape[1] not in (4, *COLUMNS):
        return None
    head = table[:, :-4]
    return table[:, -4:] if bool((head == head.round()).all()) else None


def are_centres(boxes: Any) -> bool:
    """Whether rows are centres and sizes, in shares of the sides, of boxes that lie within a picture."""
    rows = boxes[~(boxes == boxes[:, :1]).all(1)]  # rows of zeros or of -1 fill a table up
    if not len(rows):
        return False
    middle, half = rows[:, :2], rows[:, 2:] / 2
    inside = (middle - half >= -ROOM) & (middle + half <= 1 + ROOM) & (half > 0)
    return float(inside.all(1).double().mean()) >= MOSTLY
