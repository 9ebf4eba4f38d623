package dev.claimstream.allocator.streams;

import java.time.Duration;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * Asks for a commit where somebody waits for it: soon after something was said about an input that has just come, and where there is a
 * backlog not before a while has passed. A transaction costs the brokers about the same, whatever it holds; most inputs say nothing
 * new to anybody, and their rows wait for the commit interval.
 */
final class PromptCommits {
    /** How long a transaction lasts in which nothing was said. */
    static final Duration INTERVAL = Duration.ofMillis(100);

    private static final Duration LOOK_EVERY = Duration.ofMillis(5);
    private static final long JUST_COME_MS = 10;
    private static final long AT_LATEST_MS = 20;

    private final ProcessorContext<?, ?> context;
    private long newest = Long.MIN_VALUE;
    private boolean isSaid;
    private long saidSince = Long.MAX_VALUE;

    PromptCommits(ProcessorContext<?, ?> context) {
        this.context = context;
        context.schedule(LOOK_EVERY, PunctuationType.WALL_CLOCK_TIME, this::look);
    }

    /** Something was said about an input of this time. */
    void said(long millis) {
        newest = millis;
        isSaid = true;
    }

    private void look(long now) {
        if (!isSaid) {
            return;
        }
        saidSince = Math.min(saidSince, now);
        if (now - newest < JUST_COME_MS || now - saidSince >= AT_LATEST_MS) {
            context.commit();
            isSaid = false;
            saidSince = Long.MAX_VALUE;
        }
    }
}
