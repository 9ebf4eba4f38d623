package dev.claimstream.audit.streams;

import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.streams.RecordedEvents.RecordedEvent;
import dev.claimstream.schemas.LedgerEvent;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/** Compares the events of one ledger with those of a replay, input by input. Not safe for several threads. */
final class LedgerComparison {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final AuditLog log;
    private final String topic;
    private final int partition;
    private final int ledger;
    private final RecordedEvents recorded;
    private final LedgerChain chain;
    private final SortedSet<String> engines = new TreeSet<>();
    private Optional<Divergence> divergence = Optional.empty();
    private long inputs;
    private long events;
    private long otherBytes;
    private ByteBuffer head = NOTHING;

    /**
     * @param topic topic of the inputs
     * @param partition partition of the inputs
     * @param ledger partition of the ledger
     */
    LedgerComparison(AuditLog log, String topic, int partition, int ledger) {
        this.log = log;
        this.topic = topic;
        this.partition = partition;
        this.ledger = ledger;
        recorded = new RecordedEvents(log, ledger);
        chain = new LedgerChain(ledger, NOTHING);
    }

    /**
     * The events of one input.
     *
     * @param cause why they do not continue the hash chain; empty if they do
     */
    record ExpectedEvents(List<LedgerEvent> events, Optional<String> cause) {
        /** Fingerprint of the engine that made the events; empty without events. */
        String engine() {
            return events.stream().findFirst().map(LedgerEvent::getEngine).orElse("");
        }
    }

    /** The recorded events that are not compared yet. */
    RecordedEvents recorded() {
        return recorded;
    }

    /** Makes the events of the replay. */
    LedgerChain chain() {
        return chain;
    }

    Optional<Divergence> divergence() {
        return divergence;
    }

    /**
     * Takes the events of an input; empty, and a divergence, if an earlier input has an event and is missing.
     *
     * @param state describes the state before the input around events
     */
    Optional<ExpectedEvents> take(long input, Function<List<LedgerEvent>, List<String>> state) {
        Optional<RecordedEvent> next = recorded.peek();
        if (next.filter(each -> each.input() < input).isPresent()) {
            divergeWithoutInput(
                    next.get(),
                    "%s, partition %d, has no record at offset %d, or an event before this one names a later input"
                            .formatted(topic, partition, next.get().input()),
                    state);
            return Optional.empty();
        }
        List<RecordedEvent> taken = recorded.take(input);
        taken.forEach(each -> engines.add(each.event().getEngine()));
        return Optional.of(new ExpectedEvents(
                taken.stream().map(RecordedEvent::event).toList(),
                taken.stream().flatMap(each -> each.chainProblem().stream()).findFirst()));
    }

    /** Compares the events of an input; returns whether they are equal. */
    boolean compare(ExpectedEvents expected, List<LedgerEvent> replayed) {
        inputs++;
        if (!isEqual(expected.events(), replayed) || expected.cause().isPresent()) {
            return false;
        }
        if (!expected.events().isEmpty()) {
            events += expected.events().size();
            head = expected.events().getLast().getHash();
            chain.resume(head);
        }
        return true;
    }

    /** Whether the content of all events is equal. The chain of the recorded events is checked from their bytes, as a map has no order. */
    private boolean isEqual(List<LedgerEvent> expected, List<LedgerEvent> replayed) {
        boolean isEqual = expected.size() == replayed.size();
        for (int i = 0; isEqual && i < expected.size(); i++) {
            LedgerEvent event = expected.get(i);
            boolean hasSameHash = event.getHash().equals(replayed.get(i).getHash());
            isEqual = hasSameHash || content(event).equals(content(replayed.get(i)));
            otherBytes += hasSameHash || !isEqual ? 0 : 1;
        }
        return isEqual;
    }

    /** The event without what follows from its bytes. */
    private static LedgerEvent content(LedgerEvent event) {
        return new LedgerEvent(
                event.getCell(),
                event.getOffset(),
                event.getIndex(),
                event.getAt(),
                event.getEvent(),
                event.getDecision().orElse(null),
                event.getAlarm().orElse(null),
                event.getStateHash().orElse(null),
                "",
                NOTHING,
                NOTHING);
    }

    /**
     * Ends the comparison: the events of an input differ.
     *
     * @param text the input in a few words
     * @param content the input as JSON
     * @param state the state before the input
     */
    void diverge(
            long input,
            Instant at,
            String text,
            String content,
            ExpectedEvents expected,
            List<LedgerEvent> replayed,
            List<String> state) {
        divergence = Optional.of(new Divergence(
                ledger,
                topic,
                input,
                at,
                text,
                Optional.of(content),
                expected.cause(),
                expected.events().stream().map(Divergence::text).toList(),
                replayed.stream().map(Divergence::text).toList(),
                state));
    }

    /** Ends the comparison after the last input: a remaining event is a divergence. */
    void finish(Function<List<LedgerEvent>, List<String>> state) {
        if (divergence.isEmpty()) {
            long end = log.end(topic, partition);
            recorded.peek()
                    .ifPresent(each -> divergeWithoutInput(
                            each,
                            "%s, partition %d, ends at offset %d, and the ledger has events of later inputs"
                                    .formatted(topic, partition, end),
                            state));
        }
    }

    private void divergeWithoutInput(
            RecordedEvent next, String cause, Function<List<LedgerEvent>, List<String>> state) {
        List<LedgerEvent> left =
                recorded.take(next.input()).stream().map(RecordedEvent::event).toList();
        divergence = Optional.of(new Divergence(
                ledger,
                topic,
                next.input(),
                next.event().getAt(),
                "missing input",
                Optional.empty(),
                next.chainProblem().or(() -> Optional.of(cause)),
                left.stream().map(Divergence::text).toList(),
                List.of(),
                state.apply(left)));
    }

    /**
     * @param from offset of the first input
     * @param snapshots number of state hashes that were compared
     */
    LogReplay.CellSummary summary(long from, long snapshots) {
        return new LogReplay.CellSummary(
                ledger, topic, from, inputs, events, otherBytes, snapshots, engines, hex(head), divergence);
    }

    static String hex(ByteBuffer bytes) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        return HexFormat.of().formatHex(copy);
    }
}
