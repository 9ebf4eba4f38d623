package dev.claimstream.allocator.streams;

import java.time.Duration;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.apache.kafka.streams.processor.Cancellable;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.ProcessorContext;

/**
 * A wall-clock timer of one task that runs once each time it is set.
 *
 * <p>A timer of Kafka Streams makes its task commit even if the timer did nothing, and a commit costs the brokers a transaction. So a timer
 * is set only if something is due. Only the thread of the task may use it. The timer ends with the task.
 *
 * <p>A thread of Kafka Streams runs no timer while it polls, so it needs to know when the next timer of its tasks is due.
 */
final class TaskTimer {
    /** The longest delay. The action runs early before a later time, finds that nothing is due, and sets the timer again. */
    private static final long AHEAD_MAX = Duration.ofHours(1).toMillis();

    /** The timers of the tasks of a thread that are set. */
    private static final ThreadLocal<Set<TaskTimer>> SET = ThreadLocal.withInitial(LinkedHashSet::new);

    private final ProcessorContext<?, ?> context;
    private final InstantSource clock;
    private final LongConsumer action;
    private Optional<Cancellable> scheduled = Optional.empty();
    private long at = Long.MAX_VALUE;

    /**
     * Creates a timer that is not set.
     *
     * @param clock the clock of this machine, by which Kafka Streams runs timers
     * @param action the action, with the time in milliseconds; it may set the timer again
     */
    TaskTimer(ProcessorContext<?, ?> context, InstantSource clock, LongConsumer action) {
        this.context = context;
        this.clock = clock;
        this.action = action;
    }

    /** Returns the time until the next timer of the calling thread is due; {@link #AHEAD_MAX} if none is set. */
    static Duration untilNext() {
        return Duration.ofMillis(SET.get().stream()
                .mapToLong(timer -> Math.clamp(timer.at - timer.clock.millis(), 0, AHEAD_MAX))
                .min()
                .orElse(AHEAD_MAX));
    }

    boolean isSet() {
        return scheduled.isPresent();
    }

    /** Sets the timer to a time in milliseconds, unless it is set to an earlier time. A time in the past means now. */
    void setTo(long millis) {
        if (isSet() && at <= millis) {
            return;
        }
        cancel();
        long now = clock.millis();
        long wait = Math.clamp(millis - now, 1, AHEAD_MAX);
        at = now + wait;
        scheduled = Optional.of(context.schedule(Duration.ofMillis(wait), PunctuationType.WALL_CLOCK_TIME, this::run));
        SET.get().add(this);
    }

    private void run(long now) {
        cancel();
        action.accept(now);
    }

    void cancel() {
        scheduled.ifPresent(Cancellable::cancel);
        scheduled = Optional.empty();
        at = Long.MAX_VALUE;
        SET.get().remove(this);
    }
}
