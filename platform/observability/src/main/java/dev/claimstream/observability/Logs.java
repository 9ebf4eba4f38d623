package dev.claimstream.observability;

import ch.qos.logback.classic.LoggerContext;
import org.slf4j.LoggerFactory;

/**
 * Configures logging of a service process: one line per event on standard error.
 *
 * <p>Lines are text, or JSON if the environment variable or system property {@code CLAIMSTREAM_LOG} is {@code json}. {@code
 * CLAIMSTREAM_LOG_LEVEL} sets the level (default INFO).
 */
public final class Logs {
    private static final String CONFIGURATION = "logback.configurationFile";

    private Logs() {}

    /** Configures logging; to be called before the first log line. A configuration that is already set has priority. */
    public static void configure() {
        if (System.getProperty(CONFIGURATION) == null) {
            System.setProperty(CONFIGURATION, "dev/claimstream/observability/service-logback.xml");
        }
    }

    /** Ends logging: later lines are dropped. For the end of a process whose threads are not stopped. */
    public static void stop() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.stop();
        }
    }
}
