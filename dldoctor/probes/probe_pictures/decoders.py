"""Makes the decoders that are loaded give probe pictures. Use it only in a process made for a probe."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable
from typing import Any

from dldoctor.evidence.probe_pictures import GivenOrder, Opened
from dldoctor.finding import SourceRef
from dldoctor.foreign import attribute
from dldoctor.probes.alignment.card_readers import READERS
from dldoctor.probes.arrays import is_array
from dldoctor.probes.frames import is_first_party, shown_path
from dldoctor.probes.probe_pictures.drawings import Drawing
from dldoctor.probes.probe_pictures.filling import COLOURED, Size, fill_array, fill_pillow
from dldoctor.probes.rebinding import replace_names
from dldoctor.targets.describe import bare

MORE = (
    ("simplejpeg", "decode_jpeg"),
    ("matplotlib.image", "imread"),
    ("matplotlib.pyplot", "imread"),
    ("torchvision.io", "decode_webp"),
)
UNKNOWN = {"tifffile.imread", "numpy.load"}
"""They return what was stored, in an order that nothing tells."""
ENCODERS = (
    ("cv2", "imencode"),
    ("PIL.Image", "Image.save"),
    ("simplejpeg", "encode_jpeg"),
    ("torchvision.io", "encode_jpeg"),
)
"""What they wrote is decoded again by a transform that lowers the quality: no picture of the dataset."""
SWAPS = {4}
"""`cv2.COLOR_BGR2RGB`, which is `COLOR_RGB2BGR` too."""
COLOR_RGB = 256
"""Flag of `cv2.imread` from 4.10 on."""
UNCHANGED = -1
SHRINKS = 1.3
OBJECTS, DEPTH = 300, 4


class Decoders:
    """What the decoders of this process did, and what they are to give."""

    def __init__(self) -> None:
        """Let them give what they decode."""
        self.drawing: Drawing | None = None
        self.opened: list[Opened] = []
        self.exchanged: list[Opened] = []
        """Those of `opened` that show a drawing: no masks."""
        self.sizes: set[Size] = set()
        """Of the pictures that were exchanged."""
        self.swaps: list[SourceRef | None] = []
        self.shrinks: list[tuple[str, SourceRef | None]] = []
        self._own = 0
        """Pictures that were encoded, and not decoded again."""

    def begin(self, drawing: Drawing | None) -> None:
        """Forget the last reading, and give this from now on."""
        self.drawing = drawing
        self.opened, self.exchanged, self.sizes, self.swaps, self.shrinks = [], [], set(), [], []
        self._own = 0

    def install(self, dataset: Any) -> list[str]:
        """Replace the decoders that are loaded, also where the dataset keeps one; return which."""
        found: dict[str, tuple[Any, Any]] = {}
        for module, name in (*READERS, *MORE):
            owner = sys.modules.get(module)
            original = attribute(owner, name, None)
            if owner is not None and callable(original):
                found[f"{module}.{name}"] = original, self._reading(f"{module}.{name}", original)
                setattr(owner, name, found[f"{module}.{name}"][1])
        turbo = attribute(sys.modules.get("turbojpeg"), "TurboJPEG", None)
        if turbo is not None:
            turbo.decode = self._reading("TurboJPEG.decode", turbo.decode)
        for original, reader in found.values():
            replace_names(original, reader)
        _replace_held(dataset, list(found.values()))
        self._watch_swaps()
        self._watch(RESIZES, self._resizing)
        self._watch(ENCODERS, self._encoding)
        return [*found, *(["TurboJPEG.decode"] if turbo is not None else [])]

    def _reading(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def read(*args: Any, **options: Any) -> Any:
            result = original(*args, **options)
            if self._own:
                self._own -= 1
                return result
            order = _order(name, result, args, options)
            opened = Opened(name, _suffix(args), order, _caller())

            def exchanged(size: Size) -> None:
                self.sizes.add(size)
                self.exchanged.append(opened)

            if name == "PIL.Image.open":
                self.opened.append(opened)
                return fill_pillow(result, self.drawing, exchanged) if self.drawing else result
            if is_array(result):
                self.opened.append(opened)
                size = fill_array(result, order, self.drawing) if self.drawing else None
                if size is not None:
                    exchanged(size)
            return result

        return read

    def _watch_swaps(self) -> None:
        owner: Any = sys.modules.get("cv2")
        original = attribute(owner, "cvtColor", None)
        if original is None:
            return

        def converted(source: Any, code: int, *args: Any, **options: Any) -> Any:
            if code in SWAPS:
                self.swaps.append(_caller())
            return original(source, code, *args, **options)

        owner.cvtColor = converted
        replace_names(original, converted)

    def _watch(self, places: tuple[tuple[str, str], ...], watching: Callable[..., Any]) -> None:
        for module, path in places:
            owner: Any = sys.modules.get(module)
            *outer, name = path.split(".")
            for step in outer:
                owner = attribute(owner, step)
            original = attribute(owner, name)
            if original is not None:
                watched = watching(f"{module}.{path}", original)
                setattr(owner, name, watched)
                replace_names(original, watched)

    def _encoding(self, _name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def encoded(*args: Any, **options: Any) -> Any:
            result = original(*args, **options)
            self._own += 1
            return result

        return encoded

    def _resizing(self, name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def resized(source: Any, *args: Any, **options: Any) -> Any:
            result = original(source, *args, **options)
            if _pixels(result) * SHRINKS**2 < _pixels(source):
                self.shrinks.append((name, _caller()))
            return result

        return resized


RESIZES = (("cv2", "resize"), ("torch.nn.functional", "interpolate"), ("PIL.Image", "Image.resize"))


def _pixels(value: Any) -> int:
    size = attribute(value, "size", None)
    if isinstance(size, tuple):
        return int(size[0] * size[1])
    shape = tuple(int(side) for side in attribute(value, "shape", ()))
    total = 1
    for side in shape:
        total *= side
    return total


def _order(name: str, result: Any, args: tuple[Any, ...], options: dict[str, Any]) -> GivenOrder | None:
    """Return the order of the channels that a decoder gives; None where the picture has no three."""
    if name == "PIL.Image.open":
        return "rgb" if result.mode in COLOURED else None
    shape = tuple(attribute(result, "shape", ()))
    if name in UNKNOWN or len(shape) != 3 or not {3, 4} & {shape[0], shape[-1]}:
        return None
    if name.startswith("cv2."):
        flags = options.get("flags", args[1] if len(args) > 1 else 1)
        return "rgb" if isinstance(flags, int) and flags != UNCHANGED and flags & COLOR_RGB else "bgr"
    if name == "simplejpeg.decode_jpeg":
        space = options.get("colorspace", args[1] if len(args) > 1 else "RGB")
        return "bgr" if str(space).upper().startswith("BGR") else "rgb"
    if name == "TurboJPEG.decode":
        return "rgb" if options.get("pixel_format", args[2] if len(args) > 2 else 1) in (0, 2, 7) else "bgr"
    return "rgb"


def _suffix(args: tuple[Any, ...]) -> str:
    source = next((one for one in args if isinstance(one, (str, os.PathLike))), None)
    source = source if source is not None else attribute(args[0] if args else None, "name", None)
    return os.path.splitext(source)[1].lower() if isinstance(source, (str, os.PathLike)) else ""


def _caller() -> SourceRef | None:
    """Return the user's line that is at work."""
    frame: Any = sys._getframe(2)  # noqa: SLF001 - the one way to a caller
    while frame is not None:
        code = frame.f_code
        if is_first_party(code.co_filename):
            return SourceRef(shown_path(code.co_filename), frame.f_lineno, code.co_name)
        frame = frame.f_back
    return None


def _replace_held(dataset: Any, pairs: list[tuple[Any, Any]]) -> None:
    """Reach a decoder that an object of the dataset keeps, as `ImageFolder(loader=cv2.imread)` does."""
    waiting, seen = deque([(bare(dataset), 0)]), set[int]()
    while waiting and len(seen) < OBJECTS:
        owner, depth = waiting.popleft()
        state = attribute(owner, "__dict__", None)
        if id(owner) in seen or not isinstance(state, dict) or isinstance(owner, type):
            continue
        seen.add(id(owner))
        for name, value in list(state.items()):
            other = next((reader for original, reader in pairs if value is original), None)
            if other is not None:
                state[name] = other
            elif depth < DEPTH:
                inner = list(value[:8]) if type(value) in (list, tuple) else [value]
                waiting.extend((one, depth + 1) for one in inner)
