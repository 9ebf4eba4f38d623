package dev.claimstream.kafka.broker;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.apache.kafka.server.metrics.KafkaYammerMetrics;

/**
 * The timers that compute the rates of Kafka's broker meters.
 *
 * <p>Each of some 250 meters has its own timer of 5 s, so that an idle broker runs one fifty times a second. Claimstream reads only counts,
 * which need no timer.
 */
final class MeterTicks {
    /** Name of the thread pool that the meters of a registry share. */
    private static final String POOL = "meter-tick";

    private MeterTicks() {}

    /** Disables the timers of this process: rates stay 0. It has no effect on meters that exist. Idempotent. */
    static void disable() {
        if (KafkaYammerMetrics.defaultRegistry().newScheduledThreadPool(2, POOL)
                instanceof ScheduledThreadPoolExecutor pool) {
            pool.setThreadFactory(_ -> null); // a pool without threads runs nothing
            pool.setRemoveOnCancelPolicy(true);
        }
    }
}
