"""What values say of boxes and of the fields that have one entry a box."""

from __future__ import annotations

from dldoctor.roles.box_tables import COLUMNS, are_centres, box_columns
from dldoctor.roles.leaf import Leaf
from dldoctor.roles.names import name_votes
from dldoctor.roles.vote import Field, Rule, Vote

FEWEST = 4
"""Different numbers in a table before they may be boxes."""


def boxes(field: Field) -> Vote | None:
    """Four numbers a row that can be corners, or centre and size, within an image."""
    leaf, scene = field.leaf, field.scene
    if leaf.values is None or leaf.form == "bool" or len(leaf.shape) not in (2, 3) or leaf.shape[-1] != 4:
        return None
    if leaf.table.shape[-1:] != (4,):  # only a part was kept
        return None
    rows = leaf.table.reshape(-1, 4)
    if not rows.shape[0] or leaf.low < 0 or leaf.distinct < 4:
        return None
    corners = bool(((rows[:, 2] > rows[:, 0]) & (rows[:, 3] > rows[:, 1])).all())
    normal = leaf.form == "float" and leaf.high <= 1
    if not corners and not normal and leaf.form == "int":
        return None
    shape = "as corners" if corners else "from 0 to 1" if normal else "that are not negative"
    sure = (0.75 if corners or normal else 0.6) if scene.pixels else 0.4
    return Vote("boxes", sure, f"rows of four numbers {shape}")


def labelled_boxes(field: Field) -> Vote | None:
    """A class and four shares of the sides a row, as YOLO's tables hold them; in a batch behind the picture's row."""
    leaf, scene = field.leaf, field.scene
    columns = leaf.shape[-1] if leaf.shape else 0
    if leaf.values is None or leaf.form != "float" or len(leaf.shape) not in (2, 3) or columns not in COLUMNS:
        return None
    if leaf.table.shape[-1:] != (columns,) or leaf.distinct < FEWEST or not scene.pixels:
        return None
    boxes = box_columns(leaf.table.reshape(-1, columns))
    if boxes is None or not are_centres(boxes):
        return None
    return Vote(
        "boxes",
        0.75,
        "a class and a box in shares of the sides a row"
        if columns == 5
        else "the row of a picture, a class and a box in shares of its sides a row",
    )


def box_row(field: Field) -> Vote | None:
    """One number a box that rises from row to row."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.values is None or not leaf.integral or len(leaf.shape) != 1 or leaf.low < 0:
        return None
    for other, frame in scene.others(scene.boxes, path):
        rises = bool((leaf.table[1:] >= leaf.table[:-1]).all())
        rows = max(
            (pixels.shape[0] for _, pixels in scene.others(scene.pixels, path) if pixels.shape), default=0
        )
        if len(frame.shape) == 2 and frame.shape[0] == leaf.shape[0] and rises and leaf.high < rows:
            return Vote("box_row", 0.88, f"rises over the boxes of `{other}`, below the number of images")
    return None


def _rival(field: Field) -> bool:
    """Whether another field of one int a box is the class: beside it a float is an area, an int a flag or a track."""
    own = field.leaf
    ints = [
        path
        for path, leaf in field.scene.leaves.items()
        if path != field.path
        and leaf.form == "int"
        and leaf.values is not None
        and leaf.low >= 0
        and leaf.shape == own.shape
        and leaf.lengths == own.lengths
        and path not in field.scene.boxes
        and not box_row(Field(path, leaf, field.scene))
    ]
    if own.form == "float":
        return bool(ints)
    named = {path for path in (field.path, *ints) if _is_called_class(path, field.scene.leaves[path])}
    return field.path not in named and bool(named)


def _is_called_class(path: str, leaf: Leaf) -> bool:
    return any(vote.role == "class_label" for vote in name_votes(path, leaf))


def box_class(field: Field) -> Vote | None:
    """One whole number a box."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if (
        leaf.values is None
        or not leaf.integral
        or leaf.low < 0
        or leaf.distinct > 2000
        or leaf.form == "bool"
        or _rival(field)
    ):
        return None
    for other, frame in scene.others(scene.boxes, path):
        if frame.lengths is not None and frame.lengths == leaf.lengths:
            return Vote("class_label", 0.8, f"one whole number for each box of `{other}`")
        if len(frame.shape) == 3 and leaf.shape == frame.shape[:2]:
            return Vote("class_label", 0.75, f"one whole number for each box of `{other}`")
        flat = leaf.shape in ((frame.shape[0],), (frame.shape[0], 1))
        if len(frame.shape) == 2 and frame.lengths is None and flat and not box_row(field):
            return Vote("class_label", 0.75, f"one whole number for each box of `{other}`")
    return None


RULES: tuple[Rule, ...] = (boxes, labelled_boxes, box_row, box_class)
