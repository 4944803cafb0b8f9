"""What the user declares about the pipeline, and what was inferred about its fields."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any, Literal

Role = Literal["train", "eval", "generate"]
Task = Literal[
    "pretrain", "sft", "preference", "seq2seq", "mlm", "classification", "regression",
    "detection", "segmentation", "contrastive", "asr", "other",
]  # fmt: skip

Attention = Literal["eager", "sdpa", "flash"]
BoxFormat = Literal["xyxy", "xywh", "cxcywh"]
ChannelOrder = Literal["rgb", "bgr"]
ShiftedBy = Literal["model", "data"]

FIELD_ROLES = (
    "token_ids", "attention_mask", "labels", "loss_mask", "position_ids", "segment_ids",
    "document_lengths", "prompt_length", "pixel_values", "pixel_mask", "image_counts",
    "image_grid", "image_sizes", "audio", "audio_lengths", "video", "boxes", "box_row",
    "class_label", "segmentation_mask", "keypoints", "text", "timestamps", "sample_id", "group",
    "meta",
)  # fmt: skip
"""Names that ``--field ROLE=PATH`` takes."""


@dataclass(frozen=True)
class Intent:
    """What the user says the pipeline is for. ``None`` or empty means: not declared."""

    role: Role | None = None
    """What the loader feeds."""
    task: Task | None = None
    replacement: bool = False
    """Repeats are meant."""
    substitutes: bool = False
    """A failing sample is replaced on purpose, within bounds."""
    pad_id: int | None = None
    eos_id: int | None = None
    bos_id: int | None = None
    vocab_size: int | None = None
    max_length: int | None = None
    ignore_index: int | None = None
    """Label that the loss leaves out."""
    num_classes: int | None = None
    labels_shifted_by: ShiftedBy | None = None
    """Who moves labels by one position."""
    completion_only: bool = False
    """Only what the assistant says is to be trained."""
    last_turn_only: bool = False
    """Only the last turn of the assistant is to be trained."""
    allow_cross_document: bool = False
    """Documents of a pack may attend to each other."""
    image_token_id: tuple[int, ...] = ()
    """Ids of image, audio and video placeholders; may be negative."""
    image_tag: str | None = None
    """What stands for an image in the texts of samples, before it is expanded."""
    merge_size: int | None = None
    """Patches a side that one placeholder stands for."""
    channel_order: ChannelOrder | None = None
    """Which colour the first channel of pictures is; null: red."""
    box_format: BoxFormat | None = None
    """What the four numbers of a box are."""
    boxes_normalised: bool = False
    """Coordinates of boxes are shares of the picture's sides."""
    scorer: str | None = None
    """``FILE:NAME`` of what is called with images and texts and says how well each pair fits."""
    attn: Attention | None = None
    """Attention of the model; with ``flash``, restarts of positions separate documents."""
    tokenizer: str | None = None
    """``FILE:NAME`` of the tokenizer."""
    model: str | None = None
    """``FILE:NAME`` of the model, or of what returns it."""
    scaled_on_device: bool = False
    """Pixels leave the loader as 0..255 on purpose."""
    set_epoch: str | None = None
    """``FILE:NAME`` of what the training loop calls with the loader and the epoch before each epoch;
    ``none`` where it calls nothing."""
    step_ms: float | None = None
    """How long the consumer takes for a batch, in milliseconds."""
    device: str | None = None
    """Where the step runs: ``auto``, ``cpu``, ``cuda:0``, or ``sim`` for a wait instead."""
    step: str | None = None
    """``FILE:NAME`` of what takes each batch, as the training step would."""
    fields: dict[str, str] = field(default_factory=dict)
    """Field role to path, from ``--field ROLE=PATH``."""
    budgets: dict[str, float] = field(default_factory=dict)
    """Budget name to value, from the config and ``--budget NAME=VALUE``."""

    def declared(self) -> dict[str, Any]:
        """Return only what was declared, for the report."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        # By identity: 0 equals False, and is the pad id of many a tokenizer.
        return {
            name: v for name, v in values.items() if v is not None and v is not False and v not in ({}, ())
        }


BUDGETS = {
    "sample-p50-ms": "median time to read one sample, at most (ms)",
    "samples-per-s": "rate of the loader, at least",
    "memory-fraction": "peak of the memory allowed, at most (0 to 1)",
    "data-wait": "share of the step spent waiting for data, at most (0 to 1)",
    "padding": "share of padded token positions, at most (0 to 1)",
    "truncated": "share of texts cut at the limit, at most (0 to 1)",
}
"""Budgets that can be declared, with what they bound."""


@dataclass(frozen=True)
class Inferred:
    """The role of one field, as its name and values tell."""

    role: str
    confidence: float
    """0 to 1: `certain` from 0.9, `likely` from 0.7, `guess` from 0.4. A guess never makes an
    error."""
    why: str
    """The evidence, as a sentence."""


@dataclass(frozen=True)
class Limits:
    """How much to look at, for how long, and the limits to judge against."""

    batches: int | None = None
    samples: int | None = None
    ids: tuple[int, ...] = ()
    """Only these indices, in this order."""
    epochs: int = 1
    time_budget_s: float | None = None
    seed: int | None = None
    timeout_s: float | None = None
    """No progress for so long is a hang; null: 60 s, or 20 times the slowest batch so far."""
    memory_limit_bytes: int | None = None
    shm_bytes: int | None = None
    ranks: int | None = None


@dataclass(frozen=True)
class LoaderOptions:
    """Loader settings given by option; ``None`` leaves the user's own."""

    batch_size: int | None = None
    num_workers: int | None = None
    collate: str | None = None
    """``FILE:NAME``"""
    sampler: str | None = None
    shuffle: bool | None = None
    drop_last: bool | None = None
    prefetch_factor: int | None = None
    pin_memory: bool | None = None
    persistent_workers: bool | None = None
    start_method: Literal["fork", "spawn", "forkserver"] | None = None

    def chosen(self) -> tuple[str, ...]:
        """Return the names of the settings that were given."""
        return tuple(f.name for f in fields(self) if getattr(self, f.name) is not None)


HYDRA = "hydra:"
"""Begins a target that a configuration of Hydra's describes."""


@dataclass(frozen=True)
class TargetOptions:
    """How to find and call the target."""

    spec: str
    """``file.py:name``, ``package.module:name``, ``notebook.ipynb:name``, ``hydra:DIR/NAME@node`` or a bare file."""
    kwargs: tuple[str, ...] = ()
    """``key=value`` arguments, values as Python literals, a bare word is a string."""
    loader_key: str | None = None
    """Which loader of a dict or data module (``--loader``)."""
    loader: LoaderOptions = LoaderOptions()
    allow_script: bool = False

    @property
    def is_live(self) -> bool:
        """Whether it is an object of this process, which no command line can name."""
        return self.spec.startswith("<")
