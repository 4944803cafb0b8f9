"""Runs the loader for a bounded number of batches and sends what its rows show."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.labels import LabelsEvidence, Vocabulary
from dldoctor.foreign import attribute
from dldoctor.intent import Inferred, Intent
from dldoctor.probes.instrument import instrument, restrict
from dldoctor.probes.labels.aligned import aligned
from dldoctor.probes.labels.collate_order import order_matters
from dldoctor.probes.labels.collect import LabelCollector
from dldoctor.probes.labels.limits import limit_of, settings_of, try_without
from dldoctor.probes.labels.markers import declared_marker, speakers_of
from dldoctor.probes.labels.own_tokens import own_tokens
from dldoctor.probes.labels.perturb import perturb
from dldoctor.probes.labels.trace import Trace, TracedCollate, parted
from dldoctor.probes.labels.vocabulary import Tokenizer, find_tokenizer
from dldoctor.probes.loader import seed_generators
from dldoctor.probes.noted_batches import Extent, NotedBatch, read_noted, uninstrumented
from dldoctor.probes.watch import WatchConfig
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline

DEFAULT_BATCHES = 100
DEFAULT_SECONDS = 30.0


def run(pipeline: Pipeline, session: Session) -> None:
    """Read batches, reduce their rows, and send the evidence."""
    intent = session.intent
    seed_generators(session.limits.seed)
    tokenizer = find_tokenizer(pipeline, session.intent.tokenizer)
    starts = [
        ("collate", attribute(pipeline.torch_loader, "collate_fn", None)),
        ("dataset", pipeline.dataset),
    ]
    limits = settings_of(starts)
    collector = LabelCollector(
        intent, tokenizer, vocabulary(intent, tokenizer), declared_marker(starts, tokenizer),
        speakers_of(tokenizer), _kept_roles(session),
    )  # fmt: skip
    bare = uninstrumented(pipeline)
    if refused := restrict(pipeline, session.limits):
        session.cut(refused)
    config = WatchConfig(session.staging, token=f"labels-{os.getpid()}", previews=0)
    form = instrument(pipeline, config)
    if form != "none":
        attributes = vars(pipeline.torch_loader)
        attributes["collate_fn"] = TracedCollate(attributes["collate_fn"])
    extent = Extent(DEFAULT_BATCHES, DEFAULT_SECONDS, epochs=max(1, session.limits.epochs))
    read_noted(
        pipeline, session, collector, config, extent,
        form=form, parted=parted, take=lambda noted: _take(noted, collector),
    )  # fmt: skip
    collector.settle()
    session.channel.send("inferred", roles=collector.roles)
    if not collector.groups and not collector.evidence().classes:
        seen = (
            "no batch could be read"
            if not collector.batches
            else "the batches hold neither token ids nor labels"
        )
        session.missing("labels", seen)
        return
    session.evidence("labels", _with_trials(bare, session, collector, limits))


def _take(noted: NotedBatch, collector: LabelCollector) -> None:
    if noted.record is None:
        collector.take(noted.batch, (), None)
    elif noted.batch is not None:
        trace: Trace = noted.note
        fits = len(trace.samples) == len(noted.samples)
        collector.take(noted.batch, noted.samples, trace if fits else Trace((), trace.dropped))


def vocabulary(intent: Intent, tokenizer: Tokenizer | None) -> Vocabulary:
    """Return the ids that are declared, or that the tokenizer tells."""
    told = {name: getattr(tokenizer, name) if tokenizer else None for name in ("size", "pad", "eos", "bos")}
    declared = {"size": intent.vocab_size, "pad": intent.pad_id, "eos": intent.eos_id, "bos": intent.bos_id}
    sources = {name: "declared" for name, value in declared.items() if value is not None}
    sources |= {
        name: "tokenizer" for name, value in told.items() if value is not None and name not in sources
    }
    placeholders = intent.image_token_id or (tokenizer.placeholders if tokenizer else ())
    if placeholders:
        sources["placeholders"] = "declared" if intent.image_token_id else "tokenizer"
    return Vocabulary(
        tokenizer=tokenizer.kind if tokenizer else None,
        found_at=tokenizer.at if tokenizer else None,
        placeholders=tuple(placeholders),
        special=tuple(sorted(tokenizer.special))[:256] if tokenizer else (),
        sources=sources,
        **{name: declared[name] if declared[name] is not None else told[name] for name in declared},
    )


def _kept_roles(session: Session) -> dict[str, Inferred]:
    kept = session.request.options.get("roles") or {}
    return {path: Inferred(role, 1.0, "from the roles file") for path, role in kept.items()}


def _with_trials(
    pipeline: Pipeline, session: Session, collector: LabelCollector, limits: Any
) -> LabelsEvidence:
    found = collector.evidence()
    rows = [row for row in found.rows if row.documents == 1]
    limit, source = limit_of(rows, session.intent.max_length, limits)
    found = replace(found, limit=limit, limit_from=source)
    if session.stopping:
        return found
    setting = next((one for one in limits if one.path == source), None)
    if setting is not None:
        trial = try_without(pipeline, session, setting, rows, lambda batch: _measured(batch, collector))
        found = replace(found, trial=trial)
    found = replace(found, order_matters=order_matters(pipeline, session))
    if session.intent.model is not None and collector.packed_example is not None:
        from dldoctor.targets.named_object import find_object

        model = find_object(session.intent.model, option="--model")
        model = model() if not hasattr(model, "eval") and callable(model) else model
        example, group, documents, row = collector.packed_example
        found = replace(found, leak=perturb(session, model, example, group, documents, row))
    return found


def _measured(batch: Any, collector: LabelCollector) -> list[tuple[int, int, int]]:
    """Return real tokens, first target + 1 and last target + 1 of each row, counted from the first real token."""
    measured = []
    held = dict(leaves(batch))
    for state in collector.groups:
        tables = aligned(state.group, held, 1)
        if tables is None:
            continue
        own = own_tokens(tables, [()] * tables.ids.shape[0], collector.words)
        for row, real in enumerate(own.real):
            start, count = int(real.int().argmax()), int(real.sum())
            first = last = 0
            if tables.targets is not None and bool((targets := tables.targets[row] & real).any()):
                places = targets.nonzero().flatten()
                first, last = int(places[0]) - start + 1, int(places[-1]) - start + 1
            measured.append((count, first, last))
    return measured
