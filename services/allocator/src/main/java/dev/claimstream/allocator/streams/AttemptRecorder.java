package dev.claimstream.allocator.streams;

import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;

/**
 * Records the attempts at inputs of one log while this process has the cell.
 *
 * <p>Nothing is recorded before the last attempt is known. A higher count of another process is not overwritten: that process has taken
 * over the cell, and this process has not noticed yet. Safe for many threads; each method blocks until the store responds or times out.
 */
final class AttemptRecorder {
    private final AttemptLog attempts;
    private final TopicPartition log;
    private LastAttempt initialAttempt = new LastAttempt.UnknownAttempt();

    /** The attempt in the store, unless another process has overwritten it. */
    private Optional<InputAttempt> recorded = Optional.empty();

    AttemptRecorder(AttemptLog attempts, TopicPartition log) {
        this.attempts = attempts;
        this.log = log;
    }

    TopicPartition log() {
        return log;
    }

    /** Returns the last attempt before this process took over the cell. Asks the store again until it has responded once. */
    synchronized LastAttempt initialAttempt() {
        if (initialAttempt instanceof LastAttempt.UnknownAttempt) {
            initialAttempt = attempts.last(log);
            recorded = initialAttempt.attempt();
        }
        return initialAttempt;
    }

    /**
     * Records an attempt.
     *
     * @param attempt called after the lock is acquired; empty if there is nothing to record any more
     * @return whether nothing is left to record: false if the store did not respond
     */
    synchronized boolean record(Supplier<Optional<InputAttempt>> attempt) {
        if (initialAttempt() instanceof LastAttempt.UnknownAttempt) {
            return false;
        }
        LastAttempt now = attempts.last(log);
        Optional<InputAttempt> next = attempt.get();
        return next.isEmpty()
                || switch (now) {
                    case LastAttempt.UnknownAttempt() -> false;
                    case LastAttempt.NoAttempt() -> write(next.get());
                    case LastAttempt.StoredAttempt(InputAttempt other) ->
                        (other.count() > next.get().count() && !isRecordedHere(other)) || write(next.get());
                };
    }

    private boolean write(InputAttempt attempt) {
        boolean isWritten = attempts.record(log, attempt);
        if (isWritten) {
            recorded = Optional.of(attempt);
        }
        return isWritten;
    }

    /** Whether this process has recorded the attempt. Does not compare texts, because the store shortens them. */
    private boolean isRecordedHere(InputAttempt attempt) {
        return recorded.filter(each -> each.offset() == attempt.offset()
                        && each.count() == attempt.count()
                        && each.since().equals(attempt.since()))
                .isPresent();
    }

    /**
     * Restores the attempt that was recorded before this process took over the cell. The attempts of this process do not count then.
     *
     * @return false if the store did not respond
     */
    synchronized boolean retract() {
        if (initialAttempt instanceof LastAttempt.UnknownAttempt || recorded.equals(initialAttempt.attempt())) {
            return true;
        }
        LastAttempt now = attempts.last(log);
        if (now instanceof LastAttempt.StoredAttempt(InputAttempt last) && isRecordedHere(last)) {
            initialAttempt.attempt().ifPresentOrElse(this::write, () -> attempts.remove(log));
        }
        return !(now instanceof LastAttempt.UnknownAttempt);
    }
}
