package dev.claimstream.agent;

import org.slf4j.Logger;

/** Something that fails from time to time: said once when it begins and once when it is over, and counted. For one thread. */
public final class Trouble {
    private final Logger log;
    private final String what;
    private long failures;
    private long total;

    /** @param what fails, as the log says it */
    public Trouble(Logger log, String what) {
        this.log = log;
        this.what = what;
    }

    /** It failed. */
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

    /** It worked. */
    public void worked() {
        if (failures > 0) {
            log.atInfo()
                    .addKeyValue("what", what)
                    .addKeyValue("failures", failures)
                    .log("works again");
            failures = 0;
        }
    }

    /** How often it failed since the start. */
    public long total() {
        return total;
    }
}
