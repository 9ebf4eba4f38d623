package dev.claimstream.load.streams;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** What is counted between two moments. Only the reader counts. */
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

    /** For traffic that nobody measures. */
    static Measured nothing() {
        return new Measured(0, 0);
    }

    /** It ends here already. */
    void cut(long earlier) {
        end = earlier;
    }

    /** A claim counts if it was due between the two moments, whenever its decision comes. */
    void decided(Trip trip, long nanos, long millis, boolean waits) {
        if (isWithin(trip.dueNanos)) {
            long appended = trip.appendMillis();
            latencies.decided(nanos - trip.dueNanos, appended == 0 ? 0 : millis - appended);
            if (waits) {
                waited.increment();
            }
        }
    }

    /** A release counts if it was read between the two moments. */
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
