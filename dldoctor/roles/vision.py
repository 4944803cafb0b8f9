"""What values say of images and of the fields that lie beside them."""

from __future__ import annotations

from dldoctor.roles.leaf import Leaf
from dldoctor.roles.vote import Field, Rule, Scene, Vote

MIN_SIDE = 8
"""An image is at least so many pixels high and wide."""
FEW_VALUES = 16
"""A grey picture has more values; a mask of classes seldom has."""
PATCH_WIDTHS = frozenset(3 * side * side * frames for side in (8, 14, 16, 28, 32) for frames in (1, 2))
"""Numbers of a flattened patch of a colour image."""


def image_plane(leaf: Leaf) -> tuple[int, int] | None:
    """Return height and width of images in either channel order; 0 where they differ."""
    shape = leaf.shape
    if len(shape) < 4:
        return (shape[-2], shape[-1]) if len(shape) == 3 else None
    if shape[-3] in (1, 3, 4):
        return shape[-2], shape[-1]
    return (shape[-3], shape[-2]) if shape[-1] in (1, 3, 4) else None


def pixel_values(field: Field) -> Vote | None:
    """Pillow images, or tensors with a channel axis beside two large ones."""
    leaf, scene = field.leaf, field.scene
    if leaf.form == "image":
        return Vote("pixel_values", 0.95, "Pillow images")
    if leaf.values is None or leaf.form == "bool" or (leaf.form == "int" and not leaf.unsigned_bytes):
        return None
    if leaf.distinct <= 2 and leaf.low < -1e4:
        return None
    if len(leaf.shape) >= 4:
        return _with_channels(leaf)
    return _patches(leaf, scene) if leaf.form == "float" else _grey(leaf)


def _with_channels(leaf: Leaf) -> Vote | None:
    shape = leaf.shape
    first = shape[-3] in (1, 3, 4) and all(side >= MIN_SIDE or side == 0 for side in shape[-2:])
    last = shape[-1] in (1, 3, 4) and all(side >= MIN_SIDE or side == 0 for side in shape[-3:-1])
    if not first and not last:
        return None
    channels = shape[-3] if first else shape[-1]
    kind = "bytes" if leaf.unsigned_bytes else "real numbers"
    size = "x".join(str(side) if side else "?" for side in shape[1:])
    if channels == 3:
        # With five axes or more it may be a film as well as tiles: the name decides.
        sure = 0.9 if len(shape) == 4 else 0.8
    else:
        flat = leaf.binary if leaf.form == "float" else leaf.distinct <= FEW_VALUES
        sure = 0.45 if flat else 0.88 if shape[-1] == shape[-2] and first else 0.65
    return Vote("pixel_values", sure, f"{size} {kind} with {channels} channel{'s' if channels > 1 else ''}")


def video(field: Field) -> Vote | None:
    """Several colour images a row."""
    leaf = field.leaf
    if len(leaf.shape) != 5 or leaf.shape[1] == 1 or leaf.values is None or not _with_channels(leaf):
        return None
    return Vote("video", 0.5, "several images a row")


def _patches(leaf: Leaf, scene: Scene) -> Vote | None:
    if leaf.shape and leaf.shape[-1] in PATCH_WIDTHS and len(leaf.shape) in (2, 3) and leaf.lengths is None:
        width = leaf.shape[-1]
        rows = leaf.shape[0]
        for other, grid in scene.leaves.items():
            if other != path_of(scene, leaf) and _grid_rows(grid) == rows:
                return Vote(
                    "pixel_values", 0.95, f"{rows} patches of {width} numbers, as many as `{other}` says"
                )
        # 768 and 1536 are also usual widths of embeddings; multiples of 588 are not.
        sure = 0.7 if width % 588 == 0 else 0.45
        return Vote("pixel_values", sure, f"rows of {width} numbers, as colour patches have")
    return _grey(leaf)


def path_of(scene: Scene, leaf: Leaf) -> str:
    """Return the path of a leaf that is in the scene."""
    return next((path for path, other in scene.leaves.items() if other is leaf), "")


def _grey(leaf: Leaf) -> Vote | None:
    if len(leaf.shape) != 3 or any(0 < side < MIN_SIDE for side in leaf.shape[1:]):
        return None
    if leaf.unsigned_bytes and leaf.distinct > FEW_VALUES:
        return Vote("pixel_values", 0.7, "bytes in planes, as of grey images")
    if leaf.form == "float" and leaf.distinct > FEW_VALUES and leaf.shape[-1] == leaf.shape[-2]:
        return Vote("pixel_values", 0.5, "square planes of real numbers")
    return None


def _grid_rows(leaf: Leaf) -> int | None:
    if (
        leaf.form != "int"
        or len(leaf.shape) != 2
        or leaf.shape[1] != 3
        or leaf.values is None
        or leaf.low < 1
    ):
        return None
    return int(leaf.table.prod(dim=1).sum())


