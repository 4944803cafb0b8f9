"""Partners by name under the naming schemes that people use, and where names say nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dldoctor.evidence.file_pairs import FilePairs
from dldoctor.probes.alignment.file_names import stripped
from dldoctor.probes.alignment.file_pairs import file_pairs

COUNT = 12
Scheme = Callable[[int], tuple[str, str]]
WORDS = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen", "ibis", "jay", "koi", "lynx")
HASHES = ("9f2c", "a771", "03be", "cc10", "5d5d", "e8f0", "1a2b", "77aa", "b00f", "d4c3", "6e6e", "f123")

SCHEMES: dict[str, Scheme] = {
    "prefixes": lambda i: (f"images/img_{i:03d}.jpg", f"masks/mask_{i:03d}.png"),
    "suffixes": lambda i: (f"data/{i:03d}_image.jpg", f"data/{i:03d}_label.png"),
    "one folder, words": lambda i: (f"data/{WORDS[i]}.jpg", f"data/{WORDS[i]}_mask.png"),
    "same stems": lambda i: (f"JPEGImages/2007_{i:06d}.jpg", f"SegmentationClass/2007_{i:06d}.png"),
    "a folder a sample": lambda i: (f"scene_{i:02d}/image.jpg", f"scene_{i:02d}/mask.png"),
    "other widths": lambda i: (f"images/{i:05d}.jpg", f"labels/label{i}.txt"),
}


def opened(root: Path, scheme: Scheme, move: Callable[[int], int], count: int = COUNT) -> FilePairs:
    """Make the files, and let sample `i` open the second file of `move(i)`."""
    for index in range(count):
        for name in scheme(index):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).touch()
    shared = str(root / "annotations.json")
    files = [(i, (str(root / scheme(i)[0]), str(root / scheme(move(i))[1]), shared)) for i in range(count)]
    return file_pairs(files, dict(files[:4]))


@pytest.mark.parametrize("name", SCHEMES)
def test_partners_are_known_and_a_swap_is_found(tmp_path: Path, name: str) -> None:
    """Whatever the names have in common."""
    healthy = opened(tmp_path, SCHEMES[name], lambda i: i)
    assert (healthy.pairs, healthy.wrong, bool(healthy.by)) == (COUNT, 0, True)
    swapped = opened(tmp_path, SCHEMES[name], lambda i: {0: 1, 1: 0}.get(i, i))
    assert (swapped.wrong, [one.sample for one in swapped.examples]) == (2, [0, 1])
    assert swapped.examples[0].partner.endswith(SCHEMES[name](0)[1])
    turned = opened(tmp_path, SCHEMES[name], lambda i: COUNT - 1 - i)
    assert turned.wrong == COUNT


def test_names_without_a_common_part_say_nothing(tmp_path: Path) -> None:
    """A table says which note belongs to which picture."""
    found = opened(tmp_path, lambda i: (f"images/{WORDS[i]}.jpg", f"notes/{HASHES[i]}.txt"), lambda i: i)
    assert (found.pairs, found.by) == (COUNT, "")


def test_one_file_for_all_is_nobodys_partner(tmp_path: Path) -> None:
    """Annotations of a whole dataset in one file."""
    files = [(i, (str(tmp_path / f"{i:012d}.jpg"), str(tmp_path / "instances.json"))) for i in range(COUNT)]
    assert file_pairs(files, {}).pairs == 0


def test_following_frames_of_a_film_are_no_pair(tmp_path: Path) -> None:
    """Two files of one kind."""
    files = [
        (i, (str(tmp_path / f"frame_{i:04d}.png"), str(tmp_path / f"frame_{i + 1:04d}.png")))
        for i in range(COUNT)
    ]
    assert file_pairs(files, {}).pairs == 0


def test_numbers_that_are_one_ahead_may_be_how_files_are_named(tmp_path: Path) -> None:
    """The first has no partner of its own number."""
    found = opened(
        tmp_path, lambda i: (f"images/img_{i:03d}.jpg", f"masks/mask_{i + 1:03d}.png"), lambda i: i
    )
    assert (found.offset, found.partners, found.wrong) == (1, COUNT - 1, COUNT - 1)


def test_a_partner_that_is_drawn_at_random_is_told(tmp_path: Path) -> None:
    """Another reading opens another file."""
    scheme = SCHEMES["prefixes"]
    opened(tmp_path, scheme, lambda i: i)
    files = [
        (i, tuple(str(tmp_path / one) for one in (scheme(i)[0], scheme(5 * i % COUNT)[1])))
        for i in range(COUNT)
    ]
    again = {i: (found[0], str(tmp_path / scheme(7)[1])) for i, found in files[:4]}
    assert file_pairs(files, again).drawn


def test_what_all_names_share_is_cut_and_numbers_stay_whole() -> None:
    """Neither the first digits that all have in common nor a last one."""
    found = stripped(["a/img_0010.png", "a/img_0020.png", "a/img_0030.png"])
    assert list(found.values()) == ["0010", "0020", "0030"]
