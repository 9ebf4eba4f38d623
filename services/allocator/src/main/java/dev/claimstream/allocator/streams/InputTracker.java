package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.ItemId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;

/**
 * Tracks the input that one cell, or the router, processes, and counts the attempts at it.
 *
 * <p>The cell's thread writes, any thread reads. One tracker lives from taking up a cell until it is taken up again. An attempt is recorded
 * in the {@link AttemptLog} before the first input after taking up, before an input whose last attempt did not commit, when the watchdog
 * finds that an input is slow, and when processing throws. So most inputs cost two writes of memory, and nothing is sent.
 */
final class InputTracker {
    /** The label of the router. */
    static final String ROUTER = "router";

    /** Attempts without success after which the next one raises an alarm. */
    static final int FAILURES_MAX = 2;

    /**
     * An input that was processed still counts as failing for so long: until then the brokers may abort its transaction. This is the
     * transaction timeout with a margin.
     */
    private static final Duration COMMITTED_AFTER = Duration.ofSeconds(6);

    /** After repeated failures each input is recorded for so long; an input that takes longer is recorded as slow. */
    private static final Duration RECORDED_SINGLY_FOR = Duration.ofSeconds(1);

    private final String label;
    private final TopicPartition log;
    private final AttemptLog attempts;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Supplier<Optional<ItemId>> item;

    /** The input of which an earlier attempt did not commit, as far as this is known. */
    private volatile Optional<InputAttempt> suspect;

    private volatile Optional<Current> current = Optional.empty();
    private volatile long next;

    /** Time at which the suspect was passed. */
    private volatile long passedNanos;

    private volatile boolean isPassed;
    private boolean isFirst = true;
    private boolean isRecordedSingly;
    private long singlyUntilNanos;

    /**
     * The input that is processed now.
     *
     * @param isInput whether it is an input: counting what the cell holds occupies the thread as well
     * @param startedNanos when this attempt began
     * @param about what the input is about; asked for only if a person reads it
     */
    record Current(boolean isInput, long offset, int count, Instant since, long startedNanos, Supplier<String> about) {
        InputAttempt attempt() {
            return new InputAttempt(offset, count, since, about.get(), "");
        }
    }

    /**
     * A tracker of a cell that has just been taken up.
     *
     * @param label number of the cell, or {@code router}
     * @param applied offset of the last input in the state, -1 for none
     * @param item the item that is evaluated now, for any thread
     */
    InputTracker(
            String label,
            TopicPartition log,
            AttemptLog attempts,
            InstantSource clock,
            LongSupplier nanos,
            long applied,
            Supplier<Optional<ItemId>> item) {
        this.label = label;
        this.log = log;
        this.attempts = attempts;
        this.clock = clock;
        this.nanos = nanos;
        this.item = item;
        next = applied + 1;
        suspect = attempts.last(log).filter(attempt -> attempt.offset() > applied);
    }

    /** Number of the cell, or {@code router}. */
    String label() {
        return label;
    }

    /** As people call the cell: {@code cell 0}, {@code router}. */
    String name() {
        return label.equals(ROUTER) ? label : "cell " + label;
    }

    TopicPartition log() {
        return log;
    }

    // ---- the cell's thread

    /** An input is about to be processed. */
    void begin(long offset, Supplier<String> about) {
        InputAttempt attempt = attempt(offset, about);
        current = Optional.of(new Current(true, offset, attempt.count(), attempt.since(), nanos.getAsLong(), about));
    }

    private InputAttempt attempt(long offset, Supplier<String> about) {
        boolean isFirstNow = isFirst;
        isFirst = false;
        if (suspect.isEmpty() || offset < suspect.get().offset()) {
            var attempt = InputAttempt.first(offset, clock.instant(), "");
            if (isFirstNow && suspect.isEmpty()) {
                attempts.record(log, attempt.at(offset, about.get()));
            }
            return attempt;
        }
        if (offset == suspect.get().offset()) {
            return again(suspect.get().next(about.get()));
        }
        if (isRecordedSingly && nanos.getAsLong() < singlyUntilNanos) {
            InputAttempt attempt = suspect.get().at(offset, about.get());
            attempts.record(log, attempt);
            return attempt;
        }
        isRecordedSingly = false;
        return InputAttempt.first(offset, clock.instant(), "");
    }

    private InputAttempt again(InputAttempt attempt) {
        attempts.record(log, attempt);
        if (attempt.count() > FAILURES_MAX) {
            isRecordedSingly = true;
            singlyUntilNanos = nanos.getAsLong() + RECORDED_SINGLY_FOR.toNanos();
        }
        suspect = Optional.of(attempt);
        return attempt;
    }

    /** The input was processed; it commits later. */
    void end(long offset) {
        current = Optional.empty();
        next = offset + 1;
        if (!isPassed && suspect.isPresent() && offset >= suspect.get().offset()) {
            passedNanos = nanos.getAsLong();
            isPassed = true;
        }
    }

    /** Work besides inputs begins, after the input at {@link #next()} - 1. */
    void beginOther(String what) {
        current = Optional.of(new Current(false, next - 1, 1, clock.instant(), nanos.getAsLong(), () -> what));
    }

    /** Work besides inputs is done. */
    void endOther() {
        current = Optional.empty();
    }

    /** Processing the input threw: the process ends, or the cell is taken up again. */
    void failed(Throwable why) {
        current.ifPresent(input -> attempts.record(log, input.attempt().failed(why.toString())));
    }

    // ---- any thread

    /** The input that is processed now. */
    Optional<Current> current() {
        return current;
    }

    /** How long the input that is processed now has taken. */
    Duration elapsed(Current input) {
        return Duration.ofNanos(nanos.getAsLong() - input.startedNanos());
    }

    /** The item that is evaluated now. */
    Optional<ItemId> item() {
        return item.get();
    }

    /** Offset of the first input that is not processed. */
    long next() {
        return next;
    }

    /** The input that has failed repeatedly, until it is committed. */
    Optional<InputAttempt> failing() {
        return suspect.filter(attempt -> failures(attempt) >= FAILURES_MAX && !isCommitted());
    }

    /** Attempts that have failed: the present one may still succeed. */
    private int failures(InputAttempt attempt) {
        boolean isUnderWay = current.filter(input -> input.isInput() && input.offset() == attempt.offset())
                        .isPresent()
                || isPassed;
        return isUnderWay ? attempt.count() - 1 : attempt.count();
    }

    private boolean isCommitted() {
        return isPassed && nanos.getAsLong() - passedNanos > COMMITTED_AFTER.toNanos();
    }

    /** Records the attempt at an input that is still being processed. */
    void recordSlow(Current input) {
        if (input.isInput()) {
            attempts.record(log, input.attempt());
        }
    }
}
