package dev.claimstream.allocator.streams;

import java.time.Duration;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * Asks for a commit soon after inputs that have just come. Where there is a backlog it does not, and more of it goes into the
 * transaction that the commit interval ends: a transaction costs the brokers about the same, whatever it holds.
 */
final class PromptCommits {
    /** How long a transaction lasts where there is a backlog. */
    static final Duration AT_LATEST = Duration.ofMillis(25);

    private static final Duration LOOK_EVERY = Duration.ofMillis(5);
    private static final long JUST_COME_MS = 10;

    private final ProcessorContext<?, ?> context;
    private long newest = Long.MIN_VALUE;
    private boolean isOpen;

    PromptCommits(ProcessorContext<?, ?> context) {
        this.context = context;
        context.schedule(LOOK_EVERY, PunctuationType.WALL_CLOCK_TIME, this::look);
    }

    /** An input of this time was taken. */
    void took(long millis) {
        newest = millis;
        isOpen = true;
    }

    private void look(long now) {
        if (isOpen && now - newest < JUST_COME_MS) {
            context.commit();
        }
        isOpen = false;
    }
}
