package dev.claimstream.agent;

import org.slf4j.Logger;

/** Counts the failures of an activity and logs the first of a series and the recovery. Not thread-safe. */
public final class Trouble {
    private final Logger log;
    private final String what;
    private long failures;
    private long total;

    /** @param subject the activity, as it appears in the log */
    public Trouble(Logger log, String what) {
        this.log = log;
        this.what = what;
    }

    /** Records a failure. */
    public void failed(String why) {
        total++;
        failures++;
        if (failures == 1) {
            log.atWarn()
                    .addKeyValue("what", what)
                    .addKeyValue("why", why)
                    .addKeyValue("total", total)
                    .log("fails, and is tried again");
        }
    }

    /** Records a success. */
    public void worked() {
        if (failures > 0) {
            log.atInfo()
                    .addKeyValue("what", what)
                    .addKeyValue("failures", failures)
                    .log("works again");
            failures = 0;
        }
    }

    /** The number of failures since the start. */
    public long total() {
        return total;
    }
}
