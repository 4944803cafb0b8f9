"""webdataset: WebLoader, and pipelines that batch on their own.

Recognised by the names of classes and stages: the library need not be importable here.
"""

from __future__ import annotations

from typing import Any

from dldoctor.foreign import attribute
from dldoctor.targets.found import FoundLoader
from dldoctor.targets.torch_loader import copy_object, is_made, is_torch_loader


def is_pipeline(obj: Any) -> bool:
    """Whether the object is a webdataset DataPipeline (WebDataset, WebLoader, ...)."""
    return any(
        c.__name__ == "DataPipeline" and c.__module__.partition(".")[0] == "webdataset"
        for c in type(obj).__mro__
    )


def find_loader(obj: Any) -> FoundLoader | None:
    """Return the loader inside a WebLoader; its first stage is one, later stages run in the main process."""
    stages = _stages(obj)
    if not stages or not is_torch_loader(stages[0]) or not is_made(stages[0]):
        return None

    def rewrap(inner: Any) -> Any:
        twin = copy_object(obj)
        twin.pipeline = [inner, *stages[1:]]
        return twin

    return FoundLoader(obj, stages[0], rewrap)


def batches_itself(dataset: Any) -> bool:
    """Whether a pipeline has a stage that makes batches and none after it that takes them apart."""
    batched = False
    for stage in _stages(dataset):
        name = _stage_name(stage)
        if "unbatched" in name or "unlisted" in name:
            batched = False
        elif "batched" in name or "listed" in name:
            batched = True
    return batched


def _stages(obj: Any) -> list[Any]:
    if not is_pipeline(obj):
        return []
    stages = attribute(obj, "pipeline", [])
    return list(stages) if isinstance(stages, list | tuple) else []


def _stage_name(stage: Any) -> str:
    # A stage such as `batched(16)` is an object that holds the function that it will call.
    inner = getattr(stage, "f", stage)
    return str(attribute(inner, "__name__", type(inner).__name__)).lower()
