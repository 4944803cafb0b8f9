"""The machine, one row a thing."""

from __future__ import annotations

from collections.abc import Iterator

from dldoctor.evidence.environment import EnvironmentEvidence, NeedsEvidence, StorageEvidence
from dldoctor.render.clean_text import clean
from dldoctor.render.numbers import count, counted, number, share, size
from dldoctor.report import Report

Rows = tuple[tuple[str, str], ...]


def environment_rows(report: Report) -> Rows:
    """Return name and text of each row."""
    machine = report.evidence.environment
    return tuple(_rows(report, machine)) if machine else ()


def _rows(report: Report, machine: EnvironmentEvidence) -> Iterator[tuple[str, str]]:
    yield "cores", _cores(machine)
    if machine.foreign_cores is not None:
        load = f", load average {number(machine.load_average)}" if machine.load_average is not None else ""
        yield "load", f"{number(machine.foreign_cores)} cores busy with other work{load}"
    allowed = f"{size(machine.memory_limit_bytes)} allowed of {size(machine.memory_total_bytes)}"
    yield "memory", f"{allowed}, {size(machine.memory_available_bytes)} available"
    if machine.shm_total_bytes is not None and machine.shm_free_bytes is not None:
        yield "/dev/shm", f"{size(machine.shm_free_bytes)} free of {size(machine.shm_total_bytes)}"  # noqa: S108 - only named
    yield (
        "limits",
        f"open files {_limit(machine.open_files_soft)} (at most {_limit(machine.open_files_hard)}), locked memory {_bytes(machine.locked_memory_bytes)}",
    )
    torch = f", torch {clean(machine.torch, 40)}" if machine.torch else ""
    yield (
        "software",
        f"Python {clean(machine.python, 40)}{torch}; workers are started by {machine.start_method}",
    )
    yield "threads", _threads(report, machine)
    for gpu in machine.gpus:
        used = f", {share(gpu.utilization)} of the time in use" if gpu.utilization is not None else ""
        link = f", PCIe {gpu.pcie}" if gpu.pcie else ""
        yield (
            "GPU",
            f"{clean(gpu.name, 60)}, {size(gpu.memory_used_bytes)} of {size(gpu.memory_bytes)} taken{used}{link}",
        )
    if not machine.gpus:
        yield "GPU", "none seen by NVML"
    for one in machine.storage:
        yield "storage", _storage(one)
    if report.evidence.needs is not None:
        yield "needs", _needs(report.evidence.needs)


def _cores(machine: EnvironmentEvidence) -> str:
    quota = f"quota {number(machine.cores_quota)}" if machine.cores_quota is not None else "no quota"
    physical = f"{machine.cores_physical} physical, " if machine.cores_physical else ""
    nodes = counted(machine.numa_nodes, "NUMA node")
    return f"{number(machine.cores_usable)} usable of {machine.cores_total} ({physical}affinity {machine.cores_affinity}, {quota}, {nodes})"


def _threads(report: Report, machine: EnvironmentEvidence) -> str:
    needs, spec = report.evidence.needs, report.evidence.loader
    found = {one.source: one for one in (*machine.threads, *(needs.threads if needs else ()))}
    parts = [
        f"{clean(one.source, 60)} {clean(one.value, 20) or 'not set'}" for one in found.values() if one.value
    ]
    text = ", ".join(parts) or "no variable is set, so each library decides by the cores that it sees"
    ranks = report.evidence.machine.ranks if report.evidence.machine else 1
    if spec is not None and spec.num_workers:
        text += f"; {counted(spec.num_workers, 'worker')} x {counted(ranks, 'rank')} on {number(machine.cores_usable)} cores"
    return text


def _storage(one: StorageEvidence) -> str:
    where = "network" if one.network else "local"
    rates = []
    for name, rate, reads in (
        ("cold", one.cold_bytes_per_s, one.cold_reads_per_s),
        ("warm", one.warm_bytes_per_s, one.warm_reads_per_s),
    ):
        if rate is not None:
            random = f" and {count(round(reads))} random reads/s" if reads is not None else ""
            rates.append(f"{name} {size(rate)}/s{random}")
    note = f" ({clean(one.note, 120)})" if one.note else ""
    return f"{clean(one.path, 120)} on {clean(one.filesystem, 30)}, {where}: {', '.join(rates) or 'not measured'}{note}"


def _needs(needs: NeedsEvidence) -> str:
    each = size(needs.read_bytes / needs.samples) if needs.samples else "nothing"
    return (
        f"{counted(needs.samples, 'sample')} read in {number(needs.seconds)} s, {each} from files for each,"
        f" {counted(needs.files, 'file')} opened; {counted(needs.batch_tensors, 'tensor')} a batch"
        f" ({size(needs.batch_bytes)})"
    )


def _limit(value: int | None) -> str:
    return "without limit" if value is None else count(value)


def _bytes(value: int | None) -> str:
    return "without limit" if value is None else size(value)
