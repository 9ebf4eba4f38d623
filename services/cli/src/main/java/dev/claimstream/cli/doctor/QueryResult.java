package dev.claimstream.cli.doctor;

/** The result of a query to a broker, registry or service: a value, or the reason of the failure. */
public sealed interface QueryResult<T> {
    /** The server returned the expected value. */
    record Value<T>(T value) implements QueryResult<T> {}

    /** The server did not respond, or its response could not be used. */
    record Failure<T>(String reason) implements QueryResult<T> {}
}
