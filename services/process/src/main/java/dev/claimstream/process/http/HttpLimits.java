package dev.claimstream.process.http;

import java.time.Duration;

/** Limits of the JDK's HTTP servers in this process. A limit that a system property sets already stays. */
public final class HttpLimits {
    /** Maximum time from the first byte of a request to the end of its body. */
    private static final Duration REQUEST_WITHIN = Duration.ofSeconds(10);

    /** Maximum time from the end of a request to the end of its response, with the work for it. */
    private static final Duration RESPONSE_WITHIN = Duration.ofMinutes(5);

    /** Maximum number of open connections of a server. */
    private static final int CONNECTIONS_MAX = 256;

    /** Maximum bytes of a rejected body that are read after the response: the client would otherwise lose the response. */
    private static final int DRAINED_BYTES_MAX = 16 << 20;

    private HttpLimits() {}

    /** Sets the limits. The JDK reads them when the first server of the process is created: call it before that. */
    public static void apply() {
        limit("sun.net.httpserver.maxReqTime", REQUEST_WITHIN.toSeconds());
        limit("sun.net.httpserver.maxRspTime", RESPONSE_WITHIN.toSeconds());
        limit("jdk.httpserver.maxConnections", CONNECTIONS_MAX);
        limit("sun.net.httpserver.drainAmount", DRAINED_BYTES_MAX);
    }

    private static void limit(String property, long value) {
        if (System.getProperty(property) == null) {
            System.setProperty(property, String.valueOf(value));
        }
    }
}
