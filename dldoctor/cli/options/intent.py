"""What the pipeline is for, as the user declares it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

import typer

from dldoctor.cli.options import parse
from dldoctor.intent import Attention, BoxFormat, ChannelOrder, Role, ShiftedBy, Task

_PURPOSE = "Purpose"
_TOKENS = "Token ids"
_LABELS = "Labels"
_BOXES = "Boxes and pairs"
_FIELDS = "Fields and budgets"


@dataclass(frozen=True)
class IntentGroup:
    """Declared intent; what is not declared is judged with care."""

    role: Annotated[Role | None, typer.Option(help="What the loader feeds.", rich_help_panel=_PURPOSE)] = None
    task: Annotated[Task | None, typer.Option(help="What is learned.", rich_help_panel=_PURPOSE)] = None
    replacement: Annotated[
        bool | None, typer.Option(help="Repeated samples are meant.", rich_help_panel=_PURPOSE)
    ] = None
    substitutes: Annotated[
        bool | None,
        typer.Option(
            help="A failing sample is replaced on purpose, within bounds.", rich_help_panel=_PURPOSE
        ),
    ] = None
    scaled_on_device: Annotated[
        bool | None,
        typer.Option(help="Pixels leave the loader as 0..255 on purpose.", rich_help_panel=_PURPOSE),
    ] = None

    set_epoch: Annotated[
        str | None,
        typer.Option(
            metavar="FILE:NAME", rich_help_panel=_PURPOSE,
            help="What your loop calls with the loader and the epoch before each epoch; `none`: nothing.",
        ),
    ] = None  # fmt: skip

    step_ms: Annotated[
        float | None,
        typer.Option(
            min=0.001, metavar="MS", rich_help_panel=_PURPOSE,
            help="How long your training step takes for a batch; it is then simulated by waiting.",
        ),
    ] = None  # fmt: skip
    device: Annotated[
        str | None,
        typer.Option(metavar="auto|cpu|cuda:0|sim", help="Where --step runs.", rich_help_panel=_PURPOSE),
    ] = None
    step: Annotated[
        str | None,
        typer.Option(
            metavar="FILE:NAME", rich_help_panel=_PURPOSE,
            help="Your training step, called with each batch.",
        ),
    ] = None  # fmt: skip

    pad_id: Annotated[
        int | None, typer.Option(metavar="ID", help="Padding token.", rich_help_panel=_TOKENS)
    ] = None
    eos_id: Annotated[
        int | None, typer.Option(metavar="ID", help="End-of-text token.", rich_help_panel=_TOKENS)
    ] = None
    bos_id: Annotated[
        int | None, typer.Option(metavar="ID", help="Start-of-text token.", rich_help_panel=_TOKENS)
    ] = None
    vocab_size: Annotated[int | None, typer.Option(min=1, metavar="N", rich_help_panel=_TOKENS)] = None
    max_length: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Longest text that the model takes.", rich_help_panel=_TOKENS),
    ] = None

    ignore_index: Annotated[
        int | None,
        typer.Option(metavar="N", help="Label that the loss leaves out (-100).", rich_help_panel=_LABELS),
    ] = None
    num_classes: Annotated[int | None, typer.Option(min=1, metavar="N", rich_help_panel=_LABELS)] = None
    labels_shifted_by: Annotated[
        ShiftedBy | None,
        typer.Option(help="Who moves labels by one position.", rich_help_panel=_LABELS),
    ] = None
    completion_only: Annotated[
        bool | None,
        typer.Option(help="Only answers are to be trained.", rich_help_panel=_LABELS),
    ] = None
    last_turn_only: Annotated[
        bool | None,
        typer.Option(help="Only the last answer is to be trained.", rich_help_panel=_LABELS),
    ] = None
    allow_cross_document: Annotated[
        bool | None,
        typer.Option(help="Documents of a pack may see each other.", rich_help_panel=_LABELS),
    ] = None
    attn: Annotated[
        Attention | None,
        typer.Option(help="Attention of the model; flash goes by positions.", rich_help_panel=_LABELS),
    ] = None
    image_token_id: Annotated[
        list[int] | None,
        typer.Option(
            metavar="ID", rich_help_panel=_TOKENS,
            help="Placeholder of an image, sound or video; may be negative. Repeatable.",
        ),
    ] = None  # fmt: skip
    image_tag: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", rich_help_panel=_TOKENS,
            help="What stands for an image in the texts of samples, before it is expanded.",
        ),
    ] = None  # fmt: skip
    merge_size: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", rich_help_panel=_TOKENS,
            help="Patches a side that one placeholder stands for.",
        ),
    ] = None  # fmt: skip
    channel_order: Annotated[
        ChannelOrder | None,
        typer.Option(help="Order of colours in the pixels (rgb).", rich_help_panel=_BOXES),
    ] = None
    box_format: Annotated[
        BoxFormat | None,
        typer.Option(help="What the four numbers of a box are.", rich_help_panel=_BOXES),
    ] = None
    boxes_normalised: Annotated[
        bool | None,
        typer.Option(help="Coordinates of boxes are shares of the sides.", rich_help_panel=_BOXES),
    ] = None
    scorer: Annotated[
        str | None,
        typer.Option(
            metavar="FILE:NAME", rich_help_panel=_BOXES,
            help="Called with a list of images and a list of texts: one number a pair, higher is closer.",
        ),
    ] = None  # fmt: skip
    tokenizer: Annotated[
        str | None,
        typer.Option(
            metavar="FILE:NAME", rich_help_panel=_TOKENS,
            help="Your tokenizer, or what returns it; without it one is looked for on collate and dataset.",
        ),
    ] = None  # fmt: skip
    model: Annotated[
        str | None,
        typer.Option(
            metavar="FILE:NAME", rich_help_panel=_LABELS,
            help="Your model, or what returns it: tries whether documents of a pack see each other.",
        ),
    ] = None  # fmt: skip

    field: Annotated[
        list[Any] | None,
        typer.Option(
            metavar="ROLE=PATH", parser=parse.field_role, rich_help_panel=_FIELDS,
            help="What a field holds: --field token_ids=input_ids, --field sample_id=meta.id. Repeatable.",
        ),
    ] = None  # fmt: skip
    budget: Annotated[
        list[Any] | None,
        typer.Option(
            metavar="NAME=VALUE", parser=parse.budget, rich_help_panel=_FIELDS,
            help="A limit whose miss is an error: --budget padding=0.3. Repeatable.",
        ),
    ] = None  # fmt: skip

    def declared(self) -> dict[str, Any]:
        """Return the fields of `dldoctor.intent.Intent` that were given, but for fields and budgets."""
        named = {
            option.name: getattr(self, option.name)
            for option in fields(self)
            if option.name not in ("field", "budget")
        }
        if named["image_token_id"]:
            named["image_token_id"] = tuple(named["image_token_id"])
        return {name: value for name, value in named.items() if value not in (None, [])}
