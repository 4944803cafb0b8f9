"""What a transform encoded is left alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from dldoctor.child.fork import run_in_fork
from dldoctor.probes.probe_pictures.decoders import Decoders
from tests.probes.probe_pictures.test_filling import photo


def test_what_was_just_encoded_is_no_picture_of_the_dataset(tmp_path: Path) -> None:
    """A transform that lowers the quality encodes and decodes again."""
    photo().save(tmp_path / "one.png")

    def tried() -> list[Any]:
        import io

        from PIL import Image

        decoders = Decoders()
        decoders.install(None)
        decoders.begin("red")
        Image.open(tmp_path / "one.png").load()
        buffer = io.BytesIO()
        photo().save(buffer, "JPEG")
        Image.open(buffer).load()
        decoders.drawing = None
        return [(one.reader, one.suffix) for one in decoders.exchanged]

    assert run_in_fork(str(tmp_path), tried) == [["PIL.Image.open", ".png"]]
