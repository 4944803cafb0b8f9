"""Whether the members of tar archives explain what is missing from samples."""

from __future__ import annotations

from dldoctor.checks.base import Case
from dldoctor.checks.causes.collate import troubles_of
from dldoctor.evidence.archives import ArchiveEvidence


def renamed_by_dots(archives: ArchiveEvidence) -> dict[str, tuple[str, ...]]:
    """Return each missing field with the longer names that stand in its place.

    ``b.v2.jpg`` has the field ``v2.jpg``, so that sample `b` lacks ``jpg``. A second image of the
    same sample (``a.jpg`` and ``a.mask.jpg``) is none of these: there, no sample lacks ``jpg``.
    """
    found = {}
    for missing in archives.incomplete:
        longer = [one for one in archives.fields if one.value.endswith(f".{missing.value}")]
        if longer and sum(one.count for one in longer) == missing.count:
            found[missing.value] = tuple(one.value for one in longer)
    return found


def lost_keys(case: Case) -> int:
    """Return how many keys of the archives never became a sample, as far as a whole epoch tells."""
    archives, samples = case.evidence.archives, case.evidence.samples
    if archives is None or samples is None or not archives.complete or not samples.full_epoch:
        return 0
    lost = archives.keys - samples.read - samples.failed
    return lost if 0 < lost <= archives.incomplete_keys + len(archives.split) else 0


def members_do_not_group(case: Case) -> bool:
    """Tell whether fields that samples lack are members that their archives lack (`DL611`)."""
    archives = case.evidence.archives
    if archives is None or not (archives.incomplete or archives.split):
        return False
    if archives.split and case.evidence.loader and case.evidence.loader.kind != "map":
        return bool(troubles_of(case, "structure"))
    missing = {one.value for one in archives.incomplete}
    missing |= {name for names in renamed_by_dots(archives).values() for name in names}
    odd = (field.path for field in case.evidence.sample_fields if field.absent.count)
    return bool(troubles_of(case, "structure")) and any(path in missing for path in odd)
