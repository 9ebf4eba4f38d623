package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.ItemId;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;

/**
 * Tracks the input that one cell, or the router, processes, and counts the attempts at it.
 *
 * <p>The cell's thread writes, any thread reads. One tracker lives from taking up a cell until it is taken up again. An attempt is recorded
 * in the {@link AttemptLog} before the first input after taking up, before an input whose last attempt did not commit, when the watchdog
 * finds that an input is slow, and when processing throws. So most inputs cost two writes of memory, and nothing is sent. While the last
 * attempt is unknown, inputs are processed and nothing is recorded.
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
    private final AttemptRecorder recorder;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Supplier<Optional<ItemId>> item;
    private final BiConsumer<InputTracker, InputAttempt> alarm;

    /** The input of which an earlier attempt did not commit. */
    private volatile Optional<InputAttempt> suspect = Optional.empty();

    /** Whether the log of attempts has said which input is the suspect. */
    private volatile boolean isKnown;

    private volatile Optional<Current> current = Optional.empty();
    private volatile long next;

    /** Time at which the suspect was passed. */
    private volatile long passedNanos;

    private volatile boolean isPassed;
    private volatile boolean isFailed;
    private boolean isAlarmed;
    private boolean isAskedAgain;
    private boolean isFirst = true;
    private boolean isRecordedSingly;

    /**
     * The input that is processed now.
     *
     * @param isInput whether it is an input: counting what the cell holds occupies the thread as well
     * @param startedNanos when this attempt began
     * @param about what the input is about; asked for only if a person reads it
     */
    record Current(boolean isInput, long offset, int count, Instant since, long startedNanos, Supplier<String> about) {
        InputAttempt attempt(String failure) {
            return new InputAttempt(offset, count, since, about.get(), failure);
        }

        /** Whether it is the same attempt at the same input. */
        boolean isSame(Current other) {
            return offset == other.offset && startedNanos == other.startedNanos;
        }

        Current counted(InputAttempt attempt) {
            return new Current(isInput, offset, attempt.count(), attempt.since(), startedNanos, about);
        }
    }

    /**
     * A tracker of a cell that has just been taken up.
     *
     * @param label number of the cell, or {@code router}
     * @param applied offset of the last input in the state, -1 for none
     * @param item the item that is evaluated now, for any thread
     * @param alarm called once, when an input is known to fail repeatedly
     */
    InputTracker(
            String label,
            AttemptRecorder recorder,
            InstantSource clock,
            LongSupplier nanos,
            long applied,
            Supplier<Optional<ItemId>> item,
            BiConsumer<InputTracker, InputAttempt> alarm) {
        this.label = label;
        this.recorder = recorder;
        this.clock = clock;
        this.nanos = nanos;
        this.item = item;
        this.alarm = alarm;
        next = applied + 1;
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
        return recorder.log();
    }

    // ---- the cell's thread

    /** An input is about to be processed. */
    void begin(long offset, Supplier<String> about) {
        if (!isKnown && !isAskedAgain) {
            isAskedAgain = true;
            ask();
        }
        if (start(offset, about)) {
            boolean unused = recorder.record(() -> current.map(this::attempt));
        }
        raise();
    }

    /** Returns whether the attempt has to be recorded before the input is processed. */
    private synchronized boolean start(long offset, Supplier<String> about) {
        boolean isRecorded =
                isKnown && suspect.map(known -> isRecorded(offset, known)).orElse(isFirst);
        isFirst = isFirst && !isKnown;
        InputAttempt attempt = attempt(offset);
        current = Optional.of(new Current(true, offset, attempt.count(), attempt.since(), nanos.getAsLong(), about));
        suspectAgain(attempt);
        return isRecorded;
    }

    private boolean isRecorded(long offset, InputAttempt known) {
        return offset == known.offset()
                || (offset > known.offset()
                        && isRecordedSingly
                        && nanos.getAsLong() - passedNanos < RECORDED_SINGLY_FOR.toNanos());
    }

    /** The count goes on until a transaction commits, whichever of its inputs is under way. */
    private InputAttempt attempt(long offset) {
        if (suspect.isEmpty()) {
            return InputAttempt.first(offset, clock.instant(), "");
        }
        InputAttempt known = suspect.get();
        if (offset <= known.offset()) {
            return known.next(known.subject()).at(offset, known.subject());
        }
        return isRecorded(offset, known) ? known.at(offset, "") : InputAttempt.first(offset, clock.instant(), "");
    }

    /** The present attempt, with the failure of the last attempt at the same input. */
    private InputAttempt attempt(Current input) {
        return input.attempt(suspect.filter(known -> known.offset() == input.offset())
                .map(InputAttempt::failure)
                .orElse(""));
    }

    private void suspectAgain(InputAttempt attempt) {
        suspect.filter(known -> known.offset() == attempt.offset() && known.count() < attempt.count())
                .ifPresent(known -> {
                    suspect = Optional.of(known.next(known.subject()));
                    isRecordedSingly = attempt.count() > FAILURES_MAX;
                });
    }

    /** The input was processed; it commits later. */
    synchronized void end(long offset) {
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
        switch (FaultKind.of(why)) {
            case INPUT -> {
                ask();
                current.ifPresent(input -> fail(attempt(input).failed(why.toString())));
            }
            case FENCED -> current = Optional.empty();
            case CLUSTER -> {
                current = Optional.empty();
                boolean unused = retract();
            }
        }
    }

    private void fail(InputAttempt attempt) {
        synchronized (this) {
            suspect = Optional.of(attempt);
            isPassed = false;
            isFailed = true;
            current = Optional.empty();
        }
        raise();
        boolean unused = recorder.record(() -> Optional.of(attempt));
    }

    // ---- any thread

    /** Asks which input is the suspect, if this is not known. Waits for the log of attempts. */
    void ask() {
        if (!isKnown) {
            LastAttempt last = recorder.atStart();
            if (!(last instanceof LastAttempt.Unknown)) {
                learn(last.attempt());
                raise();
            }
        }
    }

    private synchronized void learn(Optional<InputAttempt> last) {
        if (isKnown) {
            return;
        }
        isKnown = true;
        suspect = last.filter(attempt -> attempt.offset() >= next);
        current.filter(Current::isInput).ifPresent(input -> {
            InputAttempt attempt = attempt(input.offset());
            current = Optional.of(input.counted(attempt));
            suspectAgain(attempt);
        });
    }

    /** Whether the log of attempts has not said yet which input is the suspect. */
    boolean isUnknown() {
        return !isKnown;
    }

    /** Whether processing an input threw: its thread does not process any other input. */
    boolean isFailed() {
        return isFailed;
    }

    private void raise() {
        Optional<InputAttempt> failing;
        synchronized (this) {
            failing = failing().filter(_ -> !isAlarmed);
            isAlarmed = isAlarmed || failing.isPresent();
        }
        failing.ifPresent(attempt -> alarm.accept(this, attempt));
    }

    /**
     * Takes the attempts of this tracker back: they ended by a fault of the cluster.
     *
     * @return false if the log of attempts did not respond
     */
    boolean retract() {
        return recorder.retract();
    }

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

    /**
     * Records the attempt at an input that is still being processed. Waits for the log of attempts.
     *
     * @return whether nothing is left to record
     */
    boolean recordSlow(Current input) {
        ask();
        return !input.isInput()
                || recorder.record(
                        () -> current.filter(now -> now.isSame(input)).map(this::attempt));
    }
}
