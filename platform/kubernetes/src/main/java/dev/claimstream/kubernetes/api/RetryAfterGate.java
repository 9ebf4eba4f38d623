package dev.claimstream.kubernetes.api;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Blocks requests until the time of the last {@code Retry-After} for their target.
 *
 * <p>A target is verb and path without the query, so that a throttled watch also delays the list of the same kind, for all threads. Safe
 * for use by several threads.
 */
final class RetryAfterGate {
    /** Upper limit of a block. A proxy on the way can send any value. */
    static final Duration MAX_DURATION = Duration.ofMinutes(1);

    private final Map<String, Long> blockedUntil = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;

    RetryAfterGate(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Blocks a target from now on. */
    void block(String target, Duration pause) {
        long now = nanoTime.getAsLong();
        blockedUntil.values().removeIf(each -> each - now <= 0);
        blockedUntil.put(target, now + pause.toNanos());
    }

    /** Returns the remaining time of a block; empty if the target is not blocked. */
    Optional<Duration> remaining(String target) {
        return Optional.ofNullable(blockedUntil.get(target))
                .map(each -> Duration.ofNanos(each - nanoTime.getAsLong()))
                .filter(Duration::isPositive);
    }
}
