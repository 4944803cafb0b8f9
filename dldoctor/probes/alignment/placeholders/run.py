"""Probe ``placeholders``: runs the loader for a bounded number of batches and counts what they hold."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dldoctor.child.session import Session
from dldoctor.finding import SampleId, StreamPosition
from dldoctor.probes.alignment.placeholders.collect import PlaceholderCollector
from dldoctor.probes.alignment.placeholders.known import known_of
from dldoctor.probes.alignment.placeholders.notes import TAGS, Note, NotedCollate, parted
from dldoctor.probes.alignment.placeholders.trial import with_trial
from dldoctor.probes.instrument import instrument, restrict
from dldoctor.probes.labels.limits import settings_of
from dldoctor.probes.labels.run import vocabulary
from dldoctor.probes.labels.vocabulary import Tokenizer, find_tokenizer
from dldoctor.probes.record import Unpacker
from dldoctor.probes.watch import WatchConfig, watch_of
from dldoctor.probes.wrappers import AWAY, Envelope
from dldoctor.targets import Pipeline

BRANCH = "placeholders"
BATCHES = 100
SECONDS = 20.0
ERRORS = 20


def run(pipeline: Pipeline, session: Session) -> None:
    """Read batches, note their samples, and send what they say together."""
    intent = session.intent
    tokenizer = _tokenizer(pipeline, session)
    starts = [("collate", getattr(pipeline.torch_loader, "collate_fn", None)), ("dataset", pipeline.dataset)]
    words = vocabulary(intent, tokenizer)
    known = known_of(intent, tokenizer, words.pad, starts)
    settings = settings_of(starts)
    collector = PlaceholderCollector(intent, words, known, settings)
    bare = _bare(pipeline)
    if refused := restrict(pipeline, session.limits):
        session.cut(refused)
    config = WatchConfig(session.staging, token=f"placeholders-{os.getpid()}", previews=0)
    form = instrument(pipeline, config)
    if form != "none":
        attributes = vars(pipeline.torch_loader)
        own = [text for _, text in known.named if text]
        tags = [intent.image_tag] if intent.image_tag else [*dict.fromkeys((*own, *TAGS))]
        attributes["collate_fn"] = NotedCollate(attributes["collate_fn"], tags)
    _read(pipeline, session, collector, config, form)
    found = collector.evidence()
    session.channel.send("inferred", roles=collector.roles)
    if not found.streams and found.tags is None and not found.counts:
        session.missing(BRANCH, "the batches hold no images, clips or sounds beside token ids")
        return
    session.evidence(BRANCH, found)
    if (tried := with_trial(bare, session, found, settings, words.pad)) is not found:
        session.evidence(BRANCH, tried)


def _bare(pipeline: Pipeline) -> Pipeline:
    """Keep the user's own dataset and collate, for reading that nobody watches."""
    inner = pipeline.torch_loader
    return pipeline if inner is None else replace(pipeline, torch_loader=copy.copy(inner))


def _tokenizer(pipeline: Pipeline, session: Session) -> Tokenizer | None:
    spec = session.intent.tokenizer
    if spec is None:
        return find_tokenizer(pipeline)
    from dldoctor.targets.named_object import find_object

    return find_tokenizer(pipeline, find_object(spec, option="--tokenizer"))


def _read(
    pipeline: Pipeline, session: Session, collector: PlaceholderCollector, config: WatchConfig, form: str
) -> None:
    unpacker, errors = Unpacker(), 0
    session.note("start")
    iterator = iter(pipeline.loader)
    while (reason := _spent(session, collector)) is None:
        watch_of(config).note("next")
        try:
            batch = next(iterator)
        except StopIteration:
            break
        except Exception as error:  # noqa: BLE001 - the user's code; dry-run tells more of it
            errors += 1
            if "exited unexpectedly" in str(error) or errors == ERRORS:
                session.cut(f"the loader raised {type(error).__name__}; `dldoctor dry-run` looks into it")
                break
            continue
        _take(batch, collector, unpacker, pipeline, form)
        session.progress(batches=collector.batches, samples=collector.samples)
    if reason:
        session.cut(reason)
    watch_of(config).note("shutdown")
    del iterator


def _spent(session: Session, collector: PlaceholderCollector) -> str | None:
    limits = session.limits
    undeclared = limits.batches is None and limits.samples is None and not limits.ids
    most = limits.batches if not undeclared or limits.time_budget_s else BATCHES
    seconds = limits.time_budget_s or (SECONDS if undeclared else None)
    if session.stopping:
        return "interrupted"
    if most is not None and collector.batches >= most:
        return f"placeholders: stopped after {most} batches"
    if limits.samples is not None and collector.samples >= limits.samples:
        return f"placeholders: stopped after {limits.samples} samples"
    if collector.full:
        return f"placeholders: stopped after {collector.batches} batches, for memory"
    late = seconds is not None and session.elapsed_s() >= seconds
    return f"placeholders: stopped after {seconds:g} s" if late else None


def _take(
    batch: Any, collector: PlaceholderCollector, unpacker: Unpacker, pipeline: Pipeline, form: str
) -> None:
    packed = (
        batch.record if isinstance(batch, Envelope) else AWAY.popleft() if form == "aside" and AWAY else None
    )
    plain = batch.batch if isinstance(batch, Envelope) else batch
    if packed is None:
        collector.take(plain, (), ())
        return
    data, notes = parted(packed)
    record = unpacker.unpack(data)
    if any(one.failure is not None for one in record.samples):
        return
    ids = [_sample_id(pipeline, record.worker, one.id) for one in record.samples]
    if record.failure is not None or plain is None:
        collector.take_failed(ids, _fitting(notes, ids))
    else:
        collector.take(plain, ids, _fitting(notes, ids))


def _fitting(notes: Sequence[Note], ids: Sequence[SampleId]) -> Sequence[Note]:
    return notes if len(notes) == len(ids) else ()


def _sample_id(pipeline: Pipeline, worker: int, raw: Any) -> SampleId:
    if pipeline.spec.kind == "map":
        return raw if isinstance(raw, (int, str)) else str(raw)
    return StreamPosition(max(worker, 0), int(raw))
