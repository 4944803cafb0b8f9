"""Texts that a stream carries over, told by the archives; and the order of numbered files."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest
import torch

from dldoctor.evidence.file_pairs import CarriedText
from dldoctor.finding import StreamPosition
from dldoctor.probes.alignment.carried import CarriedTexts
from dldoctor.probes.alignment.frame_order import frame_order
from dldoctor.probes.alignment.items import Item

TEXTS = ["a red one", "a blue one", "", "a green one", "a red one", ""]


def archive(folder: Path, texts: list[str]) -> str:
    path = folder / "a.tar"
    with tarfile.open(path, "w") as file:
        for number, text in enumerate(texts):
            members = {"bin": bytes([number]) * 9, **({"txt": text.encode()} if text else {})}
            for ending, content in members.items():
                member = tarfile.TarInfo(f"{number:04d}.{ending}")
                member.size = len(content)
                file.addfile(member, io.BytesIO(content))
    return str(path)


def seen(path: str, texts: list[str], pictures: list[int] | None = None) -> CarriedText | None:
    found = CarriedTexts()
    for number, text in enumerate(texts):
        picture = number if pictures is None else pictures[number]
        item = Item(StreamPosition(0, number), None, (path,) if not number else ())
        found.add(item, {"caption": text, "image": picture})
    return found.result()


def test_a_text_that_only_one_key_has_and_two_samples_in_a_row_was_carried_over(tmp_path: Path) -> None:
    """The red one occurs twice in the archive, so that nothing can be said of the last sample."""
    texts = [text or "a blue one" if number < 3 else text or "a red one" for number, text in enumerate(TEXTS)]
    assert seen(archive(tmp_path, TEXTS), texts) == CarriedText(
        "caption", 6, 1, ((StreamPosition(0, 2), "0001", "0002"),)
    )


@pytest.mark.parametrize(
    ("texts", "pictures"),
    [
        ([text or "no text" for text in TEXTS], None),
        (["a red one", "a blue one", "a blue one", "a green one"], [0, 1, 1, 3]),
        (["a red one", "a blue one", "a green one", "a red one"], None),
        (["a cat", "a cat", "a cat", "a cat"], None),
    ],
    ids=["a default", "the same sample twice", "samples without text skipped", "texts of another place"],
)
def test_what_was_not_carried_over_is_silent(
    tmp_path: Path, texts: list[str], pictures: list[int] | None
) -> None:
    """Each looks like it and is not."""
    assert seen(archive(tmp_path, TEXTS), texts, pictures) is None


def test_archives_with_few_texts_give_them_to_all_that_follow(tmp_path: Path) -> None:
    """One text for a whole scene is meant."""
    texts = ["a scene", "", "", "", "another", ""]
    shown = ["a scene"] * 4 + ["another"] * 2
    assert seen(archive(tmp_path, texts), shown) is None


def opened(*rows: list[int], width: int = 0) -> list[tuple[int, list[str]]]:
    return [(at, [f"/clips/{at}/f_{number:0{width}d}.jpg" for number in row]) for at, row in enumerate(rows)]


def test_names_as_text_are_told_from_numbers() -> None:
    """Windows that hold no jump are in both orders."""
    found = frame_order(opened([1, 10, 11, 12, 2], [3, 4, 5, 6], [19, 2, 20, 21]), films=True)
    assert found is not None
    assert (found.samples, found.wrong) == (3, (0, 2))
    assert found.example == ("f_1.jpg", "f_10.jpg", "f_11.jpg", "f_12.jpg", "f_2.jpg")


@pytest.mark.parametrize(
    "rows",
    [
        opened([1, 2, 3, 10, 11], [4, 5, 6, 7]),
        opened([1, 10, 11, 2], [7, 3, 9, 4]),
        opened([1, 2, 10, 11], [8, 9, 10, 12], width=3),
    ],
    ids=["by numbers", "in no order", "with zeros in front"],
)
def test_other_orders_are_right(rows: list[tuple[int, list[str]]]) -> None:
    """Numbers rise, or nobody goes by names."""
    found = frame_order(rows, films=True)
    assert found is not None
    assert found.wrong == ()


def test_few_files_are_no_row() -> None:
    """A picture, its mask and its note."""
    assert frame_order(opened([1, 2, 3]), films=True) is None


def seen_tokens(path: str, rows: list[list[int]]) -> CarriedText | None:
    found = CarriedTexts()
    for number, row in enumerate(rows):
        item = Item(StreamPosition(0, number), None, (path,) if not number else ())
        found.add(item, {"input_ids": torch.tensor(row), "image": number})
    return found.result()


def test_tokens_that_repeat_where_keys_have_no_text_were_carried_over(tmp_path: Path) -> None:
    """Just there, and at two places at least: captions may repeat anywhere."""
    path = archive(tmp_path, TEXTS)
    own = [[1, 10 + number, 5, 2] for number in range(6)]
    carried = [own[number - 1] if not text else own[number] for number, text in enumerate(TEXTS)]
    assert seen_tokens(path, carried) == CarriedText(
        "input_ids", 6, 2, ((StreamPosition(0, 2), "0001", "0002"), (StreamPosition(0, 5), "0004", "0005"))
    )
    assert seen_tokens(path, own) is None
    assert seen_tokens(path, [own[0], own[0], own[0], own[3], own[4], own[4]]) is None
