"""Which stage of loading a call belongs to: by the library it comes from, else by its name."""

from __future__ import annotations

import re
from typing import Any

from dldoctor.foreign import attribute

IMPORTANCE = ("other", "collate", "transform", "lock", "own threads", "storage read", "tokenise", "decode")
"""Of a statement that does several things the last one names it; what is in library calls that
are timed apart does not count for it."""

_DECODERS = (
    "PIL.Image.open", "PIL.ImageFile", "cv2.imread", "cv2.imdecode", "torchvision.io", "torchaudio.load", "soundfile",
    "wave", "_wave", "librosa.load", "librosa.core.audio", "simplejpeg", "turbojpeg", "imageio", "tifffile", "av", "decord",
    "pydicom", "nibabel", "json", "_json", "orjson", "pickle", "_pickle", "zlib", "gzip", "bz2", "lzma", "zstandard",
    "msgpack", "base64", "torch.serialization", "torchcodec", "yaml", "csv", "_csv",
)  # fmt: skip
_READERS = (
    "builtins.open", "io", "_io", "os", "posix", "pathlib", "shutil", "tarfile", "zipfile", "mmap", "h5py", "zarr", "lmdb",
    "sqlite3", "_sqlite3", "numpy.load", "numpy.fromfile", "numpy.memmap", "numpy.lib.npyio", "numpy.lib._npyio_impl",
    "pandas.read", "pandas.io", "pyarrow", "datasets", "fsspec", "s3fs", "boto3", "botocore", "requests", "urllib", "http",
    "httpx", "aiohttp", "socket", "shelve", "dbm", "webdataset.tariterators", "safetensors", "tensorstore",
)  # fmt: skip
_LOCKS = (
    "_thread.lock", "_thread.RLock", "threading.Lock", "threading.Semaphore", "threading.BoundedSemaphore", "threading.Condition",
    "multiprocessing.synchronize", "_multiprocessing.SemLock", "multiprocessing.managers.AcquirerProxy", "fcntl", "filelock",
    "portalocker", "fasteners",
)  # fmt: skip
_THREADS = (
    "queue",
    "_queue",
    "concurrent.futures",
    "threading.Thread",
    "threading.Event",
    "multiprocessing.pool",
    "joblib",
)
_TOKENISERS = ("tokenizers", "transformers", "sentencepiece", "tiktoken")
_COLLATES = ("torch.utils.data._utils.collate", "torch.nn.utils.rnn", "torch.stack", "torch.cat")
_TRANSFORMS = (
    "torchvision", "torchaudio", "albumentations", "albucore", "kornia", "cv2", "PIL", "numpy", "torch", "scipy", "skimage",
    "librosa", "monai", "imgaug", "audiomentations", "random", "math",
)  # fmt: skip
_TABLE = (
    ("lock", _LOCKS),
    ("own threads", _THREADS),
    ("decode", _DECODERS),
    ("storage read", _READERS),
    ("tokenise", _TOKENISERS),
    ("collate", _COLLATES),
    ("transform", _TRANSFORMS),
)
_BY_NAME = (
    ("tokenise", re.compile(r"tokeni[sz]|\bbpe\b|_bpe")),
    ("decode", re.compile(r"decode|parse|unpack|decompress")),
    ("storage read", re.compile(r"read_|_read\b|fetch|download|load_(file|bytes|raw)")),
    ("transform", re.compile(r"transform|augment|resize|crop|normali[sz]e")),
    ("collate", re.compile(r"collate|\bpad_|_pad\b|to_batch")),
)


def stage_of(value: Any, rest: tuple[str, ...]) -> str | None:
    """Return the stage of calling `value`, or the attribute path `rest` below it; None if unknown."""
    kind = type(value)
    module = attribute(value, "__module__", None) if callable(value) else None
    if isinstance(value, type) or module is not None:
        name = f"{module}.{attribute(value, '__qualname__', attribute(value, '__name__', ''))}"
        found = _by_prefix(name)
        if found is not None:
            return found
    if kind.__name__ == "module":
        return _by_prefix(".".join((value.__name__, *rest)))
    # A method of an object, or an object that is called: its own class, then those it comes from.
    for base in kind.__mro__[:-1]:
        found = _by_prefix(f"{base.__module__}.{base.__qualname__}")
        if found is not None:
            # A picture's methods change it; that it is decoded first is timed apart.
            return "transform" if base.__module__.startswith("PIL.") else found
    bound = attribute(value, "__self__", None)
    if bound is not None and type(bound).__name__ != "module" and not isinstance(bound, type):
        return stage_of(bound, rest) if bound is not value else None
    return None


def stage_by_name(function: str) -> str:
    """Return the stage that the name of the user's function speaks of, else ``other``."""
    name = function.rsplit(".", 1)[-1].lower()
    return next((stage for stage, pattern in _BY_NAME if pattern.search(name)), "other")


def _by_prefix(name: str) -> str | None:
    for stage, prefixes in _TABLE:
        for prefix in prefixes:
            if (
                name == prefix
                or name.startswith(prefix + ".")
                or (prefix == "pandas.read" and name.startswith(prefix))
            ):
                return stage
    return None
