package dev.claimstream.load.streams;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;

/** The counts between two times. Only the reader thread counts. */
final class MeasurementWindow {
    private final long begin;
    private volatile long end;
    private final Latencies latencies = new Latencies();
    private final LongAdder released = new LongAdder();
    private final LongAdder pending = new LongAdder();

    MeasurementWindow(long begin, long end) {
        this.begin = begin;
        this.end = end;
    }

    /** Returns a window for traffic that is not measured. */
    static MeasurementWindow none() {
        return new MeasurementWindow(0, 0);
    }

    /** Ends the window early. */
    void endAt(long earlier) {
        end = earlier;
    }

    /** Counts a claim that was due in the window, even if its decision comes later. */
    void decided(ClaimRoundTrip trip, long nanos, long millis, boolean waits) {
        if (isWithin(trip.dueNanos)) {
            long appended = trip.appendMillis();
            latencies.decided(nanos - trip.dueNanos, appended == 0 ? 0 : millis - appended);
            if (waits) {
                pending.increment();
            }
        }
    }

    /** Counts a release that was read in the window. */
    void released(ClaimRoundTrip trip, long nanos) {
        if (isWithin(nanos)) {
            released.increment();
            latencies.released(nanos - trip.deletedNanos());
        }
    }

    private boolean isWithin(long nanos) {
        return nanos - begin >= 0 && nanos - end < 0;
    }

    LoadResult round(LoadProfile pace, CpuUse use, Optional<RateOverload> behind) {
        return new LoadResult(
                pace, Duration.ofNanos(end - begin), released.sum(), pending.sum(), latencies, use, behind);
    }
}
