package dev.claimstream.audit.streams;

import dev.claimstream.allocation.router.Router;
import dev.claimstream.allocation.router.RouterOutput;
import dev.claimstream.allocation.router.RouterState;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.LogVerifier.TimeRange;
import dev.claimstream.audit.OffsetGap;
import dev.claimstream.audit.streams.LedgerComparison.ExpectedEvents;
import dev.claimstream.kafka.AvroSerde;
import dev.claimstream.kafka.DecodeResult;
import dev.claimstream.kafka.RecordSerde;
import dev.claimstream.schemas.CellInputRecord;
import dev.claimstream.schemas.LedgerEvent;
import dev.claimstream.schemas.RouterInputRecord;
import dev.claimstream.wire.RouterInputCodec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;

/**
 * Replays the router of several cells.
 *
 * <p>No archive has a state of the router, so the replay begins at the first input, or at a rebuild if earlier inputs are lost, also for a
 * later beginning of the range.
 */
final class RouterReplay implements LedgerReplay {
    private final AuditLog log;
    private final int cells;
    private final TimeRange range;
    private final RecordSerde<RouterInputRecord> serde;
    private final LedgerComparison ledger;
    private Router router;
    private boolean isLinked;
    private boolean isOver;
    private long from;
    private long nextInput;

    /** @param cells number of cells, at least two; no {@link #obstacle} may exist */
    RouterReplay(AuditLog log, int cells, TimeRange range) {
        this.log = log;
        this.cells = cells;
        this.range = range;
        serde = serde(log);
        ledger = new LedgerComparison(log, LogVerifier.ROUTER_INPUTS, 0, cells);
        router = emptyRouter();
    }

    private static RecordSerde<RouterInputRecord> serde(AuditLog log) {
        return AvroSerde.of(RouterInputRecord.class, new LogSchemas(log));
    }

    private Router emptyRouter() {
        return new Router(new RouterState(cells));
    }

    /**
     * Why the router cannot be replayed, for people; empty if it can be, or if one cell has no router.
     *
     * @throws AuditException if a record cannot be read
     */
    static Optional<String> obstacle(AuditLog log, int cells) {
        if (cells < 2) {
            return Optional.empty();
        }
        if (!log.partitions(LogVerifier.ROUTER_INPUTS).contains(0)) {
            return Optional.of("router: not replayed, because the log does not have its inputs (%s)"
                    .formatted(LogVerifier.ROUTER_INPUTS));
        }
        if (!log.partitions(LogVerifier.LEDGER).contains(cells)) {
            return Optional.of("router: not replayed, because the log does not have its ledger (%s, partition %d)"
                    .formatted(LogVerifier.LEDGER, cells));
        }
        return firstInput(log).isPresent()
                ? Optional.empty()
                : Optional.of(
                        "router: not replayed, because its first inputs are deleted or erased, and no rebuild follows them");
    }

    /** The beginning of the inputs, or the first rebuild after inputs that are deleted or erased. */
    private static OptionalLong firstInput(AuditLog log) {
        long end = log.end(LogVerifier.ROUTER_INPUTS, 0);
        long begin = log.gaps(LogVerifier.ROUTER_INPUTS, 0, 0, end).stream()
                .mapToLong(OffsetGap::to)
                .max()
                .orElse(0);
        if (begin == 0 && first(log, end, _ -> true).filter(LogRecord::isErased).isEmpty()) {
            return OptionalLong.of(0);
        }
        RecordSerde<RouterInputRecord> serde = serde(log);
        return first(
                        log,
                        end,
                        record -> record.offset() >= begin
                                && !record.isErased()
                                && rebuild(decode(serde, record)).isPresent())
                .map(record -> OptionalLong.of(record.offset()))
                .orElse(OptionalLong.empty());
    }

    private static Optional<LogRecord> first(AuditLog log, long end, Predicate<LogRecord> condition) {
        List<LogRecord> found = new ArrayList<>();
        log.forEach(LogVerifier.ROUTER_INPUTS, 0, log.begin(LogVerifier.ROUTER_INPUTS, 0), end, record -> {
            if (condition.test(record)) {
                found.add(record);
            }
            return found.isEmpty();
        });
        return found.stream().findFirst();
    }

