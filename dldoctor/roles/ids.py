"""What values say of names, classes and times of samples."""

from __future__ import annotations

from dldoctor.roles.leaf import Leaf
from dldoctor.roles.vote import Field, Rule, Vote

ENOUGH = 8
"""Values needed before "all different" or "some repeat" means something."""
MAX_CLASSES = 1000


def own_id(field: Field) -> Vote | None:
    """Names or numbers of which no two are alike."""
    leaf, scene = field.leaf, field.scene
    if len(leaf.shape) != 1:
        return None
    if leaf.form == "text":
        return _named(leaf)
    if leaf.form != "int" or leaf.values is None or leaf.shape[0] != leaf.table.numel():
        return None
    numbers = leaf.table.tolist()
    if len(scene.ids) == len(numbers) >= 2 and list(scene.ids) == numbers:
        return Vote("sample_id", 0.9 if len(numbers) >= ENOUGH else 0.7, "the index of the sample")
    if (
        len(numbers) >= ENOUGH
        and leaf.distinct == len(numbers)
        and leaf.low >= 0
        and leaf.high >= MAX_CLASSES
    ):
        return Vote("sample_id", 0.5, "whole numbers of which no two are alike")
    return None


def _named(leaf: Leaf) -> Vote | None:
    texts = leaf.texts
    if len(texts) < 2 or leaf.distinct < len(texts) or any(not text or " " in text.strip() for text in texts):
        return None
    paths = sum("/" in text or "." in text[1:] for text in texts) / len(texts)
    digits = sum(any(letter.isdigit() for letter in text) for text in texts) / len(texts)
    sure = 0.7 if paths > 0.5 or digits > 0.5 else 0.45
    return Vote(
        "sample_id", sure if len(texts) >= ENOUGH else sure - 0.2, "short texts of which no two are alike"
    )


def class_label(field: Field) -> Vote | None:
    """One whole number (or short text) a row, some of them alike."""
    leaf = field.leaf
    if len(leaf.shape) == 2 and leaf.form == "float" and leaf.values is not None:
        return _one_hot(leaf)
    if len(leaf.shape) != 1 or leaf.shape[0] < 2:
        return None
    if leaf.form == "text":
        short = all(len(text) <= 40 and " " not in text.strip() for text in leaf.texts)
        repeats = leaf.distinct < len(leaf.texts)
        return Vote("class_label", 0.45, "short texts, some alike") if short and repeats else None
    if leaf.values is None or leaf.form != "int" or leaf.low < 0 or leaf.high >= MAX_CLASSES:
        return None
    if leaf.distinct < leaf.table.numel():
        if _ends_a_pair(field):
            return Vote(
                "class_label", 0.75, f"a whole number up to {leaf.high:.0f} in second place after a picture"
            )
        return Vote("class_label", 0.55, f"whole numbers up to {leaf.high:.0f}, some alike")
    return (
        Vote("class_label", 0.4, f"whole numbers up to {leaf.high:.0f}") if leaf.shape[0] < ENOUGH else None
    )


def _ends_a_pair(field: Field) -> bool:
    """Whether the field is what torchvision's datasets call the target: ``(picture, target)``."""
    rows = field.leaf.shape[0]
    pictures = [
        path
        for path, pixels in field.scene.others(field.scene.pixels, field.path)
        if pixels.shape[:1] == (rows,)
    ]
    return field.path == "1" and pictures == ["0"] and set(field.scene.leaves) == {"0", "1"}


def _one_hot(leaf: Leaf) -> Vote | None:
    table = leaf.table
    if table.ndim != 2 or leaf.low < 0 or table.shape[1] < 2 or leaf.total < 4:
        return None
    sums = table.sum(dim=1)
    if bool(((sums - 1).abs() < 1e-3).all()):
        return Vote("class_label", 0.6, f"shares of {table.shape[1]} classes that add up to 1")
    return None


def times(field: Field) -> Vote | None:
    """Pairs of real numbers, the second after the first."""
    leaf = field.leaf
    if leaf.form != "float" or leaf.values is None or len(leaf.shape) < 2 or leaf.shape[-1] != 2:
        return None
    if leaf.table.shape[-1:] != (2,):  # only a part was kept
        return None
    table = leaf.table.reshape(-1, 2)
    if table.shape[0] >= 2 and leaf.low >= 0 and bool((table[:, 1] > table[:, 0]).all()):
        return Vote("timestamps", 0.5, "pairs of times, the second after the first")
    return None


def images_per_row(field: Field) -> Vote | None:
    """One whole number a row that adds up to the number of images."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.form != "int" or leaf.values is None or len(leaf.shape) != 1 or leaf.shape[0] < 2 or leaf.low < 0:
        return None
    rows = leaf.shape[0]
    for other, pixels in scene.others(scene.pixels, path):
        if (
            pixels.shape
            and pixels.shape[0] != rows
            and int(leaf.table.sum()) == pixels.shape[0]
            and leaf.high > 0
        ):
            return Vote("image_counts", 0.75, f"adds up to the {pixels.shape[0]} images of `{other}`")
    return None


RULES: tuple[Rule, ...] = (own_id, class_label, times, images_per_row)
