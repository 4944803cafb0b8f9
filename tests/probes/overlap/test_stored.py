"""Rows that datasets hold, compared without reading an item."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from dldoctor.probes.overlap.places import Places  # noqa: E402
from dldoctor.probes.overlap.stored import stored_rows  # noqa: E402


class Held:
    """A dataset that holds the given columns."""

    def __init__(self, **columns: Any) -> None:
        vars(self).update(columns)

    def __len__(self) -> int:
        return len(next(iter(vars(self).values())))


def all_of(dataset: Held) -> Places:
    return Places(list(range(len(dataset))), [dataset], [(0, at) for at in range(len(dataset))], whole=True)


def told(first: Held, second: Held) -> Any:
    found = stored_rows(all_of(first), all_of(second))
    shared = found.shared
    return found.compared, None if shared is None else (
        shared.count,
        shared.pairs[0],
        shared.fields,
        shared.brief,
    )


def test_arrays_texts_and_files(tmp_path: Path) -> None:
    """Whatever tells rows apart."""
    table = torch.rand(30, 4, 8, generator=torch.Generator().manual_seed(0))
    assert told(Held(x=table[:20]), Held(x=table[16:])) == (("x",), (4, (16, 0), ("x",), False))
    texts = [f"the sentence of number {at}" for at in range(30)]
    assert told(Held(docs=texts[:20]), Held(docs=texts[20:])) == (("docs",), None)
    assert told(Held(docs=texts[:20]), Held(docs=texts[19:]))[1] == (1, (19, 0), ("docs",), True)
    files = [tmp_path / f"{at}.png" for at in range(9)]
    for file in files:
        file.touch()
    rows = [(str(file), at % 2) for at, file in enumerate(files)]
    assert told(Held(samples=rows[:6]), Held(samples=rows[5:])) == (
        ("samples",),
        (1, (5, 0), ("samples",), False),
    )


def test_windows_of_one_picture_and_questions_on_it_are_other_rows(tmp_path: Path) -> None:
    """All that a row says is compared."""
    file = tmp_path / "slide.png"
    file.touch()
    tiles = [(str(file), at, 2 * at) for at in range(8)]
    assert told(Held(tiles=tiles[:4]), Held(tiles=tiles[4:])) == (("tiles",), None)
    asked = [f"what is written in line {at}?" for at in range(8)]
    files = [str(file)] * 4
    assert told(Held(f=files, q=asked[:4]), Held(f=files, q=asked[4:])) == (("f", "q"), None)


def test_names_alone_are_candidates() -> None:
    """Two folders may number their files alike."""
    found = stored_rows(all_of(Held(names=["a.png", "b.png"])), all_of(Held(names=["b.png", "c.png"])))
    assert (found.shared, found.candidates, found.compared) == (None, [(1, 0)], ())
