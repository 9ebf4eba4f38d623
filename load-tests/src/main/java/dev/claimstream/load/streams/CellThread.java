package dev.claimstream.load.streams;

import java.lang.management.ManagementFactory;
import java.util.Locale;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

/** What the thread of the cells says about itself; means over the last half minute. */
public final class CellThread {
    private static final String NAMES = "kafka.streams:type=stream-thread-metrics,thread-id=*";

    private CellThread() {}

    /** How often it commits, how long that takes, and the share of its time that goes into what. */
    public static String text() {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        try {
            Set<ObjectName> threads = server.queryNames(new ObjectName(NAMES), null);
            var text = new StringBuilder();
            for (ObjectName thread : threads) {
                text.append(String.format(
                        Locale.ROOT,
                        "commits/s %.0f of %.1f ms, time: process %.0f %%, commit %.0f %%, poll %.0f %%",
                        value(server, thread, "commit-rate"),
                        value(server, thread, "commit-latency-avg"),
                        100 * value(server, thread, "process-ratio"),
                        100 * value(server, thread, "commit-ratio"),
                        100 * value(server, thread, "poll-ratio")));
            }
            return text.toString();
        } catch (JMException e) {
            throw new IllegalStateException("the meters of Kafka Streams", e);
        }
    }

    private static double value(MBeanServer server, ObjectName thread, String attribute) throws JMException {
        return server.getAttribute(thread, attribute) instanceof Number number ? number.doubleValue() : Double.NaN;
    }
}
