package dev.claimstream.allocator.streams;

import java.time.Instant;

/**
 * An attempt of a cell or of the router to process one input.
 *
 * @param offset offset of the input in its log
 * @param count number of this attempt, from 1
 * @param since start of the first attempt
 * @param subject description of the input, for people
 * @param failure why the attempt failed; empty if this is unknown, as after a kill
 */
record InputAttempt(long offset, int count, Instant since, String subject, String failure) {
    InputAttempt {
        if (offset < 0 || count < 1) {
            throw new IllegalArgumentException("attempt %d at offset %d: count begins at 1".formatted(count, offset));
        }
    }

    static InputAttempt first(long offset, Instant since, String subject) {
        return new InputAttempt(offset, 1, since, subject, "");
    }

    /** The next attempt at the same input. */
    InputAttempt next(String knownSubject) {
        return new InputAttempt(offset, count + 1, since, knownSubject, failure);
    }

    /** The same attempt at a later input: the cell has got further than before, and nothing is committed yet. */
    InputAttempt atLaterInput(long laterOffset, String laterSubject) {
        return new InputAttempt(laterOffset, count, since, laterSubject, "");
    }

    InputAttempt withFailure(String reason) {
        return new InputAttempt(offset, count, since, subject, reason);
    }
}
