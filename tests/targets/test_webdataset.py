"""WebLoader and the pipelines of webdataset, over a real archive."""

from __future__ import annotations

import io
import tarfile

import pytest

from dldoctor.intent import LoaderOptions, TargetOptions
from dldoctor.targets import from_object

# webdataset leaves the archives that it reads to the garbage collector.
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning"
)
wds = pytest.importorskip("webdataset")


@pytest.fixture
def shard(tmp_path):
    path = tmp_path / "rows-000000.tar"
    with tarfile.open(path, "w") as archive:
        for i in range(6):
            member = tarfile.TarInfo(f"{i:04d}.cls")
            text = str(i).encode()
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    return str(path)


def pipeline_over(shard):
    return wds.WebDataset(shard, shardshuffle=False).decode().to_tuple("cls")


def labels(loader):
    return [[int(x) for x in batch[0]] for batch in loader]


def test_a_web_loader_is_seen_inside(shard) -> None:
    """The torch loader is its first stage; later stages run as the user wrote them."""
    loader = wds.WebLoader(pipeline_over(shard).batched(2), batch_size=None, num_workers=0)
    loader = loader.unbatched().batched(4)
    found = from_object(loader, TargetOptions("loader"))
    spec = found.spec
    assert (spec.kind, spec.given, spec.view, spec.batch_size, spec.num_workers) == (
        "iterable", "loader", "inside", None, 0,
    )  # fmt: skip
    assert (spec.loader_type, spec.dataset_type) == (
        "webdataset.compat.WebLoader",
        "webdataset.compat.WebDataset",
    )
    assert labels(found.loader) == [[0, 1, 2, 3], [4, 5]]
    assert found.loader.pipeline[0] is found.torch_loader is not loader.pipeline[0]


def test_settings_of_a_web_loader_change_in_the_copy_only(shard) -> None:
    """Workers are set on our copy of the inner loader."""
    loader = wds.WebLoader(pipeline_over(shard).batched(3), batch_size=None, num_workers=2)
    found = from_object(loader, TargetOptions("loader", loader=LoaderOptions(num_workers=0)))
    assert labels(found.loader) == [[0, 1, 2], [3, 4, 5]]
    assert (found.spec.num_workers, loader.pipeline[0].num_workers) == (0, 2)


def test_a_bare_pipeline_is_batched_unless_it_does_so_itself(shard) -> None:
    """A pipeline with a stage that batches is not batched again."""
    plain, batched = pipeline_over(shard), pipeline_over(shard).batched(3)
    taken_apart = pipeline_over(shard).batched(3).unbatched()
    found = [from_object(p, TargetOptions("p")) for p in (plain, batched, taken_apart)]
    assert [(f.spec.kind, f.spec.given, f.spec.batch_size) for f in found] == [
        ("iterable", "dataset", 8), ("iterable", "dataset", None), ("iterable", "dataset", 8),
    ]  # fmt: skip
    assert [labels(f.loader) for f in found] == [
        [[0, 1, 2, 3, 4, 5]],
        [[0, 1, 2], [3, 4, 5]],
        [[0, 1, 2, 3, 4, 5]],
    ]
