package dev.claimstream.agent;

import org.slf4j.Logger;

/** Counts the failures of an activity and logs the first of a series and the recovery. Not thread-safe. */
public final class FailureTracker {
    private final Logger log;
    private final String subject;
    private long failures;
    private long total;

    /** @param subject the activity, as it appears in the log */
    public FailureTracker(Logger log, String subject) {
        this.log = log;
        this.subject = subject;
    }

    /** Records a failure. */
    public void recordFailure(String why) {
        total++;
        failures++;
        if (failures == 1) {
            log.atWarn()
                    .addKeyValue("what", subject)
                    .addKeyValue("why", why)
                    .addKeyValue("total", total)
                    .log("task failed; retrying");
        }
    }

    /** Records a success. */
    public void recordSuccess() {
        if (failures > 0) {
            log.atInfo()
                    .addKeyValue("what", subject)
                    .addKeyValue("failures", failures)
                    .log("task works again");
            failures = 0;
        }
    }

    /** The number of failures since the start. */
    public long total() {
        return total;
    }
}
