package dev.claimstream.audit;

import dev.claimstream.audit.Finding.FindingKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Verifies the hash chain of one ledger, event by event.
 *
 * <p>An event that does not continue the chain is a suspect until a later event shows what happened. The memory is bounded: the verifier
 * knows the hashes of the last events only, and it stops to collect findings at a limit. Not safe for several threads.
 */
final class ChainVerifier {
    /** Number of events whose hashes are known. */
    static final int WINDOW = 4096;

    /** Number of findings per ledger. */
    static final int FINDINGS_MAX = 1000;

    private static final int SUSPECTS_MAX = 64;

    private final Map<String, Seat> recent = new LinkedHashMap<>();
    private final Map<String, Seat> suspects = new LinkedHashMap<>();
    private final List<Draft> findings = new ArrayList<>();

    /** The hashes that the next event may name; empty if they are not known. */
    private Optional<Set<String>> heads;

    private String head;
    private Optional<Seat> lastAccepted = Optional.empty();
    private long count;

    /** The place of an event among the events of the ledger, from 0. */
    private record Seat(long number, LogRecord record, LedgerEntry entry) {}

    /** @param expected hash of the event that is missing before the position; empty for other findings */
    private record Draft(Finding finding, String expected) {}

    /** @param anchor hash of the event before the first one; empty if it is not known */
    ChainVerifier(Optional<String> anchor) {
        heads = anchor.map(Set::of);
        head = anchor.orElse("");
    }

    /** Verifies the next record; the entry is empty if it cannot be decoded. */
    void accept(LogRecord record, LedgerEntryReader.EntryReadResult read) {
        switch (read) {
            case LedgerEntryReader.EntryReadResult.Unreadable(String message) -> {
                count++;
                add(record, FindingKind.CHANGED, message);
                heads = Optional.empty();
            }
            case LedgerEntryReader.EntryReadResult.DecodedEntry(LedgerEntry entry) ->
                accept(new Seat(count++, record, entry));
        }
    }

    private void accept(Seat seat) {
        LedgerEntry entry = seat.entry();
        if (!entry.isIntact()) {
            add(seat.record(), FindingKind.CHANGED, "the hash of %s is not that of its bytes".formatted(name(seat)));
            proceed(seat, Set.of(entry.storedHash(), entry.computedHash()));
        } else if (recent.containsKey(entry.storedHash()) || suspects.containsKey(entry.storedHash())) {
            Seat first = Optional.ofNullable(recent.get(entry.storedHash()))
                    .orElseGet(() -> suspects.get(entry.storedHash()));
            add(
                    seat.record(),
                    FindingKind.INSERTED,
                    "%s repeats the event at offset %d"
                            .formatted(name(seat), first.record().offset()));
        } else if (heads.isEmpty() || heads.get().contains(entry.previousHash())) {
            proceed(seat, Set.of(entry.storedHash()));
        } else if (suspects.containsKey(entry.previousHash())) {
            confirm(suspects.remove(entry.previousHash()));
            proceed(seat, Set.of(entry.storedHash()));
        } else {
            suspect(seat);
        }
    }

    private void suspect(Seat seat) {
        if (suspects.size() == SUSPECTS_MAX) {
            Seat oldest = suspects.values().iterator().next();
            suspects.remove(oldest.entry().storedHash());
            reject(oldest);
        }
        suspects.put(seat.entry().storedHash(), seat);
    }

    private void proceed(Seat seat, Set<String> next) {
        heads = Optional.of(next);
        remember(seat);
        lastAccepted = Optional.of(seat);
        head = seat.entry().storedHash();
    }

    private void remember(Seat seat) {
        recent.put(seat.entry().storedHash(), seat);
        if (recent.size() > WINDOW) {
            recent.remove(recent.keySet().iterator().next());
        }
    }

    /** Reports a suspect from which the chain continues. */
    private void confirm(Seat suspect) {
        Optional<Seat> before = Optional.ofNullable(recent.get(suspect.entry().previousHash()));
        remember(suspect);
        if (before.isEmpty()) {
            reportGap(suspect);
        } else if (before.get().number() > suspect.number()) {
            reportMoved(suspect, before.get());
        } else {
            recent.values().stream()
                    .filter(each -> each.number() > before.get().number() && each.number() < suspect.number())
                    .forEach(each -> add(
                            each.record(),
                            FindingKind.INSERTED,
                            "the chain goes from offset %d to offset %d, without %s"
                                    .formatted(
                                            before.get().record().offset(),
                                            suspect.record().offset(),
                                            name(each))));
        }
    }

    private void reportMoved(Seat suspect, Seat before) {
        add(
                suspect.record(),
                FindingKind.REORDERED,
                "%s belongs behind the event at offset %d"
                        .formatted(name(suspect), before.record().offset()));
    }

    private void reportGap(Seat suspect) {
        add(
                Finding.at(
                        suspect.record(),
                        FindingKind.MISSING,
                        "%s does not continue from the event before it: events are missing, or that event was replaced"
                                .formatted(name(suspect))),
                suspect.entry().previousHash());
    }

    /** Reports a suspect from which the chain does not continue. */
    private void reject(Seat suspect) {
        String hash = suspect.entry().storedHash();
        Optional<Draft> gap =
                findings.stream().filter(each -> each.expected().equals(hash)).findFirst();
        Optional<Seat> before = Optional.ofNullable(recent.get(suspect.entry().previousHash()));
        boolean isLast = lastAccepted.map(Seat::number).orElse(-1L) < suspect.number();
        if (gap.isPresent()) {
            findings.remove(gap.get());
            add(
                    suspect.record(),
                    FindingKind.REORDERED,
                    "%s belongs before offset %d"
                            .formatted(name(suspect), gap.get().finding().offset()));
        } else if (before.filter(each -> each.number() > suspect.number()).isPresent()) {
            reportMoved(suspect, before.get());
        } else if (isLast && before.isEmpty()) {
            reportGap(suspect);
        } else {
            add(suspect.record(), FindingKind.INSERTED, "%s is not part of the chain".formatted(name(suspect)));
        }
    }

    private static String name(Seat seat) {
        LedgerEntry entry = seat.entry();
        return "event %d of input %d (%s)"
                .formatted(
                        entry.index(),
                        entry.input(),
                        entry.subject().isEmpty() ? entry.event() : entry.event() + " " + entry.subject());
    }

    private void add(LogRecord record, FindingKind kind, String message) {
        add(Finding.at(record, kind, message), "");
    }

    private void add(Finding finding, String expected) {
        if (findings.size() < FINDINGS_MAX) {
            findings.add(new Draft(finding, expected));
        }
    }

    /** Whether no more findings are collected. */
    boolean isFull() {
        return findings.size() >= FINDINGS_MAX;
    }

    /** Ends the verification and returns the findings in the order of their offsets. It is called once. */
    List<Finding> finish() {
        List.copyOf(suspects.values()).forEach(this::reject);
        suspects.clear();
        return findings.stream()
                .map(Draft::finding)
                .sorted(Comparator.comparingLong(Finding::offset))
                .toList();
    }

    /** Number of records. */
    long count() {
        return count;
    }

    /** The hash of the last event of the chain, in hexadecimal digits; empty before the first one. */
    String head() {
        return head;
    }
}
