"""Probe ``placeholders``: runs the loader for a bounded number of batches and counts what they hold."""

from __future__ import annotations

import os

from dldoctor.child.session import Session
from dldoctor.foreign import attribute
from dldoctor.probes.alignment.placeholders.collect import PlaceholderCollector
from dldoctor.probes.alignment.placeholders.known import known_of
from dldoctor.probes.alignment.placeholders.notes import TAGS, NotedCollate, parted
from dldoctor.probes.alignment.placeholders.trial import with_trial
from dldoctor.probes.alignment.rows.suspects import PLACEHOLDERS, note_suspects
from dldoctor.probes.instrument import instrument, restrict
from dldoctor.probes.labels.limits import settings_of
from dldoctor.probes.labels.run import vocabulary
from dldoctor.probes.labels.vocabulary import find_tokenizer
from dldoctor.probes.noted_batches import Extent, NotedBatch, fitting, read_noted, uninstrumented
from dldoctor.probes.watch import WatchConfig
from dldoctor.targets import Pipeline

BRANCH = "placeholders"
BATCHES = 100
SECONDS = 20.0


def run(pipeline: Pipeline, session: Session) -> None:
    """Read batches, note their samples, and send what they say together."""
    intent = session.intent
    tokenizer = find_tokenizer(pipeline, intent.tokenizer)
    starts = [
        ("collate", attribute(pipeline.torch_loader, "collate_fn", None)),
        ("dataset", pipeline.dataset),
    ]
    words = vocabulary(intent, tokenizer)
    known = known_of(intent, tokenizer, words.pad, starts)
    settings = settings_of(starts)
    collector = PlaceholderCollector(intent, words, known, settings)
    bare = uninstrumented(pipeline)
    if refused := restrict(pipeline, session.limits):
        session.cut(refused)
    config = WatchConfig(session.staging, token=f"placeholders-{os.getpid()}", previews=0)
    form = instrument(pipeline, config)
    if form != "none":
        attributes = vars(pipeline.torch_loader)
        own = [text for _, text in known.named if text]
        tags = [intent.image_tag] if intent.image_tag else [*dict.fromkeys((*own, *TAGS))]
        attributes["collate_fn"] = NotedCollate(attributes["collate_fn"], tags)
    read_noted(
        pipeline, session, collector, config, Extent(BATCHES, SECONDS, prefix="placeholders: "),
        form=form, parted=parted, take=lambda noted: _take(noted, collector),
    )  # fmt: skip
    found = collector.evidence()
    session.channel.send("inferred", roles=collector.roles)
    if not found.streams and found.tags is None and not found.counts:
        session.missing(BRANCH, "the batches hold no images, clips or sounds beside token ids")
        return
    session.evidence(BRANCH, found)
    note_suspects(session, found)
    session.leave_note(PLACEHOLDERS, [one for stream in found.streams for one in stream.placeholder])
    if (tried := with_trial(bare, session, found, settings, words.pad)) is not found:
        session.evidence(BRANCH, tried)


def _take(noted: NotedBatch, collector: PlaceholderCollector) -> None:
    if noted.record is None:
        collector.take(noted.batch, (), ())
    elif noted.batch is None:
        collector.take_failed(noted.samples, fitting(noted.note, noted.samples))
    else:
        collector.take(noted.batch, noted.samples, fitting(noted.note, noted.samples))
