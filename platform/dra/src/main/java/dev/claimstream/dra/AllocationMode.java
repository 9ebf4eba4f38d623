package dev.claimstream.dra;

/**
 * How many devices a request needs ({@code allocationMode}).
 *
 * <p>An unknown name, for example from a newer API, is stored. The request is then unsupported.
 */
public record AllocationMode(String name) {
    /** The exact number in the request's {@code count}. */
    public static final AllocationMode EXACT_COUNT = new AllocationMode("ExactCount");

    /** All matching devices, at least one. */
    public static final AllocationMode ALL = new AllocationMode("All");
}
