"""The user's own pictures, decoded by each library that is installed."""

from __future__ import annotations

import importlib
import io
import sys
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from dldoctor.evidence.trial import Trial
from dldoctor.foreign import attribute, has
from dldoctor.probes.profile.ratios import trial_of
from dldoctor.probes.profile.reads import items_of
from dldoctor.targets import Pipeline

IMAGES = 8
BUDGET_S = 3.0
ALIKE = 6.0
"""Mean difference of two decodings, in levels of 255, above which they are not the same picture."""
PICTURE_BYTES = 1 << 26

Decode = Callable[[bytes], Any]


class Caught(NamedTuple):
    """A picture that the user's code decoded."""

    by: str
    data: bytes


def other_decoders(pipeline: Pipeline) -> list[Trial]:
    """Decode pictures of the user's with each library that is installed, in turns with theirs."""
    caught = _caught(pipeline)
    if len(caught) < 3:
        return []
    decoders = _installed()
    now = caught[0].by
    if now not in decoders:
        return []
    pictures = [one.data for one in caught if one.by == now]
    names = [name for name in decoders if name != now and _same_picture(decoders, now, name, pictures[0])]
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in names}
    started = time.monotonic()
    for turn, data in enumerate(pictures * 2):
        order = [now, *names] if turn % 2 == 0 else [*names[::-1], now]
        took = {name: _decode_ns(decoders[name], data) for name in order}
        for name in names:
            times[name].append((took[now], took[name]))
        if turn >= 3 and time.monotonic() - started > BUDGET_S:
            break
    found = [
        trial_of("decoder", pairs, per="picture", detail=f"{name}, not {now}")
        for name, pairs in times.items()
    ]
    return [one for one in found if one is not None]


def _caught(pipeline: Pipeline) -> list[Caught]:
    """Read items while the entry points of decoders note what they are given."""
    found: list[Caught] = []

    def note(by: str, data: bytes | None) -> None:
        if data is not None and data[:2] == b"\xff\xd8" and len(data) <= PICTURE_BYTES:
            found.append(Caught(by, data))

    restore = [
        _watch("PIL.Image", "open", lambda args: note("Pillow", _content(args[0]))),
        _watch("cv2", "imread", lambda args: note("OpenCV", _content(args[0]))),
        _watch("cv2", "imdecode", lambda args: note("OpenCV", _content(args[0]))),
        _watch("simplejpeg", "decode_jpeg", lambda args: note("simplejpeg", _content(args[0]))),
        _watch("torchvision.io", "decode_jpeg", lambda args: note("torchvision", _content(args[0]))),
    ]
    try:
        started = time.monotonic()
        for _ in items_of(pipeline, IMAGES):
            if len(found) >= IMAGES or time.monotonic() - started > BUDGET_S:
                break
    finally:
        for undo in restore:
            undo()
    return found[:IMAGES]


def _watch(module: str, name: str, note: Callable[[tuple[Any, ...]], None]) -> Callable[[], None]:
    owner: Any = sys.modules.get(module)
    original = attribute(owner, name, None)
    if original is None:
        return lambda: None

    def watched(*args: Any, **options: Any) -> Any:
        if args:
            note(args)
        return original(*args, **options)

    setattr(owner, name, watched)
    return lambda: setattr(owner, name, original)


def _content(source: Any) -> bytes | None:
    """Return the bytes behind what a decoder is given, which stays where it stands."""
    try:
        if isinstance(source, (bytes, bytearray, memoryview)):
            return bytes(source)
        if has(source, "read"):
            at = source.tell()
            data = source.read()
            source.seek(at)
            return bytes(data)
        if has(source, "__array__") or has(source, "numpy"):
            return bytes(memoryview(source.numpy() if has(source, "numpy") else source).cast("B"))
        with open(source, "rb") as file:
            return file.read()
    except (OSError, TypeError, ValueError, AttributeError):
        return None


def _installed() -> dict[str, Decode]:
    """Return a decoder to RGB for each library that this environment has."""
    found: dict[str, Decode] = {}
    for name, make in (
        ("Pillow", _pillow),
        ("OpenCV", _opencv),
        ("simplejpeg", _simplejpeg),
        ("PyTurboJPEG", _turbojpeg),
        ("torchvision", _torchvision),
    ):
        try:
            found[name] = make()
        except Exception:  # noqa: BLE001, S112 - a library that is not there, or not whole
            continue
    return found


def _pillow() -> Decode:
    image = importlib.import_module("PIL.Image")
    return lambda data: image.open(io.BytesIO(data)).convert("RGB")


def _opencv() -> Decode:
    cv2, numpy = importlib.import_module("cv2"), importlib.import_module("numpy")
    flags = cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION
    return lambda data: cv2.cvtColor(
        cv2.imdecode(numpy.frombuffer(data, numpy.uint8), flags), cv2.COLOR_BGR2RGB
    )


def _simplejpeg() -> Decode:
    decode: Any = importlib.import_module("simplejpeg").decode_jpeg
    return lambda data: decode(data, "RGB")


def _turbojpeg() -> Decode:
    module = importlib.import_module("turbojpeg")
    decode, form = module.TurboJPEG().decode, module.TJPF_RGB
    return lambda data: decode(data, pixel_format=form)


def _torchvision() -> Decode:
    torch, tio = importlib.import_module("torch"), importlib.import_module("torchvision.io")
    mode = tio.ImageReadMode.RGB
    return lambda data: tio.decode_jpeg(torch.frombuffer(bytearray(data), dtype=torch.uint8), mode=mode)


def _same_picture(decoders: dict[str, Decode], now: str, name: str, data: bytes) -> bool:
    try:
        one, other = (_pixels(decoders[which](data)) for which in (now, name))
    except Exception:  # noqa: BLE001 - the other library refuses this picture
        return False
    return bool(one.shape == other.shape and abs(one.astype("int16") - other).mean() <= ALIKE)


def _pixels(picture: Any) -> Any:
    numpy = importlib.import_module("numpy")
    pixels = numpy.asarray(picture)
    return pixels.transpose(1, 2, 0) if pixels.ndim == 3 and pixels.shape[0] == 3 else pixels


def _decode_ns(decode: Decode, data: bytes) -> float:
    started = time.perf_counter_ns()
    decode(data)
    return time.perf_counter_ns() - started
