package dev.claimstream.audit;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/** Verifies the ledgers of all cells in a log, and compares them with the inputs that they name. */
public final class LogVerifier {
    /** Topic of the ledgers. */
    public static final String LEDGER = "ledger.v1";

    /** Topic of the inputs of the cells. */
    public static final String INPUTS = "cells.in";

    /** Topic of the inputs of the router. Its ledger has the number after the last cell. */
    public static final String ROUTER_INPUTS = "router.in";

    private LogVerifier() {}

    /**
     * The part of the log that is verified, by the timestamps of the records.
     *
     * @param from empty for the beginning of the log
     * @param to empty for the end of the log
     */
    public record TimeRange(Optional<Instant> from, Optional<Instant> to) {
        /** A range without a begin and an end: the whole log. */
        public static final TimeRange ALL = new TimeRange(Optional.empty(), Optional.empty());

        public TimeRange {
            if (from.isPresent() && to.isPresent() && from.get().isAfter(to.get())) {
                throw new IllegalArgumentException(
                        "the range begins at %s and ends at %s".formatted(from.get(), to.get()));
            }
        }
    }

    /**
     * A verified ledger.
     *
     * @param cell number of the cell; the router has the number after the last cell
     * @param begin offset from which the ledger was verified
     * @param isComplete whether the ledger was verified from its first event
     * @param events number of events
     * @param compared number of events whose input was compared
     * @param erased number of events in which names were erased: the chain goes through them, and their content is not verified
     * @param head hash of the last event; empty if there is none
     */
    public record LedgerSummary(
            int cell,
            long begin,
            boolean isComplete,
            long events,
            long compared,
            long erased,
            Optional<Instant> last,
            String head) {}

    /** The result of a verification. */
    public record Report(List<LedgerSummary> ledgers, List<Finding> findings) {
        public Report {
            ledgers = List.copyOf(ledgers);
            findings = List.copyOf(findings);
        }

        /** Number of events of all ledgers. */
        public long events() {
            return ledgers.stream().mapToLong(LedgerSummary::events).sum();
        }
    }

    /**
     * Verifies a log.
     *
     * @throws AuditException if the log cannot be read, or begins after the end of the range
     */
    public static Report verify(AuditLog log, TimeRange range) {
        return verify(log, range, (_, _) -> {});
    }

    /** @param events receives each verified record of the ledgers, in the order of cells and offsets */
    static Report verify(
            AuditLog log, TimeRange range, BiConsumer<LogRecord, LedgerEntryReader.EntryReadResult> events) {
        List<LedgerSummary> ledgers = new ArrayList<>();
        List<Finding> findings = new ArrayList<>();
        int cells = log.partitions(INPUTS).size();
        for (int cell : log.partitions(LEDGER)) {
            ledgers.add(verify(log, range, cell, cells, events, findings));
        }
        return new Report(ledgers, findings);
    }

    private static LedgerSummary verify(
            AuditLog log,
            TimeRange range,
            int cell,
            int cells,
            BiConsumer<LogRecord, LedgerEntryReader.EntryReadResult> events,
            List<Finding> findings) {
        long begin = log.begin(LEDGER, cell);
        long end = log.end(LEDGER, cell);
        long from = range.from().map(time -> log.offsetAt(LEDGER, cell, time)).orElse(begin);
        boolean isComplete = from == 0;
        var chain = new ChainVerifier(isComplete ? Optional.of("") : Optional.empty());
        var reader = new LedgerEntryReader(log::schema);
        Optional<InputComparison> inputs = inputs(log, cell, cells);
        var last = new ArrayList<Instant>();
        var erased = new AtomicLong();
        log.forEach(LEDGER, cell, from, end, record -> {
            if (range.to().filter(record.timestamp()::isAfter).isPresent()) {
                return false;
            }
            LedgerEntryReader.EntryReadResult read = reader.read(record);
            chain.accept(record, read);
            events.accept(record, read);
            if (read instanceof LedgerEntryReader.EntryReadResult.DecodedEntry(LedgerEntry entry) && entry.isIntact()) {
                inputs.ifPresent(each -> each.accept(record, entry));
            }
            erased.setPlain(erased.getPlain() + (record.isErased() ? 1 : 0));
            last.clear();
            last.add(record.timestamp());
            return !chain.isFull();
        });
        findings.addAll(chain.finish());
        inputs.ifPresent(each -> findings.addAll(each.finish()));
        return new LedgerSummary(
                cell,
                from,
                isComplete,
                chain.count(),
                inputs.map(InputComparison::compared).orElse(0L),
                erased.getPlain(),
                last.stream().findFirst(),
                chain.head());
    }

    private static Optional<InputComparison> inputs(AuditLog log, int cell, int cells) {
        if (cell < cells) {
            return Optional.of(new InputComparison(log, INPUTS, cell));
        }
        return log.partitions(ROUTER_INPUTS).contains(0)
                ? Optional.of(new InputComparison(log, ROUTER_INPUTS, 0))
                : Optional.empty();
    }
}
