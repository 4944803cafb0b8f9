"""DL717 reopened-file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient
from dldoctor.checks.causes.speed import level, millis, reopened, where
from dldoctor.checks.wording import percent
from dldoctor.evidence.profile import ReopenedFile as Opened
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class ReopenedFile(Check):
    """The same archive or database is opened again for every sample.

    ## Why it hurts
    Opening a ZIP or tar file, an HDF5 file, an LMDB or a database reads its index and sets up its
    state. Done for each sample it costs more than the sample, and grows with the archive.

    ## What to do
    Open it once in each worker, on first use, and keep it:
    `if self._file is None: self._file = h5py.File(self.path)`. Not in `__init__`: a handle that is
    open before the workers start is shared by all of them.

    ## When it is wrong
    Many different archives that are each opened once are fine; what counts is the same path again and
    again. Where the data lies in several archives that are opened in turn, they count together.
    """

    rule = "DL717"
    name = "reopened-file"
    level = Level.WARNING
    by = ("profile",)
    needs = ("loader", "profile")

    opens: float = 1.0
    """Openings of one path for each sample."""
    share: float = 0.1
    """Share of a sample's time that they must take."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Name the path, its openings and their time."""
        profile, spec = case.evidence.profile, case.evidence.loader
        assert profile is not None
        assert spec is not None
        if profile.storage is None or profile.batches < 3:
            yield insufficient("3 batches are needed to tell opening again from opening once")
            return
        found = reopened(profile, self.opens, self.share)
        if found is None:
            return
        stage = profile.stage("storage read")
        yield self.finding(
            f"{_which(found)} {_times(found.opens_per_sample)} for each sample, which takes "
            f"{millis(found.sample_ns)}, {percent(min(1.0, found.share))} of a sample's time",
            advice=_advice(found),
            level=level(case, self.level),
            where=(where(stage.path, stage.line, stage.name) if stage else None) or spec.dataset_ref,
            path=found.path,
            files=found.files,
            opens_per_sample=found.opens_per_sample,
            open_ns=found.sample_ns,
            share=found.share,
        )


def _which(found: Opened) -> str:
    done = "opened and read" if found.path.endswith(".npz") else "opened"
    if found.files == 1:
        return f"`{found.path}` is {done}"
    return f"one of {found.files} files such as `{found.path}` is {done}"


def _advice(found: Opened) -> str:
    if found.path.endswith(".npz"):  # an open one reads a whole array again whenever its name is asked for
        return "Store the arrays as `.npy` and map each once in a worker (`np.load(path, mmap_mode='r')`)."
    each = "Open it" if found.files == 1 else "Open each"
    return f"{each} once in each worker, on first use, and keep it."


def _times(number: float) -> str:
    return "once" if 0.95 <= number < 1.05 else f"{number:.2g} times"
