package dev.claimstream.simulation;

/** A request that cannot be simulated. The message names object, value and remedy. */
public final class InvalidSimulationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public InvalidSimulationException(String message) {
        super(message, null, false, false);
    }
}
