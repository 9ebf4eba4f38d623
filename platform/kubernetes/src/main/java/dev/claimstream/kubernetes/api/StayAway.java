package dev.claimstream.kubernetes.api;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * What a server does not want to be asked before a time, which it has said with {@code Retry-After}: by verb and path, whatever the
 * query, so that a list waits where the watch of the same was sent away, and whoever of us asks.
 */
final class StayAway {
    /** Nobody is kept away for longer: what stands between us and the server can say anything. */
    static final Duration LONGEST = Duration.ofMinutes(1);

    private final Map<String, Long> until = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;

    StayAway(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** It was said, for so long from now. */
    void said(String what, Duration pause) {
        long now = nanoTime.getAsLong();
        until.values().removeIf(each -> each - now <= 0);
        until.put(what, now + pause.toNanos());
    }

    /** How long it is yet; empty where it may be asked for. */
    Optional<Duration> left(String what) {
        return Optional.ofNullable(until.get(what))
                .map(each -> Duration.ofNanos(each - nanoTime.getAsLong()))
                .filter(Duration::isPositive);
    }
}
