package dev.claimstream.cli;

/** The result of a query to a broker, registry or service: a value, or the reason of the failure. */
sealed interface Asked<T> {
    /** The server returned the expected value. */
    record Answered<T>(T answer) implements Asked<T> {}

    /** The server did not respond, or its response could not be used. */
    record Silent<T>(String why) implements Asked<T> {}
}
