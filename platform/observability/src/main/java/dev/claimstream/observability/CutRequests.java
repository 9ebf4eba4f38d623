package dev.claimstream.observability;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the requests that the Kafka broker of this process cut because they exceed {@code socket.request.max.bytes}.
 *
 * <p>The broker closes the connection, sends no response, and has no metric for it: only its log names the request.
 * The configuration of the log attaches this appender to the logger {@code org.apache.kafka.common.network.Selector}.
 * Safe for many threads.
 */
public final class CutRequests extends AppenderBase<ILoggingEvent> {
    private static final String REASON = "org.apache.kafka.common.network.InvalidReceiveException";
    private static final LongAdder COUNT = new LongAdder();

    /** Returns the number since the start of the process. */
    public static long count() {
        return COUNT.sum();
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (event.getThrowableProxy() != null
                && REASON.equals(event.getThrowableProxy().getClassName())) {
            COUNT.increment();
        }
    }
}
