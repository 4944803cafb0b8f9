"""Runs the loader for a bounded number of batches and sends what its rows show."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from typing import Any

from dldoctor.child.session import Session
from dldoctor.evidence.labels import LabelsEvidence, Vocabulary
from dldoctor.finding import SampleId, StreamPosition
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
from dldoctor.probes.record import Unpacker
from dldoctor.probes.watch import WatchConfig, watch_of
from dldoctor.probes.wrappers import AWAY, Envelope
from dldoctor.roles.flatten import leaves
from dldoctor.targets import Pipeline

DEFAULT_BATCHES = 100
DEFAULT_SECONDS = 30.0
ERRORS_IN_A_ROW = 20


def run(pipeline: Pipeline, session: Session) -> None:
    """Read batches, reduce their rows, and send the evidence."""
    intent = session.intent
    seed_generators(session.limits.seed)
    tokenizer = _tokenizer(pipeline, session)
    starts = [("collate", getattr(pipeline.torch_loader, "collate_fn", None)), ("dataset", pipeline.dataset)]
    limits = settings_of(starts)
    collector = LabelCollector(
        intent, tokenizer, vocabulary(intent, tokenizer), declared_marker(starts, tokenizer),
        speakers_of(tokenizer), _kept_roles(session),
    )  # fmt: skip
    bare = _bare(pipeline)
    if refused := restrict(pipeline, session.limits):
        session.cut(refused)
    config = WatchConfig(session.staging, token=f"labels-{os.getpid()}", previews=0)
    form = instrument(pipeline, config)
    if form != "none":
        attributes = vars(pipeline.torch_loader)
        attributes["collate_fn"] = TracedCollate(attributes["collate_fn"])
    _read(pipeline, session, collector, config, form)
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


def _read(
    pipeline: Pipeline, session: Session, collector: LabelCollector, config: WatchConfig, form: str
) -> None:
    unpacker, limits = Unpacker(), session.limits
    chosen = bool(limits.ids) and pipeline.spec.kind == "map"
    undeclared = limits.batches is None and limits.samples is None and not chosen
    most = limits.batches if not undeclared or limits.time_budget_s else DEFAULT_BATCHES
    seconds = limits.time_budget_s or (DEFAULT_SECONDS if undeclared else None)
    errors = 0
    for epoch in range(max(1, limits.epochs)):
        session.note("start" if not epoch else "iter")
        iterator = iter(pipeline.loader)
        while errors < ERRORS_IN_A_ROW:
            reason = _spent(session, collector, most, seconds)
            if reason:
                session.cut(reason)
                break
            watch_of(config).note("next")
            try:
                batch = next(iterator)
            except StopIteration:
                break
            except Exception as error:  # noqa: BLE001 - the user's code; dry-run tells more of it
                errors += 1
                if "exited unexpectedly" in str(error) or errors == ERRORS_IN_A_ROW:
                    session.cut(f"the loader raised {type(error).__name__}; `dldoctor dry-run` looks into it")
                    break
                continue
            _take(batch, collector, unpacker, pipeline, form)
            session.progress(batches=collector.batches, planned=most, samples=collector.samples)
        watch_of(config).note("shutdown")
        del iterator
        gc.collect()
        if _spent(session, collector, most, seconds):
            break


def _spent(
    session: Session, collector: LabelCollector, most: int | None, seconds: float | None
) -> str | None:
    samples = session.limits.samples
    if session.stopping:
        return "interrupted"
    if most is not None and collector.batches >= most:
        return f"stopped after {most} batches"
    if samples is not None and collector.samples >= samples:
        return f"stopped after {samples} samples"
    if collector.full:
        return f"stopped after {len(collector.rows)} rows"
    return f"stopped after {seconds:g} s" if seconds is not None and session.elapsed_s() >= seconds else None


def _take(batch: Any, collector: LabelCollector, unpacker: Unpacker, pipeline: Pipeline, form: str) -> None:
    packed = (
        batch.record if isinstance(batch, Envelope) else AWAY.popleft() if form == "aside" and AWAY else None
    )
    plain = batch.batch if isinstance(batch, Envelope) else batch
    if packed is None:
        collector.take(plain, (), None)
        return
    data, trace = parted(packed)
    record = unpacker.unpack(data)
    if record.failure is not None or any(one.failure is not None for one in record.samples) or plain is None:
        return
    ids = [_sample_id(pipeline, record.worker, one.id) for one in record.samples]
    collector.take(plain, ids, trace if len(trace.samples) == len(ids) else Trace((), trace.dropped))


def _sample_id(pipeline: Pipeline, worker: int, raw: Any) -> SampleId:
    if pipeline.spec.kind == "map":
        return raw if isinstance(raw, (int, str)) else str(raw)
    return StreamPosition(max(worker, 0), int(raw))


def _bare(pipeline: Pipeline) -> Pipeline:
    """Keep the user's own dataset and collate, for questions that need no watching."""
    import copy

    inner = pipeline.torch_loader
    return pipeline if inner is None else replace(pipeline, torch_loader=copy.copy(inner))


def _tokenizer(pipeline: Pipeline, session: Session) -> Tokenizer | None:
    spec = session.intent.tokenizer
    if spec is None:
        return find_tokenizer(pipeline)
    from dldoctor.targets.named_object import find_object

    return find_tokenizer(pipeline, find_object(spec, option="--tokenizer"))


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
