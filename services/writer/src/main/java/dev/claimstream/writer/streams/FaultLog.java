package dev.claimstream.writer.streams;

import java.util.Optional;
import org.slf4j.Logger;

/** The current fault of an activity that is retried, which is logged once until it changes. Any thread may read it. */
public final class FaultLog {
    private final Logger log;
    private final String sentence;
    private volatile Optional<String> current = Optional.empty();

    /** @param sentence constant message of the log line */
    public FaultLog(Logger log, String sentence) {
        this.log = log;
        this.sentence = sentence;
    }

    /** Sets the current fault. */
    public void report(String reason) {
        if (!current.equals(Optional.of(reason))) {
            log.atWarn().addKeyValue("why", reason).log(sentence);
        }
        current = Optional.of(reason);
    }

    /** Records that the activity works. */
    public void clear() {
        current = Optional.empty();
    }

    /** The current fault; empty while the activity works. */
    public Optional<String> current() {
        return current;
    }
}
