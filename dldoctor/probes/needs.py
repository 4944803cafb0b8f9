"""Probe ``needs``: what one process of the loader asks of the machine, from some samples without workers."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.environment import FolderNeed, NeedsEvidence, ThreadSetting
from dldoctor.probes.asks import keys_of
from dldoctor.probes.batch_tensors import nbytes, tensors_of
from dldoctor.probes.behaviour.pickling import unpicklable
from dldoctor.probes.frames import is_first_party
from dldoctor.targets import Pipeline

SAMPLES = 128
SECONDS = 5.0
PATHS_KEPT = 256
FOLDERS_KEPT = 16
_CODE = (".py", ".pyc", ".so", ".pyi", ".pth")
_SYSTEM = ("/proc/", "/sys/", "/dev/")
_INSTALLED = ("/usr/", "/lib", "/etc/")
"""Folders whose files, such as the fonts and locales that are mapped, are not the loader's data."""


def run(pipeline: Pipeline, session: Session) -> None:
    """Read samples in this process and note what was opened, read and made of them."""
    if pipeline.torch_loader is None:
        session.missing("needs", "only the batches of this loader can be seen")
        return
    attributes = vars(pipeline.torch_loader)
    default = multiprocessing.get_start_method(allow_none=True) or multiprocessing.get_all_start_methods()[0]
    # Before anything is read: a handle that is opened on first use is made in each worker anew.
    stuck, kind = _unpicklable(attributes)
    opened = _Opened()
    sys.addaudithook(opened.hear)
    before, clock = _read_so_far(), time.perf_counter()
    count, batch = _read(pipeline, session, attributes)
    seconds = time.perf_counter() - clock
    opened.listening = False
    read = max(0, _read_so_far() - before)
    opened.paths |= {path for path in _held() if not path.startswith(session.staging)}
    tensors = list(tensors_of(batch))
    affinity = getattr(os, "sched_getaffinity", None)
    session.evidence("needs", NeedsEvidence(
        samples=count,
        seconds=round(seconds, 4),
        read_bytes=read,
        files=len(opened.paths),
        paths=tuple(sorted(opened.paths)[:: -(-len(opened.paths) // PATHS_KEPT) or 1]),
        batch_tensors=len(tensors),
        batch_bytes=sum(map(nbytes, tensors)),
        cores=len(affinity(0)) if affinity else None,
        threads=_threads(),
        unpicklable=stuck,
        unpicklable_kind=kind,
        default_start_method=default,
        folders=by_folder({path: opened.times[path] or 1 for path in opened.paths}, read),
    ))  # fmt: skip


def _held() -> set[str]:
    """Return the data files that are open or mapped now: libraries such as HDF5 open without Python."""
    targets: list[str] = []
    with contextlib.suppress(OSError):
        for name in os.listdir("/proc/self/fd"):
            with contextlib.suppress(OSError, ValueError):
                if _reads(name):
                    targets.append(os.readlink(f"/proc/self/fd/{name}"))
    with contextlib.suppress(OSError), open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
        targets += [fields[5].rstrip("\n") for line in file if len(fields := line.split(None, 5)) == 6]
    return {path for path in targets if _is_data(path) and os.path.isfile(path)}


def _reads(descriptor: str) -> bool:
    """Whether a descriptor can be read from and not written to: a log is no data."""
    with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as file:
        flags = next(line for line in file if line.startswith("flags:"))
    return int(flags.split()[1], 8) & os.O_ACCMODE == os.O_RDONLY


def _is_data(path: str) -> bool:
    """Whether a file is none of Python's or the system's own."""
    return (
        path.startswith("/")
        and not path.startswith((*_SYSTEM, *_INSTALLED, sys.prefix, sys.base_prefix))
        and not path.endswith(_CODE)
        and ".so." not in os.path.basename(path)
        and is_first_party(path)
    )


class _Opened:
    """Remembers the data files that Python opened for reading."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.times: Counter[str] = Counter()
        self.listening = True

    def hear(self, event: str, args: tuple[Any, ...]) -> None:
        if event != "open" or not self.listening or len(self.paths) >= 4096 or not args:
            return
        if isinstance(args[0], (str, os.PathLike)):
            path = os.fspath(args[0])
            mode = args[1] if len(args) > 1 else None
            writes = isinstance(mode, str) and any(letter in mode for letter in "wax+")
            if (
                isinstance(path, str)
                and not writes
                and not path.endswith(_CODE)
                and not path.startswith(_SYSTEM)
            ):
                full = os.path.abspath(path)
                self.paths.add(full)
                self.times[full] += 1


def by_folder(times: Mapping[str, int], read: int) -> tuple[FolderNeed, ...]:
    """Return how often files of each folder were opened, and the part of `read` bytes that came from them.

    Small files are read whole. Bytes beyond the sizes of all are nobody's: libraries open files of their own unseen.
    """
    opened: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for path, count in times.items():
        folder = os.path.dirname(path)
        with contextlib.suppress(OSError):
            sizes[folder] += os.stat(path).st_size * count
            opened[folder] += count
    left, taken = read, {}
    for folder, size in sorted(sizes.items(), key=lambda one: one[1]):
        taken[folder] = min(size, left)
        left -= taken[folder]
    return tuple(FolderNeed(path, count, taken[path]) for path, count in opened.most_common(FOLDERS_KEPT))


def _read(pipeline: Pipeline, session: Session, attributes: dict[str, Any]) -> tuple[int, Any]:
    """Read samples one after another and collate the first batch; failures are dry-run's matter."""
    dataset, collate, size = (
        attributes["dataset"],
        attributes["collate_fn"],
        attributes.get("batch_size") or 8,
    )
    deadline = time.monotonic() + min(SECONDS, session.limits.time_budget_s or SECONDS)
    samples: list[Any] = []
    count = 0
    streams = pipeline.spec.kind == "iterable"
    source = iter(dataset) if streams else iter(_spread(dataset))
    if pipeline.asks is not None:
        source = keys_of(pipeline.torch_loader)
    while count < SAMPLES and time.monotonic() < deadline and not session.stopping:
        try:
            item = next(source)
            session.note("getitem" if not streams else "iter", count if streams else item)
            sample = item if streams else dataset[item]
        except StopIteration:
            break
        except Exception:  # noqa: BLE001 - the user's code
            if streams:
                break
            continue
        count += 1
        if len(samples) < size:
            samples.append(sample)
    batch = None
    with contextlib.suppress(Exception):
        batch = collate(samples) if samples else None
    return count, batch


def _spread(dataset: Any) -> range:
    try:
        length = len(dataset)
    except Exception:  # noqa: BLE001 - the user's code, or no length at all
        length = SAMPLES
    return range(0, length, max(1, length // SAMPLES))


def _read_so_far() -> int:
    with (
        contextlib.suppress(OSError, ValueError, IndexError),
        open("/proc/self/io", encoding="ascii") as file,
    ):
        return int(file.readline().split()[1])
    return 0


def _threads() -> tuple[ThreadSetting, ...]:
    """Return what libraries that are loaded say themselves."""
    found = []
    torch, cv2 = sys.modules.get("torch"), sys.modules.get("cv2")
    if torch is not None:
        found.append(ThreadSetting("torch", str(torch.get_num_threads()), "torch.get_num_threads()"))
    if cv2 is not None:
        found.append(ThreadSetting("OpenCV", str(cv2.getNumThreads()), "cv2.getNumThreads()"))
    if "tokenizers" in sys.modules:
        value = os.environ.get("TOKENIZERS_PARALLELISM", "")
        found.append(ThreadSetting("tokenizers", value, "TOKENIZERS_PARALLELISM"))
    return tuple(found)


def _unpicklable(attributes: dict[str, Any]) -> tuple[str | None, str]:
    """Return what a worker that is not forked could not be sent, with the reason, and its kind."""
    names = ("dataset", "collate_fn", "worker_init_fn")
    first = next(iter(unpicklable([(name, attributes.get(name)) for name in names])), None)
    return (None, "") if first is None else (f"{first.path}: {first.error}", first.kind)
