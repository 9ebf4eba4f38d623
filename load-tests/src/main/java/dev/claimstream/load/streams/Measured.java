package dev.claimstream.load.streams;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** The counts between two times. Only the reader thread counts. */
final class Measured {
    private final long begin;
    private volatile long end;
    private final Latencies latencies = new Latencies();
    private final LongAdder released = new LongAdder();
    private final LongAdder waited = new LongAdder();

    Measured(long begin, long end) {
        this.begin = begin;
        this.end = end;
    }

    /** Returns a window for traffic that is not measured. */
    static Measured nothing() {
        return new Measured(0, 0);
    }

    /** Ends the window early. */
    void cut(long earlier) {
        end = earlier;
    }

    /** Counts a claim that was due in the window, even if its decision comes later. */
    void decided(Trip trip, long nanos, long millis, boolean waits) {
        if (isWithin(trip.dueNanos)) {
            long appended = trip.appendMillis();
            latencies.decided(nanos - trip.dueNanos, appended == 0 ? 0 : millis - appended);
            if (waits) {
                waited.increment();
            }
        }
    }

    /** Counts a release that was read in the window. */
    void released(Trip trip, long nanos) {
        if (isWithin(nanos)) {
            released.increment();
            latencies.released(nanos - trip.withdrawnNanos());
        }
    }

    private boolean isWithin(long nanos) {
        return nanos - begin >= 0 && nanos - end < 0;
    }

    Round round(Pace pace, CpuUse use, Optional<Behind> behind) {
        return new Round(pace, Duration.ofNanos(end - begin), released.sum(), waited.sum(), latencies, use, behind);
    }
}
