package dev.claimstream.simulator;

import com.sun.net.httpserver.HttpExchange;
import dev.claimstream.process.access.AccessLogLine;
import java.time.Duration;
import java.util.Optional;

/** Writes one log line per request: user, question, its kind, status and size of the response, duration. */
final class SimulationLog {
    private static final String NONE = "-";
    private static final int ERROR = 400;

    private SimulationLog() {}

    /**
     * Logs a request after its response. The body of the request is not logged.
     *
     * @param exchange not closed; without a response code if the request did not arrive as a whole
     */
    static void log(HttpExchange exchange, Duration time) {
        int status = exchange.getResponseCode();
        boolean isSent = status >= 0;
        AccessLogLine.begin(exchange)
                .addKeyValue(
                        "kind", SimulatorRequests.kind(exchange.getRequestURI().getPath()))
                .addKeyValue("status", isSent ? String.valueOf(status) : NONE)
                .addKeyValue(
                        "bytes",
                        Optional.ofNullable(exchange.getResponseHeaders().getFirst("Content-Length"))
                                .orElse(NONE))
                .addKeyValue("ms", time.toMillis())
                .log(isSent && status < ERROR ? "what-if question was answered" : "what-if question failed");
    }
}
