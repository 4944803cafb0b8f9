"""What was run, on what, under which settings, and how much of it was seen."""

from __future__ import annotations

from dldoctor.evidence.loader import LoaderSpec
from dldoctor.evidence.machine import MachineEvidence
from dldoctor.render.clean_text import clean
from dldoctor.render.content.workers import experiment_rows
from dldoctor.render.numbers import count, counted, duration, number, share, size
from dldoctor.report import Report


def title(report: Report) -> str:
    """Return the command and its target."""
    return f"{report.tool.name} {report.command} {clean(report.whole_target, 300)}"


def context(report: Report) -> tuple[str, ...]:
    """Return the lines under the title: loader, extent, declarations, machine."""
    evidence = report.evidence
    lines = [
        loader_line(evidence.loader) if evidence.loader else "",
        extent_line(report),
        declared_line(report),
        machine_line(evidence.machine) if evidence.machine else "",
    ]
    return tuple(line for line in lines if line)


def loader_line(spec: LoaderSpec) -> str:
    """Return the settings that the run was measured under."""
    dataset = clean(spec.dataset_type.rpartition(".")[2], 60)
    loader = clean(spec.loader_type.rpartition(".")[2], 60)
    what = {"map": "map-style", "iterable": "stream", "batches": "batches only"}[spec.kind]
    items = f", {counted(spec.dataset_length, 'item')}" if spec.dataset_length is not None else ""
    settings = [
        f"batch size {count(spec.batch_size)}" if spec.batch_size is not None else "own batches",
        _order(spec),
        "drop_last" if spec.drop_last else "",
        _workers(spec),
        "pinned" if spec.pin_memory else "",
        "" if spec.in_order else "in_order=False",
    ]
    ours = "" if spec.settings_known else " (settings of this run, none were given)"
    return f"{loader} over {dataset} ({what}{items}): {', '.join(s for s in settings if s)}{ours}"


def _order(spec: LoaderSpec) -> str:
    if spec.replacement:
        return "drawn with replacement"
    if spec.shuffle is None:
        own = spec.batch_sampler if not (spec.batch_sampler or "torch.").startswith("torch.") else None
        name = clean((own or spec.sampler or "").rpartition(".")[2], 40)
        return f"{'batch sampler' if own else 'sampler'} {name}" if name else ""
    return "shuffled" if spec.shuffle else "in order"


def _workers(spec: LoaderSpec) -> str:
    if not spec.num_workers:
        return "no workers"
    parts = [spec.start_method or "", f"prefetch {spec.prefetch_factor}" if spec.prefetch_factor else ""]
    parts.append("persistent" if spec.persistent_workers else "")
    inside = ", ".join(part for part in parts if part)
    return counted(spec.num_workers, "worker") + (f" ({inside})" if inside else "")


def extent_line(report: Report) -> str:
    """Return how much was read, whether that was all, and how long it took."""
    samples, batches = report.evidence.samples, report.evidence.batches
    took = f"in {duration(report.duration_s * 1e9)}"
    parts = [] if samples is None else [counted(samples.read, "sample")]
    if samples is not None and samples.failed:
        parts.append(f"{count(samples.failed)} failed")
    if batches is not None:
        parts.append(counted(batches.delivered, "batch", "batches"))
    ranks = report.evidence.coverage
    if not parts and ranks is not None:
        return f"{counted(ranks.ran, 'rank')} ran for {counted(len(ranks.epochs), 'epoch')}, {took}"
    experiments = len(experiment_rows(report))
    if not parts and experiments:
        return f"{counted(experiments, 'experiment')}, {took}"
    if not parts and (memory := report.evidence.memory) is not None:
        once = counted(memory.samples_per_turn, "sample")
        return f"read the same {once} {counted(memory.turns, 'time')}, {took}"
    if not parts:
        return f"{_looked_at(report)}, {took}"
    timing = report.evidence.timing
    if timing is not None and timing.elapsed_ns:
        took = f"in {duration(timing.elapsed_ns)}; {duration(report.duration_s * 1e9)} in all"
    whole = batches.full_epoch if batches else bool(samples and samples.full_epoch)
    extent = "the whole epoch" if whole else "a part of the epoch"
    looked = samples.statistics_share if samples else 1.0
    values = "" if looked >= 1 else f"; values of {share(looked)} of the samples looked at"
    return f"read {', '.join(parts)} ({extent}) {took}{values}"


def _looked_at(report: Report) -> str:
    """Return what a command read that does not count samples and batches as dry-run does."""
    evidence = report.evidence
    if (labels := evidence.labels) is not None:
        read = counted(labels.batches, "batch", "batches")
        return f"read {counted(labels.samples, 'sample')}, {read}" if labels.samples else f"read {read}"
    if (alignment := evidence.alignment) is not None:
        samples = max(one.samples if one is not None else 0 for one in (alignment.collate, alignment.parts))
        return f"compared {counted(samples, 'sample')}"
    if (profile := evidence.profile) is not None:
        return f"timed {counted(profile.samples, 'sample')}, {counted(profile.batches, 'batch', 'batches')}"
    if evidence.splits is not None:
        return "read both loaders"
    return "looked at the machine" if evidence.environment is not None else "nothing was read"


def declared_line(report: Report) -> str:
    """Return what the user declared."""
    named = [
        f"{name.replace('_', '-')} {_declared(value)}".strip() for name, value in report.declared.items()
    ]
    return f"declared: {', '.join(named)}" if named else ""


def _declared(value: object) -> str:
    if value is True:
        return ""
    if isinstance(value, dict):
        return " ".join(f"{clean(str(k), 60)}={clean(str(v), 60)}" for k, v in value.items())
    return clean(str(value), 60)


def machine_line(machine: MachineEvidence) -> str:
    """Return the limits that the run is judged against."""
    cores = f"{number(machine.cores)} of {counted(machine.cores_total, 'core')}"
    if machine.cores == machine.cores_total:
        cores = counted(machine.cores_total, "core")
    parts = [
        f"torch {clean(machine.torch, 40)}" if machine.torch else "",
        f"Python {clean(machine.python, 40)}" if machine.python else "",
        cores,
        f"{size(machine.memory_limit_bytes)} memory",
        f"{size(machine.shm_free_bytes)} shared memory free" if machine.shm_free_bytes is not None else "",
        *(clean(gpu, 60) for gpu in machine.gpus),
        f"declared: {', '.join(clean(name, 40) for name in machine.declared)}" if machine.declared else "",
    ]
    return ", ".join(part for part in parts if part)
