package dev.claimstream.load.streams;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** The metrics of the cells' stream threads, as means over the last half minute. */
public final class CellThreadMetrics {
    private static final String NAMES = "kafka.streams:type=stream-thread-metrics,thread-id=*";

    private CellThreadMetrics() {}

    /** Returns a line per thread: commit rate, commit latency and the shares of its time. */
    public static List<String> lines() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            List<String> lines = new ArrayList<>();
            for (ObjectName thread : new TreeSet<>(server.queryNames(new ObjectName(NAMES), null))) {
                lines.add(String.format(
                        Locale.ROOT,
                        "%s: commits/s %.0f of %.1f ms, time: process %.0f %%, commit %.0f %%, poll %.0f %%",
                        thread.getKeyProperty("thread-id").replace("-StreamThread-", ", thread "),
                        value(server, thread, "commit-rate"),
                        value(server, thread, "commit-latency-avg"),
                        100 * value(server, thread, "process-ratio"),
                        100 * value(server, thread, "commit-ratio"),
                        100 * value(server, thread, "poll-ratio")));
            }
            return lines;
        } catch (JMException e) {
            throw new IllegalStateException("the meters of Kafka Streams", e);
        }
    }

    /** Returns the value of a metric; an idle thread has none. */
    private static double value(MBeanServer server, ObjectName thread, String attribute) throws JMException {
        return server.getAttribute(thread, attribute) instanceof Number number && Double.isFinite(number.doubleValue())
                ? number.doubleValue()
                : 0;
    }
}
