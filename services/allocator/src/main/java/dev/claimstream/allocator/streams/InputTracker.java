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
 * Tracks the input that a cell or the router processes, and counts the attempts at it.
 *
 * <p>The stream thread writes; any thread may read. A tracker lives from taking over a cell until the cell is taken over again. An attempt
 * is recorded in the {@link AttemptLog} in four cases:
 * <ul>
 *   <li>before the first input after the takeover,
 *   <li>before an input whose last attempt did not commit,
 *   <li>when the watchdog finds a slow input,
 *   <li>when processing throws.
 * </ul>
 *
 * <p>So most inputs cost two memory writes and no request. While the last attempt is unknown, inputs are processed and nothing is recorded.
 *
 * <p>The <em>suspect</em> is the input whose last attempt did not commit.
 */
final class InputTracker {
    /** The label of the router. */
    static final String ROUTER = "router";

    /** Failed attempts after which the next attempt raises an alarm. */
    static final int FAILURES_MAX = 2;

    /**
     * Time after which a processed input counts as committed: until then the brokers may abort its transaction. This is the transaction
     * timeout plus a margin.
     */
    private static final Duration COMMITTED_AFTER = Duration.ofSeconds(6);

    /** After repeated failures, time during which each input is recorded. An input that takes longer is recorded as slow. */
    private static final Duration RECORDED_SINGLY_FOR = Duration.ofSeconds(1);

    private final String label;
    private final AttemptRecorder recorder;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final Supplier<Optional<ItemId>> item;
    private final BiConsumer<InputTracker, InputAttempt> alarm;

    /** The input whose last attempt did not commit. */
    private volatile Optional<InputAttempt> suspect = Optional.empty();

    /** Whether the store has responded, so that the suspect is known. */
    private volatile boolean isLastAttemptKnown;

    private volatile Optional<InputInProgress> current = Optional.empty();
    private volatile long nextOffset;

    /** Time at which the suspect was processed. */
    private volatile long suspectProcessedNanos;

    private volatile boolean isSuspectProcessed;
    private volatile boolean isFailed;
    private boolean isAlarmed;
    private boolean hasRetriedLoad;
    private boolean isFirst = true;
    private boolean isRecordedSingly;

    /**
     * The input that is being processed.
     *
     * @param isInput false for other work of the thread, such as counting the state of the cell
     * @param startedNanos start of this attempt
     * @param about describes the input; called only if a person reads it
     */
    record InputInProgress(
            boolean isInput, long offset, int count, Instant since, long startedNanos, Supplier<String> about) {
        InputAttempt attempt(String failure) {
            return new InputAttempt(offset, count, since, about.get(), failure);
        }

        /** Whether it is the same attempt at the same input. */
        boolean isSame(InputInProgress other) {
            return offset == other.offset && startedNanos == other.startedNanos;
        }

        InputInProgress withAttempt(InputAttempt attempt) {
            return new InputInProgress(isInput, offset, attempt.count(), attempt.since(), startedNanos, about);
        }
    }

    /**
     * A tracker of a cell that was just taken over.
     *
     * @param label number of the cell, or {@code router}
     * @param applied offset of the last input in the state; -1 for none
     * @param item the item that is being evaluated; safe for any thread
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
        nextOffset = applied + 1;
    }

    /** Number of the cell, or {@code router}. */
    String label() {
        return label;
    }

    /** The name for people: {@code cell 0}, {@code router}. */
    String name() {
        return label.equals(ROUTER) ? label : "cell " + label;
    }

    TopicPartition log() {
        return recorder.log();
    }

    // ---- called by the stream thread

    void begin(long offset, Supplier<String> about) {
        if (!isLastAttemptKnown && !hasRetriedLoad) {
            hasRetriedLoad = true;
            loadLastAttempt();
        }
        if (start(offset, about)) {
            boolean unused = recorder.record(() -> current.map(this::attempt));
        }
        raiseAlarm();
    }

    /** Sets the current input; returns whether its attempt must be recorded before it is processed. */
    private synchronized boolean start(long offset, Supplier<String> about) {
        boolean isRecorded = isLastAttemptKnown
                && suspect.map(known -> isRecorded(offset, known)).orElse(isFirst);
        isFirst = isFirst && !isLastAttemptKnown;
        InputAttempt attempt = attempt(offset);
        current = Optional.of(
                new InputInProgress(true, offset, attempt.count(), attempt.since(), nanos.getAsLong(), about));
        countSuspect(attempt);
        return isRecorded;
    }

    private boolean isRecorded(long offset, InputAttempt known) {
        return offset == known.offset()
                || (offset > known.offset()
                        && isRecordedSingly
                        && nanos.getAsLong() - suspectProcessedNanos < RECORDED_SINGLY_FOR.toNanos());
    }

    /** The attempt at an input. The count grows until a transaction commits, whichever of its inputs fails. */
    private InputAttempt attempt(long offset) {
        if (suspect.isEmpty()) {
            return InputAttempt.first(offset, clock.instant(), "");
        }
        InputAttempt known = suspect.get();
        if (offset <= known.offset()) {
            return known.next(known.subject()).atLaterInput(offset, known.subject());
        }
        return isRecorded(offset, known)
                ? known.atLaterInput(offset, "")
                : InputAttempt.first(offset, clock.instant(), "");
    }

