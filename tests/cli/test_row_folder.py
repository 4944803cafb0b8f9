"""``--dump DIR``: what a dump wrote is replaced, and nothing else is touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from dldoctor.cli.row_folder import RowFolder
from dldoctor.errors import ConfigError
from dldoctor.intent import TargetOptions
from tests.render.row_reports import with_rows

TARGET = TargetOptions("data.py:make_loader")


def folder(place: Path, *, several: bool = False, loader: str | None = None) -> RowFolder:
    """The folder."""
    found = RowFolder.of(place, several=several, loader=loader)
    assert found is not None
    return found


def names(place: Path) -> list[str]:
    """The files below a folder."""
    return sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())


def test_a_second_dump_replaces_the_first(tmp_path):
    """Files of rows that are gone are removed, and what somebody else put there stays."""
    place = tmp_path / "rows"
    folder(place).write(with_rows(2), TARGET)
    assert len(names(place)) == 2 * 5 + 2
    (place / "notes.txt").write_text("mine")
    folder(place).write(with_rows(1), TARGET)
    assert names(place) == [
        ".dldoctor-rows",
        "00000-photo_0-audio-audio.wav",
        "00000-photo_0-image-image.png",
        "00000-photo_0-mask-mask.png",
        "00000-photo_0-text-caption.txt",
        "00000-photo_0-text-ids.txt",
        "notes.txt",
        "rows.jsonl",
    ]


def test_a_folder_of_other_files_is_refused(tmp_path):
    """Before anything is run; an empty one is taken."""
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a.txt").write_text("mine")
    with pytest.raises(ConfigError, match="the folder holds files that no dump wrote; name an empty one"):
        RowFolder.of(tmp_path / "full", several=False, loader=None)
    with pytest.raises(ConfigError, match="it is a file; name a folder"):
        RowFolder.of(tmp_path / "full" / "a.txt", several=False, loader=None)
    (tmp_path / "empty").mkdir()
    folder(tmp_path / "empty").write(with_rows(1), TARGET)
    assert RowFolder.of(None, several=False, loader=None) is None


def test_a_list_of_files_that_leads_elsewhere_is_not_followed(tmp_path):
    """A dump removes only files right in its folder."""
    (tmp_path / "rows").mkdir()
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / "rows" / ".dldoctor-rows").write_text("../mine.txt\n/etc/hostname\n..\n")
    folder(tmp_path / "rows").write(with_rows(1), TARGET)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_several_targets_and_loaders_get_folders_of_their_own(tmp_path):
    """A loader that was asked for by name does not."""
    folder(tmp_path / "a", several=True).write(with_rows(1), TARGET)
    split = TargetOptions("data.py:loaders", loader_key="train")
    folder(tmp_path / "b").write(with_rows(1), split)
    folder(tmp_path / "c", loader="train").write(with_rows(1), split)
    assert [
        (tmp_path / path / "rows.jsonl").is_file()
        for path in ("a/data.py_make_loader", "b/data.py_loaders-train", "c")
    ] == [True] * 3
    folder(tmp_path / "b").write(with_rows(1), split)


def test_the_command_line_refuses_it_in_one_line(dldoctor, tmp_path):
    """Status 2, and nothing was imported."""
    (tmp_path / "data.py").write_text("raise SystemExit('imported')")
    outcome = dldoctor("check-alignment", "data.py:x", "--dump", ".")
    assert (outcome.status, outcome.err) == (
        2,
        "dldoctor: --dump .: the folder holds files that no dump wrote; name an empty one\n",
    )
