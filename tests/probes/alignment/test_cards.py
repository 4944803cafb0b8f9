"""Test cards: what the readers and a dataset's own memory give in place of pictures."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
import torch
from PIL import Image

from dldoctor.child.fork import run_in_fork
from dldoctor.probes.alignment import cards
from dldoctor.probes.alignment.card_readers import give_cards
from dldoctor.probes.alignment.held_cards import exchange
from dldoctor.probes.alignment.moved_points import Reading, compared
from dldoctor.probes.alignment.placement import Placement, placement
from dldoctor.probes.alignment.turns import grey, turn_of

WIDE, TALL = 60, 48


def noise(*shape: int) -> np.ndarray:
    return np.random.default_rng(len(shape)).integers(0, 256, shape, dtype=np.uint8)


@pytest.fixture(autouse=True)
def first_card() -> None:
    cards.use(0)


@pytest.mark.parametrize(
    "picture",
    [
        noise(TALL, WIDE, 3),
        noise(3, TALL, WIDE),
        noise(TALL, WIDE),
        torch.rand(3, TALL, WIDE),
        Image.fromarray(noise(TALL, WIDE, 3)),
        Image.fromarray(noise(TALL, WIDE).astype(np.uint16)),
    ],
)
def test_a_card_has_the_form_of_what_it_stands_for(picture: object) -> None:
    """A transform must not notice."""
    card = cards.card_of(picture)
    assert type(card) is type(picture) or isinstance(card, Image.Image)
    assert np.asarray(card).shape == np.asarray(picture).shape
    assert np.asarray(card).dtype == np.asarray(picture).dtype
    assert turn_of(grey(card), cards.pattern(0)) == "as stored"


def test_a_mask_keeps_two_of_its_own_values() -> None:
    """A transform may look classes up; a slope would hold values that no class has."""
    mask = np.zeros((TALL, WIDE), dtype=np.uint8)
    mask[5:20, 5:30] = 3
    mask[30:34, 5:9] = 7
    for number in (0, cards.ACROSS):
        cards.use(number)
        assert set(np.unique(cards.card_of(mask)).tolist()) == {0, 3}


@pytest.mark.parametrize("value", [noise(5, 2), noise(4), "text", 3, torch.rand(64, 4)])
def test_what_is_no_picture_stays(value: object) -> None:
    """Boxes, keypoints and labels come from the same files and lists."""
    assert cards.card_of(value) is value


class Pair(NamedTuple):
    picture: np.ndarray
    name: str


class Holder:
    def __init__(self) -> None:
        self.stack = noise(6, TALL, WIDE, 3)
        self.tensors = (torch.rand(6, 3, TALL, WIDE), torch.arange(6))
        self.rows = [{"image": noise(TALL, WIDE, 3), "boxes": noise(2, 4)} for _ in range(3)]
        self.pairs = [Pair(noise(TALL, WIDE), "a")]
        self.by_name = {"a": Image.fromarray(noise(TALL, WIDE, 3))}
        self.labels = noise(6)


def test_what_a_dataset_keeps_gives_cards_and_does_not_change() -> None:
    """Views and copies stand for the attributes."""
    kept = Holder()
    stack, before = kept.stack, kept.stack.copy()
    assert exchange(kept) == [
        "dataset.stack", "dataset.tensors", "dataset.rows", "dataset.pairs", "dataset.by_name",
    ]  # fmt: skip
    shown = [
        kept.stack[2],
        kept.tensors[0][1],
        kept.rows[1]["image"],
        kept.pairs[0].picture,
        kept.by_name["a"],
    ]
    assert [turn_of(grey(one), cards.pattern(0)) for one in shown] == ["as stored"] * 5
    assert (type(kept.stack[2]), type(kept.tensors[0][1])) == (np.ndarray, torch.Tensor)
    assert kept.rows[1]["boxes"].shape == (2, 4)
    assert kept.tensors[1].tolist() == [0, 1, 2, 3, 4, 5]
    assert isinstance(kept.pairs[0], Pair)
    assert (stack == before).all()


def read_by(reader: str, folder: Path) -> bool:
    """Whether a reader gives a card, tried in a process of its own."""
    Image.fromarray(noise(TALL, WIDE, 3)).save(folder / "a.png")
    np.save(folder / "a.npy", noise(TALL, WIDE, 3))

    def tried() -> bool:
        if reader.startswith("cv2"):
            import cv2
        if reader == "torchvision.io":
            import torchvision.io
        if reader == "h5py":
            import h5py

            with h5py.File(folder / "a.h5", "w") as file:
                file["images"] = noise(2, TALL, WIDE, 3)
        assert give_cards()
        path, content = str(folder / "a.png"), (folder / "a.png").read_bytes()
        shown = {
            "PIL": lambda: Image.open(io.BytesIO(content)).convert("L"),
            "numpy": lambda: np.load(folder / "a.npy"),
            "cv2": lambda: cv2.imread(path),
            "cv2 bytes": lambda: cv2.imdecode(np.frombuffer(content, np.uint8), cv2.IMREAD_COLOR),
            "torchvision.io": lambda: torchvision.io.read_image(path),
            "h5py": lambda: h5py.File(folder / "a.h5")["images"][1],
        }[reader]()
        return turn_of(grey(shown), cards.pattern(0)) == "as stored"

    found: bool = run_in_fork(str(folder), tried)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("reader", ["PIL", "numpy", "cv2", "cv2 bytes", "torchvision.io", "h5py"])
def test_readers_give_cards(reader: str, tmp_path: Path) -> None:
    """Whatever library reads the files."""
    if reader not in ("PIL", "numpy"):
        pytest.importorskip(reader.partition(" ")[0])
    assert read_by(reader, tmp_path)


def shown(matrix: list[list[float]], brightness: float = 1.0) -> list[torch.Tensor]:
    """The three cards as an affine transform shows them; the matrix maps the result to the picture."""
    planes = []
    for number in (0, cards.ACROSS, cards.DOWN):
        cards.use(number)
        plane = grey(cards.card_of(noise(TALL, WIDE, 3)))[None, None].float() / 255
        # `affine_grid` counts from -1 to 1, placements count from 0 to 1.
        grid = torch.nn.functional.affine_grid(torch.tensor([matrix]), [1, 1, 40, 50], align_corners=False)
        moved = torch.nn.functional.grid_sample(plane, grid, align_corners=False)[0, 0].double()
        planes.append((moved - 0.5) * brightness + 0.4)
    return planes


@pytest.mark.parametrize("brightness", [1.0, 0.6, 1.3])
@pytest.mark.parametrize(
    "matrix",
    [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        [[0.6, 0.0, 0.3], [0.0, 0.7, -0.2]],
        [[math.cos(0.4), -math.sin(0.4), 0.0], [math.sin(0.4), math.cos(0.4), 0.1]],
        [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]],
    ],
)
def test_a_placement_is_read_from_three_cards(matrix: list[list[float]], brightness: float) -> None:
    """Mirrored, cut, turned, and whatever its contrast."""
    found = placement(*shown(matrix, brightness))
    assert found is not None
    corners = torch.tensor([[0.3, 0.4], [0.7, 0.6], [0.5, 0.2]], dtype=torch.float64)
    table = torch.tensor(matrix, dtype=torch.float64)
    expected = ((corners * 2 - 1) @ table[:, :2].T + table[:, 2] + 1) / 2
    assert torch.allclose(found.back(corners), expected, atol=0.03)
    assert torch.allclose(found.forth(found.back(corners)), corners, atol=1e-6)


def test_a_picture_made_of_four_has_no_placement() -> None:
    """A mosaic follows no single map."""
    planes = shown([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    assert placement(*(torch.cat([torch.cat([one, one], 1)] * 2) for one in planes)) is None


WHOLE = Placement(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)))
MIRRORED = Placement(((-1.0, 0.0, 1.0), (0.0, 1.0, 0.0)))
CUT = Placement(((0.5, 0.0, 0.05), (0.0, 0.5, 0.05)))


def reading(place: Placement, rows: list[list[float]]) -> Reading:
    return Reading(place, (100, 100), torch.tensor(rows, dtype=torch.float64))


@pytest.mark.parametrize(
    ("place", "rows", "told"),
    [
        (MIRRORED, [[60.0, 20.0, 80.0, 50.0]], "follow"),
        (MIRRORED, [[20.0, 20.0, 40.0, 50.0]], "stay"),
        (MIRRORED, [[50.0, 70.0, 70.0, 90.0]], "elsewhere"),
        (CUT, [[20.0, 20.0, 40.0, 50.0]], "stay"),
        (WHOLE, [[20.0, 20.0, 40.0, 50.0]], None),
    ],
)
def test_boxes_follow_stay_or_lie_elsewhere(
    place: Placement, rows: list[list[float]], told: str | None
) -> None:
    """Where the picture put them is known from its placement."""
    assert compared(reading(WHOLE, [[20.0, 20.0, 40.0, 50.0]]), reading(place, rows), "boxes", "xyxy") == told


def test_boxes_of_an_unknown_format_follow_in_any() -> None:
    """As xywh the same box stands at another place."""
    one, other = [[20.0, 20.0, 20.0, 30.0]], [[60.0, 20.0, 20.0, 30.0]]
    assert compared(reading(WHOLE, one), reading(MIRRORED, other), "boxes", None) == "follow"


def test_a_box_in_the_middle_tells_nothing() -> None:
    """It stands there when mirrored, too."""
    box = [[40.0, 20.0, 60.0, 50.0]]
    assert compared(reading(WHOLE, box), reading(MIRRORED, box), "boxes", "xyxy") is None


def test_keypoints_may_change_their_places_in_the_table() -> None:
    """The left eye of a mirrored face is the other one."""
    eyes = [[30.0, 40.0], [60.0, 42.0]]
    mirrored = [[40.0, 42.0], [70.0, 40.0]]
    assert compared(reading(WHOLE, eyes), reading(MIRRORED, mirrored), "keypoints", None) == "follow"
    assert (
        compared(reading(WHOLE, [[30.0, 40.0]]), reading(MIRRORED, [[30.0, 40.0]]), "keypoints", None)
        == "stay"
    )