    /** The current attempt, with the failure of the last attempt at the same input. */
    private InputAttempt attempt(InputInProgress input) {
        return input.attempt(suspect.filter(known -> known.offset() == input.offset())
                .map(InputAttempt::failure)
                .orElse(""));
    }

    private void countSuspect(InputAttempt attempt) {
        suspect.filter(known -> known.offset() == attempt.offset() && known.count() < attempt.count())
                .ifPresent(known -> {
                    suspect = Optional.of(known.next(known.subject()));
                    isRecordedSingly = attempt.count() > FAILURES_MAX;
                });
    }

    /** Ends an input. Its transaction commits later. */
    synchronized void end(long offset) {
        current = Optional.empty();
        nextOffset = offset + 1;
        if (!isSuspectProcessed
                && suspect.isPresent()
                && offset >= suspect.get().offset()) {
            suspectProcessedNanos = nanos.getAsLong();
            isSuspectProcessed = true;
        }
    }

    /** Begins work that is no input, after the input at {@link #nextOffset()} - 1. */
    void beginMaintenance(String what) {
        current = Optional.of(
                new InputInProgress(false, nextOffset - 1, 1, clock.instant(), nanos.getAsLong(), () -> what));
    }

    /** Ends work that is no input. */
    void endMaintenance() {
        current = Optional.empty();
    }

    /** Handles an exception of processing: the process ends, or the cell is taken over again. */
    void failed(Throwable cause) {
        switch (FaultKind.of(cause)) {
            case INPUT -> {
                loadLastAttempt();
                current.ifPresent(input -> fail(attempt(input).withFailure(cause.toString())));
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
            isSuspectProcessed = false;
            isFailed = true;
            current = Optional.empty();
        }
        raiseAlarm();
        boolean unused = recorder.record(() -> Optional.of(attempt));
    }

    // ---- called by any thread

    /** Reads the suspect from the store, if it is unknown. Blocks until the store responds or times out. */
    void loadLastAttempt() {
        if (!isLastAttemptKnown) {
            LastAttempt last = recorder.initialAttempt();
            if (!(last instanceof LastAttempt.UnknownAttempt)) {
                setLastAttempt(last.attempt());
                raiseAlarm();
            }
        }
    }

    private synchronized void setLastAttempt(Optional<InputAttempt> last) {
        if (isLastAttemptKnown) {
            return;
        }
        isLastAttemptKnown = true;
        suspect = last.filter(attempt -> attempt.offset() >= nextOffset);
        current.filter(InputInProgress::isInput).ifPresent(input -> {
            InputAttempt attempt = attempt(input.offset());
            current = Optional.of(input.withAttempt(attempt));
            countSuspect(attempt);
        });
    }

    /** Whether the store has not responded yet, so that the suspect is unknown. */
    boolean isLastAttemptUnknown() {
        return !isLastAttemptKnown;
    }

    /** Whether processing an input threw; the thread processes no other input after that. */
    boolean isFailed() {
        return isFailed;
    }

    private void raiseAlarm() {
        Optional<InputAttempt> failing;
        synchronized (this) {
            failing = failingAttempt().filter(_ -> !isAlarmed);
            isAlarmed = isAlarmed || failing.isPresent();
        }
        failing.ifPresent(attempt -> alarm.accept(this, attempt));
    }

    /**
     * Restores the recorded attempt of the last process: a fault of the cluster ended the attempts of this tracker.
     *
     * @return false if the store did not respond
     */
    boolean retract() {
        return recorder.retract();
    }

    /** The input that is being processed. */
    Optional<InputInProgress> current() {
        return current;
    }

    /** How long the input has been processed so far. */
    Duration elapsed(InputInProgress input) {
        return Duration.ofNanos(nanos.getAsLong() - input.startedNanos());
    }

    /** The item that is being evaluated. */
    Optional<ItemId> item() {
        return item.get();
    }

    /** Offset of the first input that is not processed. */
    long nextOffset() {
        return nextOffset;
    }

    /** The input that has failed repeatedly and is not committed yet. */
    Optional<InputAttempt> failingAttempt() {
        return suspect.filter(attempt -> failures(attempt) >= FAILURES_MAX && !isCommitted());
    }

    /** The number of failed attempts; the current attempt may still succeed. */
    private int failures(InputAttempt attempt) {
        boolean isUnderWay = current.filter(input -> input.isInput() && input.offset() == attempt.offset())
                        .isPresent()
                || isSuspectProcessed;
        return isUnderWay ? attempt.count() - 1 : attempt.count();
    }

    private boolean isCommitted() {
        return isSuspectProcessed && nanos.getAsLong() - suspectProcessedNanos > COMMITTED_AFTER.toNanos();
    }

    /**
     * Records the attempt at an input that is still being processed. Blocks until the store responds or times out.
     *
     * @return whether nothing is left to record
     */
    boolean recordSlow(InputInProgress input) {
        loadLastAttempt();
        return !input.isInput()
                || recorder.record(
                        () -> current.filter(now -> now.isSame(input)).map(this::attempt));
    }
}
