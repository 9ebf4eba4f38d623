package dev.claimstream.allocator.streams;

import java.util.Optional;

/**
 * State, log, offsets or published outputs do not match.
 *
 * <p>The allocator stops before it changes anything: it could lose claims or allocate a device twice. The message names the mismatch and
 * the remedy.
 */
public final class LogContinuityException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final String REBUILD =
            "; to rebuild from the public topics and the decisions of Claimstream, stop every allocator and start one with"
                    + " claimstream.allocator.rebuild=true";

    private final boolean isRebuildable;

    LogContinuityException(String message) {
        this(message, false);
    }

    private LogContinuityException(String message, boolean isRebuildable) {
        super(message);
        this.isRebuildable = isRebuildable;
    }

    /** Creates an exception for a mismatch that a rebuild repairs. */
    static LogContinuityException rebuildable(String what) {
        return new LogContinuityException(what + REBUILD, true);
    }

    /** The mismatch without the remedy; empty if a rebuild does not repair it. */
    public Optional<String> rebuildable() {
        String message = String.valueOf(getMessage());
        return isRebuildable
                ? Optional.of(message.substring(0, message.length() - REBUILD.length()))
                : Optional.empty();
    }

    /** Creates an exception for a rebuild while another allocator runs. */
    static LogContinuityException hasMembers(String group) {
        return new LogContinuityException(
                "claimstream.allocator.rebuild: group %s has members: stop every other allocator first"
                        .formatted(group));
    }

    static LogContinuityException unreadable(String key, String reason) {
        return rebuildable("row %s of the state cannot be read: %s".formatted(key, reason));
    }
}
