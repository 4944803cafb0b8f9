"""Lists of files with texts, in the forms that datasets come with, and how samples stand to them."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from torch.utils.data import Dataset, Subset

from dldoctor.probes.alignment.items import Item
from dldoctor.probes.alignment.listed_texts import TextsOfSamples
from dldoctor.probes.alignment.listings import lists_beside, records

COCO = {
    "images": [{"id": 7, "file_name": "b.jpg"}, {"id": 3, "file_name": "a.jpg"}],
    "annotations": [{"image_id": 3, "caption": "one"}, {"image_id": 7, "caption": "two"}],
}


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("a.csv", 'file,caption\na.jpg,"red, round"\n', [("file", "caption"), ("a.jpg", "red, round")]),
        ("a.token", 'a.jpg#0\tA "dog" runs .\na.jpg#1\tIt runs .\n', [("a.jpg#0", 'A "dog" runs .'), ("a.jpg#1", "It runs .")]),
        ("a.csv", "LJ001|one, two|one two\nLJ002|three|three\n", [("LJ001", "one, two", "one two"), ("LJ002", "three", "three")]),
        ("a.jsonl", '{"image": "a.jpg", "conversations": [{"value": "hi"}]}\n', [("a.jpg", "hi")]),
        ("a.json", '{"a.jpg": "red", "b.jpg": "blue"}', [("a.jpg", "red"), ("b.jpg", "blue")]),
        ("a.json", json.dumps(COCO), [("one", "a.jpg"), ("two", "b.jpg")]),
        ("a.txt", "no table\nat all\n", []),
        ("a.json", "{broken", []),
    ],
)  # fmt: skip
def test_a_list_is_read_as_records(tmp_path: Path, name: str, text: str, expected: list[Any]) -> None:
    """Whatever divides its cells, and however deep its texts are."""
    (tmp_path / name).write_text(text)
    assert [tuple(one.values()) for one in records(str(tmp_path / name))] == expected


def test_texts_of_single_files_are_no_lists(tmp_path: Path) -> None:
    """A folder with a text for each picture has no list; the one above it may."""
    (tmp_path / "notes").mkdir()
    for number in range(20):
        (tmp_path / "notes" / f"{number}.txt").write_text("a note")
    (tmp_path / "list.csv").write_text("a,b\n")
    assert [Path(one).name for one in lists_beside([str(tmp_path / "notes" / "1.jpg")], [])] == ["list.csv"]


class Pictures(Dataset[dict[str, Any]]):
    """Rows as they are stored; `texts` are not used where `given` has the text of a sample."""

    def __init__(self, texts: list[str], given: list[str] | None = None) -> None:
        self.texts, self.given = texts, given

    def __len__(self) -> int:
        return len(self.texts)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {"text": self.given[index]} if self.given else {"length": len(self.texts[index])}


TEXTS = [f"picture of {'x' * number}" for number in range(12)]


def stands(folder: Path, dataset: Any, rows: list[int] | None = None) -> Any:
    """Return how the samples stand to a list in the folder."""
    (folder / "all.jsonl").write_text(
        "".join(json.dumps({"file": f"{n}.jpg", "text": text}) + "\n" for n, text in enumerate(TEXTS))
    )
    found = TextsOfSamples(dataset)
    for place, row in enumerate(rows or range(12)):
        sample = dataset[place]
        found.add(Item(place, sample, (str(folder / "pictures" / f"{row}.jpg"),)), sample)
    return found.result()


def test_a_column_counts_where_the_item_changes_with_it(tmp_path: Path) -> None:
    """Shifted rows are told; a list of the dataset that no item uses is not."""
    shifted = [*TEXTS[1:], TEXTS[0]]
    found = stands(tmp_path, Pictures(shifted))
    assert (found.where, found.samples, found.wrong) == ("dataset.texts", 12, 12)
    assert (found.examples[0].text, found.examples[0].owner) == ("picture of x", "1")
    assert stands(tmp_path, Pictures(shifted, given=TEXTS)).wrong == 0
    assert stands(tmp_path, Pictures(TEXTS)).wrong == 0


def test_subsets_are_looked_through(tmp_path: Path) -> None:
    """An item of a subset has the text of its own row."""
    rows = list(range(12))
    random.Random(1).shuffle(rows)
    assert stands(tmp_path, Subset(Pictures(TEXTS), rows), rows).wrong == 0
    assert stands(tmp_path, Subset(Pictures(TEXTS[::-1]), rows), rows).wrong == 12


def test_lists_that_are_not_in_use_prove_nothing(tmp_path: Path) -> None:
    """An old list beside its correction, and the list of another part, whose files have the same names."""
    write = (tmp_path / "old.tsv", TEXTS[::-1]), (tmp_path / "eval.tsv", [*TEXTS[4:8], *(["another"] * 8)])
    for path, texts in write:
        path.write_text("".join(f"{n}.jpg\t{text}\n" for n, text in enumerate(texts)))
    found = stands(tmp_path, Pictures(TEXTS))
    assert (found.path.endswith("all.jsonl"), found.wrong) == (True, 0)
    (tmp_path / "all.jsonl").unlink()
    (tmp_path / "old.tsv").unlink()
    only_eval = TextsOfSamples(Pictures(TEXTS))
    for n in range(12):
        only_eval.add(Item(n, {}, (str(tmp_path / "pictures" / f"{n}.jpg"),)), {"text": TEXTS[n]})
    assert only_eval.result() is None


def test_a_mask_beside_the_picture_changes_nothing(tmp_path: Path) -> None:
    """The list names one of the two files of a sample."""
    (tmp_path / "all.tsv").write_text("".join(f"{n}.jpg\t{text}\n" for n, text in enumerate(TEXTS)))
    found = TextsOfSamples(Pictures(TEXTS))
    for n in range(12):
        files = (str(tmp_path / "masks" / f"{n}_mask.png"), str(tmp_path / "pictures" / f"{n}.jpg"))
        found.add(Item(n, {}, files), {"text": TEXTS[n - 1]})
    told = found.result()
    assert told is not None
    assert (told.samples, told.wrong, told.examples[1].owner) == (12, 12, "0")


def test_texts_that_many_files_share_prove_nothing(tmp_path: Path) -> None:
    """A label stands in many rows."""
    (tmp_path / "labels.csv").write_text("".join(f"{n}.jpg,{'cat' if n % 2 else 'dog'}\n" for n in range(12)))
    dataset = Pictures(["x"] * 12, given=["cat"] * 12)
    assert stands(tmp_path, dataset) is None


@pytest.mark.parametrize(
    ("order", "wrong"), [(sorted, 10), (lambda names: sorted(names, key=lambda n: int(n[:-4])), 0)]
)
def test_a_list_without_names_goes_by_number(tmp_path: Path, order: Any, wrong: int) -> None:
    """A listing that is sorted as text gives all but the first two files the line of another one."""
    names = [f"{number}.jpg" for number in range(12)]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / "captions.txt").write_text("\n".join(TEXTS))
    dataset = Pictures(TEXTS)
    found = TextsOfSamples(dataset)
    for place, name in enumerate(order(names)):
        found.add(Item(place, dataset[place], (str(tmp_path / name),)), dataset[place])
    told = found.result()
    assert (0 if told is None else told.wrong) == wrong
    if told is not None:
        assert (told.by, told.examples[0].text, told.examples[0].owner) == ("order", "picture of xx", "2")
