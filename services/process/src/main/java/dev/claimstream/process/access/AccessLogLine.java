package dev.claimstream.process.access;

import com.sun.net.httpserver.HttpExchange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The log line of one question to a service: the caller, the user and the question, equal in all services.
 *
 * <p>The level of this package is INFO in every service, so that {@code claimstream.log.level} does not remove the line.
 */
public final class AccessLogLine {
    private static final Logger LOG = LoggerFactory.getLogger(AccessLogLine.class);

    /** Number of characters that a line has of each text of a request. */
    public static final int TEXT_MAX = 4_000;

    private AccessLogLine() {}

    /**
     * Begins a line with the keys {@code caller} (address), {@code user} and {@code question} (path and parameters).
     *
     * @param exchange a request that this thread answers behind {@link HttpAccessFilter}
     * @throws IllegalStateException outside of a request
     */
    public static LoggingEventBuilder begin(HttpExchange exchange) {
        return LOG.atInfo()
                .addKeyValue("caller", caller(exchange))
                .addKeyValue("user", HttpAccessFilter.caller().name())
                .addKeyValue("question", cut(exchange.getRequestURI().toString()));
    }

    static String caller(HttpExchange exchange) {
        return exchange.getRemoteAddress().getAddress().getHostAddress();
    }

    /** The begin of a text, with its length if it is longer than {@link #TEXT_MAX}. */
    public static String cut(String text) {
        if (text.length() <= TEXT_MAX) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(TEXT_MAX - 1)) ? TEXT_MAX - 1 : TEXT_MAX;
        return "%s… (%d characters)".formatted(text.substring(0, end), text.length());
    }
}
