package dev.claimstream.history;

import com.sun.net.httpserver.HttpExchange;
import dev.claimstream.history.store.HistoryException.HistoryProblem;
import dev.claimstream.observability.HistoryMeter;
import dev.claimstream.observability.Meters;
import dev.claimstream.process.access.AccessLogLine;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Writes one log line and one measurement per question: user, question, rows of the answer, duration. */
final class QuestionLog {
    private static final String PREFIX = "/api/v1/";
    private static final String OTHER = "other";

    private static final List<String> QUESTIONS =
            List.of("who", "history", "usage", "usage-series", "blast-radius", "sql", "export");

    private final Meters meters;

    QuestionLog(Meters meters) {
        this.meters = meters;
        QUESTIONS.forEach(each -> meters.create(HistoryMeter.HISTORY_QUERY, each));
        meters.create(HistoryMeter.HISTORY_QUERY, OTHER);
    }

    private static String label(HttpExchange exchange) {
        String path = exchange.getRequestURI().getPath();
        String name = path.startsWith(PREFIX) ? path.substring(PREFIX.length()) : OTHER;
        return QUESTIONS.contains(name) ? name : OTHER;
    }

    /**
     * Logs a question after its end.
     *
     * @param body text of a query; empty for another question
     * @param rows number of rows of the answer; empty if there is none, or the answer is a file
     * @param problem why it was not answered; empty if it was
     */
    void log(
            HttpExchange exchange,
            byte[] body,
            Optional<Integer> rows,
            Optional<HistoryProblem> problem,
            Duration time) {
        meters.record(HistoryMeter.HISTORY_QUERY, time, label(exchange));
        var line = AccessLogLine.begin(exchange)
                .addKeyValue("sql", AccessLogLine.cut(new String(body, StandardCharsets.UTF_8)))
                .addKeyValue("rows", rows.map(String::valueOf).orElse("-"))
                .addKeyValue("ms", time.toMillis());
        if (problem.isPresent()) {
            line.addKeyValue("problem", problem.get()).log("question to the history failed");
        } else {
            line.log("history was read");
        }
    }
}
