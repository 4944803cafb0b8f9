"""DL905 slow-storage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dldoctor.checks.base import Case, Check, insufficient, not_applicable
from dldoctor.checks.phrases import size
from dldoctor.checks.wording import figure
from dldoctor.evidence.environment import FolderNeed, NeedsEvidence, StorageEvidence
from dldoctor.finding import Finding, Level, Unjudged


@dataclass(frozen=True)
class _Need:
    """What a sample takes from a folder, and what the storage below it gives a second."""

    storage: StorageEvidence
    each: float
    gives: float
    file_bytes: float | None = None
    """Mean size of its files where these are counted, and not their bytes."""

    @property
    def counts_files(self) -> bool:
        return self.file_bytes is not None


@dataclass(frozen=True)
class SlowStorage(Check):
    """The storage below the data is slower than the loader needs.

    ## Why it hurts
    The first epoch reads from storage, and so does every epoch where the data is larger than the
    memory that is free for the page cache. No number of workers reads faster than the storage.

    ## What to do
    Copy the data to a local disk, pack small files into shards that are read in sequence, store it
    smaller, or ask for faster storage.

    ## When it is wrong
    Data that fits into memory is read cold only once. The measurement reads a bounded part of the
    files that were opened, with one reader; object stores and striped file systems can be faster
    with more. Of each folder it is asked what the samples take from it, of small files how many.
    Without a declared consumer (`--step-ms`) or a budget `samples-per-s` it is a note.
    """

    rule = "DL905"
    name = "slow-storage"
    level = Level.WARNING
    by = ("env",)
    needs = ("environment", "needs", "loader")

    min_samples: int = 8
    """Samples that must have been read."""
    min_bytes_per_sample: int = 1024
    """Less a sample is no matter of storage."""
    small_file: int = 64 * 1024
    """Bytes below which a file is one read: how many can be opened counts, and not how many bytes they hold."""
    min_files_per_sample: float = 0.5
    """Files that a sample opens; fewer stay open, or are read once."""

    def judge(self, case: Case) -> Iterator[Finding | Unjudged]:
        """Hold the cold rate of each storage against what the loader asks of it."""
        machine, needs = case.evidence.environment, case.evidence.needs
        assert machine is not None
        assert needs is not None
        if not needs.files or not machine.storage:
            yield not_applicable("reading samples opened no file that could be measured")
            return
        if needs.samples < self.min_samples:
            yield insufficient(f"only {needs.samples} samples were read")
            return
        measured = [one for one in machine.storage if one.cold_bytes_per_s]
        if not measured:
            yield insufficient(machine.storage[0].note or "cold reads were not measured")
            return
        rate, declared = self._rate(case)
        asked = [one for storage in measured if (one := self._need(needs, storage)) is not None]
        worst = max(asked, key=lambda one: one.each / one.gives, default=None)
        if worst is None or rate * worst.each <= worst.gives:
            unseen = needs.read_bytes - sum(one.bytes for one in needs.folders)
            if needs.folders and unseen > max(
                needs.read_bytes / 2, self.min_bytes_per_sample * needs.samples
            ):
                yield insufficient(
                    f"{size(unseen)} of {size(needs.read_bytes)} were read from files that a library opened out of sight"
                )
            return
        storage = worst.storage
        who = "the declared consumer needs" if declared else "the loader could take, were the data free,"
        where = f"{storage.path} ({'network' if storage.network else 'local'}, {storage.filesystem})"
        asks, gives = _in_files(worst, rate) if worst.counts_files else _in_bytes(worst, rate)
        smaller = "pack small files into shards" if worst.counts_files else "store fewer bytes a sample"
        need = rate * worst.each
        yield self.finding(
            f"{who} {figure(rate)} samples/s x {asks}, and {where} gives {gives}",
            advice=f"Put the data on faster storage, or {smaller}.",
            level=self.level if declared else Level.INFO,
            need_bytes_per_s=None if worst.counts_files else need,
            need_files_per_s=need if worst.counts_files else None,
            cold_bytes_per_s=storage.cold_bytes_per_s,
            cold_reads_per_s=storage.cold_reads_per_s,
            bytes_per_sample=needs.read_bytes / needs.samples,
            filesystem=storage.filesystem,
        )

    def _need(self, needs: NeedsEvidence, storage: StorageEvidence) -> _Need | None:
        """Return what a sample takes from one folder: files where they are small, for each costs a seek, else bytes."""
        assert storage.cold_bytes_per_s
        whole = FolderNeed(storage.path, needs.files, needs.read_bytes)
        taken = next((one for one in needs.folders or (whole,) if one.path == storage.path), None)
        if taken is None:
            return None
        mean = storage.bytes / max(1, storage.files)
        opened, read = taken.opened / needs.samples, taken.bytes / needs.samples
        if mean < self.small_file and opened >= self.min_files_per_sample:
            return _Need(
                storage, opened, storage.cold_reads_per_s or storage.cold_bytes_per_s / max(1.0, mean), mean
            )
        if read < self.min_bytes_per_sample:
            return None
        return _Need(storage, read, storage.cold_bytes_per_s)

    def _rate(self, case: Case) -> tuple[float, bool]:
        """Return samples a second that are asked for, and whether that was declared."""
        needs, spec, machine = case.evidence.needs, case.evidence.loader, case.evidence.machine
        assert needs is not None
        assert spec is not None
        ranks = machine.ranks if machine is not None else 1
        if budget := case.intent.budgets.get("samples-per-s"):
            return budget * ranks, True
        step_ms = getattr(case.intent, "step_ms", None)
        if step_ms:
            return 1000 / step_ms * (spec.batch_size or 1) * ranks, True
        return max(1, spec.num_workers) * ranks * needs.samples / max(needs.seconds, 1e-9), False


def _in_files(need: _Need, rate: float) -> tuple[str, str]:
    """Return what is asked for and what the storage gives, in files."""
    files = f"{figure(need.each)} file{'' if need.each == 1 else 's'} of {size(round(need.file_bytes or 0))}"
    return f"{files} = {figure(rate * need.each)} files/s", f"{figure(need.gives)} files/s cold"


def _in_bytes(need: _Need, rate: float) -> tuple[str, str]:
    """Return the same in bytes."""
    warm = need.storage.warm_bytes_per_s
    asks = f"{size(round(need.each))} = {size(round(rate * need.each))}/s"
    return asks, f"{size(round(need.gives))}/s cold" + (f", {size(round(warm))}/s warm" if warm else "")
