"""The files that samples open: partners by name, their order, texts of archives, and orientations of pictures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from dldoctor.finding import SampleId


@dataclass(frozen=True)
class WrongPair:
    """A sample that opens a file which belongs to another one by name."""

    sample: SampleId
    first: str
    second: str
    """What was opened beside it."""
    partner: str
    """What would belong to the first by name; it exists."""


@dataclass(frozen=True)
class FilePairs:
    """Two files a sample, compared by name."""

    samples: int
    pairs: int
    """Samples that open one file of each of two kinds."""
    by: str = ""
    """What the names have in common: ``name`` (whole, but for what all share) or ``numbers``; empty: nothing."""
    wrong: int = 0
    examples: tuple[WrongPair, ...] = ()
    partners: int = 0
    """Samples whose partner by name exists."""
    offset: int | None = None
    """Every second file is so many numbers ahead of the first one; null where that is not one number."""
    drawn: bool = False
    """The second file is another one on another read: it is drawn at random."""
    sorted_both: bool = False
    """Along the samples the files of each kind come in the order of their names."""


@dataclass(frozen=True)
class StrayText:
    """A sample whose text a list has for another file than the one that the sample opens."""

    sample: SampleId
    file: str
    text: str
    owner: str
    """Name, without folder and ending, of a file that the list has the text for."""


@dataclass(frozen=True)
class ListedTexts:
    """Texts of samples, held against a list on disk that names the files they open."""

    path: str
    """The list."""
    where: str
    """The field of the sample, or the attribute of the dataset, that the texts are from."""
    samples: int
    """Samples whose file and whose text the list has."""
    wrong: int = 0
    examples: tuple[StrayText, ...] = ()
    drawn: bool = False
    """The text is another one on another read: it is drawn at random."""
    by: Literal["name", "order"] = "name"
    """What ties the list to the files: the names that stand in it, or only that it has a line a file."""


@dataclass(frozen=True)
class FrameOrder:
    """Rows of numbered files that samples open one after the other."""

    samples: int
    """Samples that open such a row."""
    wrong: tuple[SampleId, ...] = ()
    """Samples whose row goes by names as text, and not by numbers: 1, 10, 11, 2."""
    folder: str = ""
    example: tuple[str, ...] = ()
    """Names around the first number that is out of order, as opened."""
    film: bool = False
    """The samples hold a film, or times."""
    alike: int = 0
    """Samples whose window lies where both orders are the same: they tell nothing."""


@dataclass(frozen=True)
class CarriedText:
    """Samples of a stream that hold the text of the sample before, since their archive has none for them."""

    path: str
    """Field of the samples."""
    samples: int
    carried: int
    examples: tuple[tuple[SampleId, str, str], ...] = ()
    """The sample, the key whose text it has, and the key without text that follows it."""


@dataclass(frozen=True)
class TurnedPicture:
    """A picture whose file says that it has to be turned or mirrored."""

    sample: SampleId
    path: str
    orientation: int
    """2 to 8, as EXIF counts."""
    width: int
    """As stored."""
    height: int
    read_as: Literal["stored", "shown", "unclear"]
    """How the sample has it."""
    annotated_as: Literal["stored", "shown"] | None = None
    """Which of the two sizes the sample's own size fields state, where they tell."""


@dataclass(frozen=True)
class OrientationEvidence:
    """Pictures that were opened, and those that carry an orientation."""

    pictures: int
    """Files that were opened whose header could be read."""
    turned: tuple[TurnedPicture, ...] = ()
