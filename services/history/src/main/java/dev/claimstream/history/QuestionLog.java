package dev.claimstream.history;

import dev.claimstream.history.store.HistoryException.HistoryProblem;
import dev.claimstream.observability.HistoryMeter;
import dev.claimstream.observability.Meters;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes one log line and one measurement per question: user, question, rows of the answer, duration. */
final class QuestionLog {
    private static final Logger LOG = LoggerFactory.getLogger(QuestionLog.class);
    private static final String PREFIX = "/api/v1/";
    private static final String OTHER = "other";

    /** Number of characters of a question that the log has. */
    static final int TEXT_MAX = 4_000;

    private static final List<String> QUESTIONS =
            List.of("who", "history", "usage", "usage-series", "blast-radius", "sql", "export");

    private final Meters meters;

    QuestionLog(Meters meters) {
        this.meters = meters;
        QUESTIONS.forEach(each -> meters.create(HistoryMeter.HISTORY_QUERY, each));
        meters.create(HistoryMeter.HISTORY_QUERY, OTHER);
    }

    /**
     * A question.
     *
     * @param caller address from which it came
     * @param user name of the user
     * @param path path of the request
     * @param target path and parameters
     * @param sql text of a query; empty for another question
     */
    record Question(String caller, String user, String path, String target, String sql) {
        private String label() {
            String name = path.startsWith(PREFIX) ? path.substring(PREFIX.length()) : OTHER;
            return QUESTIONS.contains(name) ? name : OTHER;
        }
    }

    /**
     * Logs a question after its end.
     *
     * @param rows number of rows of the answer; empty if there is none, or the answer is a file
     * @param problem why it was not answered; empty if it was
     */
    void log(Question question, Optional<Integer> rows, Optional<HistoryProblem> problem, Duration time) {
        meters.record(HistoryMeter.HISTORY_QUERY, time, question.label());
        var line = LOG.atInfo()
                .addKeyValue("caller", question.caller())
                .addKeyValue("user", question.user())
                .addKeyValue("question", cut(question.target()))
                .addKeyValue("sql", cut(question.sql()))
                .addKeyValue("rows", rows.map(String::valueOf).orElse("-"))
                .addKeyValue("ms", time.toMillis());
        if (problem.isPresent()) {
            line.addKeyValue("problem", problem.get()).log("question to the history failed");
        } else {
            line.log("history was read");
        }
    }

    /** The begin of a text, with its length if it is longer. */
    static String cut(String text) {
        if (text.length() <= TEXT_MAX) {
            return text;
        }
        int end = Character.isHighSurrogate(text.charAt(TEXT_MAX - 1)) ? TEXT_MAX - 1 : TEXT_MAX;
        return "%s… (%d characters)".formatted(text.substring(0, end), text.length());
    }
}
