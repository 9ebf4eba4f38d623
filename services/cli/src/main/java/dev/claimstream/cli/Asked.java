package dev.claimstream.cli;

/** An answer, or why there is none. */
sealed interface Asked<T> {
    /** It answered. */
    record Answered<T>(T answer) implements Asked<T> {}

    /** It did not, or not as it should. */
    record Silent<T>(String why) implements Asked<T> {}
}
