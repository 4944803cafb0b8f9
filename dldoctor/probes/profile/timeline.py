"""Puts the stamps of a run on one time line: what each batch was doing, from its index to the consumer."""

from __future__ import annotations

from dataclasses import dataclass

from dldoctor.probes.profile.run import Run
from dldoctor.probes.profile.worker_record import BatchRecord, KeyName, unpack


@dataclass(frozen=True)
class Made:
    """A batch with everything known about it; times as the clock gave them, 0 where there is none."""

    number: int
    epoch: int
    record: BatchRecord
    issued_ns: int
    sending_ns: int
    sent_ns: int
    receiving_ns: int
    received_ns: int
    pinning_ns: int
    pinned_ns: int
    send_cpu_ns: int
    receive_cpu_ns: int
    asked_ns: int
    delivered_ns: int

    @property
    def start_ns(self) -> int:
        """When its first sample began."""
        return self.record.groups[0].start_ns if self.record.groups else self.record.collate_start_ns

    @property
    def fetched_ns(self) -> int:
        """When its last sample was there."""
        return self.record.groups[-1].end_ns if self.record.groups else self.record.collate_start_ns

    @property
    def made_ns(self) -> int:
        """Time that it took in its process: samples, collate, serialising."""
        sending = self.sent_ns - self.sending_ns if self.sending_ns else 0
        return self.record.collate_end_ns - self.start_ns + sending

    @property
    def ready_ns(self) -> int:
        """When it could have been taken."""
        return self.sent_ns or self.record.collate_end_ns

    @property
    def samples(self) -> int:
        """How many samples it holds."""
        return sum(len(group.ids) for group in self.record.groups)


class Names:
    """Keys of all processes; the same statement has one name whatever its number there."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._names: dict[tuple[int, int], KeyName] = {}

    def learn(self, record: BatchRecord) -> None:
        """Take the names that came with a record."""
        for key, name in record.names.items():
            self._names[record.worker, key] = name

    def of(self, worker: int, key: int) -> KeyName | None:
        """Return the name of a key; None for time that no timer covers."""
        return self._names.get((worker, key))


def timeline(run: Run, names: Names, *, in_order: bool) -> list[Made]:
    """Return the batches of a run in the order in which they were delivered."""
    found = []
    for one in run.deliveries:
        if one.arrived is None:
            continue
        before, after = one.arrived.before, one.arrived.after
        record = unpack(one.arrived.record)
        names.learn(record)
        number = one.number
        issued = run.issued[number].given_ns if in_order and number < len(run.issued) else 0
        start = record.groups[0].start_ns if record.groups else record.collate_start_ns
        found.append(
            Made(
                number=number,
                epoch=one.epoch,
                record=record,
                issued_ns=issued if issued and issued <= start else 0,
                sending_ns=before.sent_ns,
                sent_ns=after.sent_ns,
                receiving_ns=before.received_ns,
                received_ns=after.received_ns,
                pinning_ns=before.pinned_ns,
                pinned_ns=after.pinned_ns,
                send_cpu_ns=max(0, after.sent_cpu_ns - before.sent_cpu_ns),
                receive_cpu_ns=max(0, after.thread_cpu_ns - before.thread_cpu_ns),
                asked_ns=one.asked_ns,
                delivered_ns=one.delivered_ns,
            )
        )
    return found