def image_grid(field: Field) -> Vote | None:
    """Three numbers an image whose products add up to the patches."""
    path, leaf, scene = field.path, field.leaf, field.scene
    rows = _grid_rows(leaf)
    if rows is None:
        return None
    for other, pixels in scene.leaves.items():
        if other != path and pixels.form == "float" and len(pixels.shape) == 2 and pixels.shape[0] == rows:
            return Vote("image_grid", 0.98, f"the products add up to the {rows} rows of `{other}`")
    return None


def patch_shapes(field: Field) -> Vote | None:
    """Two numbers an image whose product is at most the patches of a row."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if (
        leaf.form != "int"
        or len(leaf.shape) != 2
        or leaf.shape[1] != 2
        or leaf.values is None
        or leaf.low < 1
    ):
        return None
    for other, pixels in scene.others(scene.pixels, path):
        if len(pixels.shape) == 3 and pixels.shape[0] == leaf.shape[0]:
            most = int(leaf.table.prod(dim=1).max())
            if pixels.shape[1] // 2 <= most <= pixels.shape[1]:
                return Vote(
                    "image_grid", 0.86, f"the product is at most the {pixels.shape[1]} patches of `{other}`"
                )
    return None


def image_sizes(field: Field) -> Vote | None:
    """Two whole numbers an image, as height and width are."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.values is None or not leaf.integral or len(leaf.shape) != 2 or leaf.shape[1] != 2 or leaf.low < 2:
        return None
    for other, pixels in scene.others(scene.pixels, path):
        plane = image_plane(pixels)
        if plane and plane[0] and leaf.shape[0] == pixels.shape[0]:
            pairs = leaf.table.max(dim=0).values.tolist()
            if sorted(pairs) == sorted(plane):
                return Vote("image_sizes", 0.88, f"at most the height and width of `{other}`")
        listed = {tuple(size[-2:]) for size in pixels.sizes}
        given = {tuple(row) for row in leaf.table.tolist()}
        if listed and (given == listed or {pair[::-1] for pair in given} == listed):
            return Vote("image_sizes", 0.9, f"the sizes of `{other}`")
    if leaf.low > 16:
        return Vote(
            "image_sizes", 0.7 if scene.pixels else 0.5, "pairs of whole numbers, as height and width are"
        )
    return None


def pixel_mask(field: Field) -> Vote | None:
    """Flags as large as the images, on in a corner of each."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if not leaf.binary or len(leaf.shape) < 2 or leaf.form == "float":
        return None
    for other, pixels in scene.others(scene.pixels, path):
        plane = image_plane(pixels)
        if plane and leaf.shape[0] == pixels.shape[0] and leaf.shape[-2:] == plane and 0 not in plane:
            if _rectangles(leaf):
                sure = 0.88 if leaf.low == 0 else 0.6
                return Vote(
                    "pixel_mask", sure, f"flags as large as `{other}`, on in a rectangle from its corner"
                )
        elif len(pixels.shape) == 3 and leaf.shape == pixels.shape[:2] and not plane_is_square(pixels):
            return Vote("pixel_mask", 0.86, f"one flag for each patch of `{other}`")
    return None


def plane_is_square(leaf: Leaf) -> bool:
    """Whether the last two axes are equally long."""
    return leaf.shape[-1] == leaf.shape[-2]


def _rectangles(leaf: Leaf) -> bool:
    if leaf.table.shape[1:] != leaf.shape[1:]:
        return False
    for plane in leaf.table.reshape(-1, *leaf.shape[-2:])[:16].bool():
        rows, columns = plane.any(dim=1), plane.any(dim=0)
        if int(plane.sum()) != int(rows.sum()) * int(columns.sum()):
            return False
        if bool(plane.any()) and not bool(plane[0, 0]):
            return False
    return True


def segmentation_mask(field: Field) -> Vote | None:
    """Few whole numbers in planes as large as the images."""
    path, leaf, scene = field.path, field.leaf, field.scene
    if leaf.values is None or not leaf.integral or len(leaf.shape) not in (3, 4):
        return None
    if leaf.form == "float" and not leaf.binary:
        return None
    for other, pixels in scene.others(scene.pixels, path):
        plane = image_plane(pixels)
        trailing = leaf.shape[-2:]
        fits = plane == trailing and 0 not in trailing
        listed = pixels.sizes and len(pixels.sizes) == len(leaf.sizes)
        fits = fits or bool(
            listed and all(a[-2:] == b[-2:] for a, b in zip(leaf.sizes, pixels.sizes, strict=True))
        )
        if fits and not (leaf.form != "float" and _rectangles(leaf) and leaf.binary):
            return Vote("segmentation_mask", 0.88, f"whole numbers in planes as large as `{other}`")
    return None


RULES: tuple[Rule, ...] = (
    pixel_values,
    video,
    image_grid,
    patch_shapes,
    image_sizes,
    pixel_mask,
    segmentation_mask,
)
