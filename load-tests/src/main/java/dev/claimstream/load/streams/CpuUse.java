package dev.claimstream.load.streams;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Processor time by consumer.
 *
 * @param total of the whole process
 * @param byPart of Java threads; the rest is the collector and the compiler
 */
public record CpuUse(Duration total, SortedMap<CpuConsumer, Duration> byPart) {
    public CpuUse {
        byPart = Collections.unmodifiableSortedMap(new TreeMap<>(byPart));
    }

    /** The consumers, identified by the names of their threads. */
    public enum CpuConsumer {
        GENERATOR("generator", "load-", "main"),
        INTAKE("intake", "intake", "intake"),
        CELLS("cells", "StreamThread", "StreamThread"),
        BROKER("broker", "data-plane-", "raft-"),
        JVM("collector, compiler", "", "");

        private final String text;
        private final String prefix;
        private final String exactName;

        CpuConsumer(String text, String one, String other) {
            this.text = text;
            this.prefix = one;
            this.exactName = other;
        }

        public String text() {
            return text;
        }

        /** Returns the consumer of a thread; unknown threads belong to the broker. */
        static CpuConsumer of(String thread) {
            if (thread.contains("StreamThread")) {
                return CELLS;
            }
            for (CpuConsumer part : new CpuConsumer[] {INTAKE, GENERATOR}) {
                if (thread.contains(part.prefix) || thread.equals(part.exactName)) {
                    return part;
                }
            }
            return BROKER;
        }
    }

    /** Returns the share of a consumer, from 0 to 1. */
    public double share(CpuConsumer part) {
        return (double) byPart.getOrDefault(part, Duration.ZERO).toNanos() / Math.max(1, total.toNanos());
    }

    private static CpuUse now() {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        SortedMap<CpuConsumer, Duration> parts = new TreeMap<>();
        for (var info : threads.getThreadInfo(threads.getAllThreadIds())) {
            if (info != null) {
                long nanos = Math.max(0, threads.getThreadCpuTime(info.getThreadId()));
                parts.merge(CpuConsumer.of(info.getThreadName()), Duration.ofNanos(nanos), Duration::plus);
            }
        }
        return new CpuUse(Duration.ofNanos(system.getProcessCpuTime()), parts);
    }

    private CpuUse since(CpuUse before) {
        SortedMap<CpuConsumer, Duration> parts = new TreeMap<>();
        byPart.forEach((part, time) -> parts.put(part, time.minus(before.byPart.getOrDefault(part, Duration.ZERO))));
        Duration whole = total.minus(before.total);
        parts.put(CpuConsumer.JVM, parts.values().stream().reduce(whole, Duration::minus));
        return new CpuUse(whole, parts);
    }

    /** An interval for the measurement of processor time. */
    static final class CpuInterval {
        private boolean hasBegun;
        private CpuUse first = now();
        private CpuUse last = first;

        /** Begins the interval; only the first call counts. */
        void begin() {
            if (!hasBegun) {
                hasBegun = true;
                first = now();
            }
        }

        /** Ends the interval. */
        void end() {
            last = now();
        }

        CpuUse spent() {
            return last.since(first);
        }
    }
}
