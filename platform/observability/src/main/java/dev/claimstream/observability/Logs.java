package dev.claimstream.observability;

/**
 * How a process of its own logs: one line per event on standard error, as text, or as JSON where the environment variable or system
 * property {@code CLAIMSTREAM_LOG} is {@code json}. {@code CLAIMSTREAM_LOG_LEVEL} sets how much (default INFO).
 */
public final class Logs {
    private static final String CONFIGURATION = "logback.configurationFile";

    private Logs() {}

    /** To be called before anything logs. A configuration that somebody else has named wins. */
    public static void configure() {
        if (System.getProperty(CONFIGURATION) == null) {
            System.setProperty(CONFIGURATION, "dev/claimstream/observability/service-logback.xml");
        }
    }
}
