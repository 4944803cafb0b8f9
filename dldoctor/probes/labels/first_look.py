"""What the first batches tell: which field is what, which of them belong together, and the ids that nobody declared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dldoctor.evidence.labels import Marker, Vocabulary
from dldoctor.intent import Inferred, Intent
from dldoctor.probes.labels.aligned import Aligned, aligned
from dldoctor.probes.labels.group_state import GroupState, all_rows, merge
from dldoctor.probes.labels.kept_roles import verified
from dldoctor.probes.labels.layout import decoder, groups_of
from dldoctor.probes.labels.learning import IdLearner
from dldoctor.probes.labels.own_tokens import Own, own_tokens
from dldoctor.probes.labels.seen import Seen
from dldoctor.probes.labels.vocabulary import Tokenizer
from dldoctor.probes.labels.windows import cut_from_a_stream
from dldoctor.roles.observer import RoleObserver


@dataclass(frozen=True)
class FirstLook:
    """The answer, by which all batches are then looked at."""

    roles: dict[str, Inferred]
    drift: tuple[str, ...]
    """Where the batches contradict the roles file."""
    groups: list[GroupState]
    words: Vocabulary
    marker: Marker | None
    """What stands before answers, as the rows tell."""


def first_look(
    waiting: Sequence[Seen], observer: RoleObserver, intent: Intent, kept: Mapping[str, Inferred],
    tokenizer: Tokenizer | None, words: Vocabulary,
) -> FirstLook:  # fmt: skip
    """Return what the first batches tell."""
    roles, drift = verified(observer.roles(_for_batches(waiting, observer, intent)), kept, observer.paths())
    groups = _groups(waiting, roles, intent)
    learner = IdLearner(words, tokenizer)
    for state in groups:
        for seen in waiting:
            if (found := aligned(state.group, seen.leaves, len(seen.samples))) is not None:
                learner.padding(found)
    for place, state in enumerate(groups):
        for tables, own in _tables(state, waiting, learner.words):
            learner.rows(tables, own, place)
    words = learner.settled()
    if words.eos is not None and words.sources.get("eos") != "guess":
        for state in groups:
            state.stream = not state.group.decoder and cut_from_a_stream(
                list(_tables(state, waiting, words)), words.eos
            )
    return FirstLook(roles, drift, groups, words, learner.marker())


def _groups(waiting: Sequence[Seen], roles: Mapping[str, Inferred], intent: Intent) -> list[GroupState]:
    groups: list[GroupState] = []
    for seen in waiting:
        for group in groups_of(seen.leaves, roles, intent, len(seen.samples)):
            merge(groups, group)
    for state in tuple(groups):
        path = state.weigh_labels(waiting, intent)
        if path is not None:
            merge(groups, decoder(path, all_rows(waiting, path), roles, intent))
    return groups


def _tables(state: GroupState, waiting: Sequence[Seen], words: Vocabulary) -> Iterator[tuple[Aligned, Own]]:
    """Yield the tables of a group in each batch that has it, with what of them is real."""
    for seen in waiting:
        tables = aligned(state.group, seen.leaves, len(seen.samples))
        if tables is not None:
            parts, _ = state.traced(seen, tables, words, early=True)
            yield tables, own_tokens(tables, parts, words)


def _for_batches(waiting: Sequence[Seen], observer: RoleObserver, intent: Intent) -> dict[str, str]:
    """Return the declared fields without those that only the samples have (a source, an id)."""
    in_samples = {path for seen in waiting for path in seen.sample_paths()}
    in_batches = set(observer.paths())
    return {
        role: path for role, path in intent.fields.items() if path in in_batches or path not in in_samples
    }