    /** @throws AuditException if the record is not an input, or names were erased in it */
    private static RouterInputRecord decode(RecordSerde<RouterInputRecord> serde, LogRecord record) {
        if (record.isErased()) {
            throw new AuditException(
                    "%s: names were erased in this input, so the router cannot decide it again: replay a copy of the archive with names"
                            .formatted(record.position()));
        }
        return switch (serde.read(record.topic(), record.value().orElse(null))) {
            case DecodeResult.Value<RouterInputRecord>(RouterInputRecord input) -> input;
            case DecodeResult.Tombstone<RouterInputRecord> _ ->
                throw RecordedEvents.unreadable(record, "it has no value");
            case DecodeResult.Failure<RouterInputRecord> failure ->
                throw RecordedEvents.unreadable(record, failure.message());
        };
    }

    private static Optional<CellInputRecord> rebuild(RouterInputRecord input) {
        return input.getObservation().filter(each -> each.getRebuild().isPresent());
    }

    @Override
    public void begin() {
        from = firstInput(log).orElseThrow(() -> new IllegalStateException("the router cannot be replayed"));
        nextInput = from;
        ledger.recorded().skipTo(from);
        link();
    }

    /** The chain begins at the first event: earlier ones may be deleted. */
    private void link() {
        if (!isLinked) {
            ledger.recorded().peek().ifPresent(first -> {
                ledger.chain().resume(first.event().getPreviousHash());
                isLinked = true;
            });
        }
    }

    @Override
    public void advance() {
        ledger.recorded().refresh();
        link();
        if (isFinished()) {
            return;
        }
        long end = log.end(LogVerifier.ROUTER_INPUTS, 0);
        log.forEach(LogVerifier.ROUTER_INPUTS, 0, nextInput, end, record -> {
            if (isFinished()) {
                return false;
            }
            step(record.offset(), decode(serde, record));
            nextInput = record.offset() + 1;
            return !isFinished();
        });
    }

    private boolean isFinished() {
        return isOver
                || ledger.divergence().isPresent()
                || ledger.recorded().peek().isEmpty();
    }

    @Override
    public LogReplay.CellSummary finish() {
        if (!isOver) {
            ledger.finish(events -> RouterSurroundings.lines(router.state(), events, List.of()));
        }
        return summary();
    }

    @Override
    public LogReplay.CellSummary summary() {
        return ledger.summary(from, 0);
    }

    private void step(long offset, RouterInputRecord input) {
        if (range.to().filter(input.getAt()::isAfter).isPresent()) {
            isOver = true;
            return;
        }
        ledger.take(offset, events -> RouterSurroundings.lines(router.state(), events, List.of()))
                .ifPresent(expected -> compare(offset, input, expected));
    }

    private void compare(long offset, RouterInputRecord input, ExpectedEvents expected) {
        List<LedgerEvent> replayed = replay(offset, input, expected.engine());
        if (!ledger.compare(expected, replayed)) {
            ledger.diverge(
                    offset,
                    input.getAt(),
                    InputText.of(input),
                    input.toString(),
                    expected,
                    replayed,
                    RouterSurroundings.lines(stateBefore(offset), expected.events(), replayed));
        }
    }

    private List<LedgerEvent> replay(long offset, RouterInputRecord input, String engine) {
        List<LedgerEvent> replayed = new ArrayList<>();
        Instant at = input.getAt();
        if (rebuild(input).isPresent()) {
            router = emptyRouter();
            replayed.add(ledger.chain().rebuild(offset, at, engine));
            return replayed;
        }
        RouterInputCodec.from(offset, input).ifPresent(each -> {
            for (RouterOutput output : router.step(each).outputs()) {
                if (output instanceof RouterOutput.PublicOutput(var publicOutput)) {
                    CellReplay.event(ledger.chain(), offset, at, publicOutput, engine)
                            .ifPresent(replayed::add);
                }
            }
        });
        return replayed;
    }

    /** A step of the router cannot be undone, so a second router gets the inputs before it. */
    private RouterState stateBefore(long offset) {
        var before = new RouterReplay(log, cells, TimeRange.ALL);
        log.forEach(LogVerifier.ROUTER_INPUTS, 0, from, offset, record -> {
            before.replay(record.offset(), decode(serde, record), "");
            return true;
        });
        return before.router.state();
    }
}
