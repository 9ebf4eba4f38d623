package dev.claimstream.audit.streams;

import dev.claimstream.audit.AuditLog;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Replay and shadow by one build of the engine. All builds share this type. */
public interface EngineReplay {
    /** What a {@link Divergence} says, in a type that all builds share. */
    record ReplayDifference(long offset, List<String> recorded, List<String> replayed, List<String> state) {}

    /** Replays a whole log; empty if there is no divergence. */
    Optional<ReplayDifference> replay(AuditLog log);

    /** Starts a shadow of a log. Each call of the result continues it, and returns the divergences until then. */
    Supplier<List<ReplayDifference>> shadow(AuditLog log);
}
