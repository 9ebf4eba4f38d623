package dev.claimstream.audit.streams;

import dev.claimstream.audit.LogRecord;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.MemoryLog;
import java.util.List;

/** A copy of a log of one cell that gets its inputs, and their events, step by step. */
final class GrowingLog {
    private final MemoryLog whole;
    private final MemoryLog log;

    GrowingLog(MemoryLog whole) {
        this.whole = whole;
        log = whole.copy();
        log.of(LogVerifier.LEDGER, 0).clear();
        log.of(LogVerifier.INPUTS, 0).clear();
    }

    MemoryLog log() {
        return log;
    }

    /** Adds inputs up to an offset, and their events. */
    void grow(int inputs) {
        copy(LogVerifier.INPUTS, inputs);
        int events = (int) whole.of(LogVerifier.LEDGER, 0).stream()
                .filter(each -> LogReplayTest.event(each, whole).getOffset() < inputs)
                .count();
        copy(LogVerifier.LEDGER, events);
    }

    /** Adds all other inputs and events. */
    void complete() {
        copy(LogVerifier.INPUTS, whole.of(LogVerifier.INPUTS, 0).size());
        copy(LogVerifier.LEDGER, whole.of(LogVerifier.LEDGER, 0).size());
    }

    private void copy(String topic, int count) {
        List<LogRecord> known = log.of(topic, 0);
        known.addAll(whole.of(topic, 0).subList(known.size(), Math.max(known.size(), count)));
    }
}
