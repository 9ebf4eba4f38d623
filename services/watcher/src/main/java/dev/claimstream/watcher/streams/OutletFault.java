package dev.claimstream.watcher.streams;

/** Broker or registry did not take what was published; they may do so later, and it has to be published again. */
public final class OutletFault extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutletFault(String message, Throwable cause) {
        super(message, cause);
    }
}
