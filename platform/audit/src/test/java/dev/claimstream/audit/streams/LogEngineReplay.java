package dev.claimstream.audit.streams;

import dev.claimstream.audit.AuditLog;
import dev.claimstream.selectors.CelSelectors;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Replay and shadow by the build of the engine whose class loader has loaded this class. */
public final class LogEngineReplay implements EngineReplay {
    @Override
    public Optional<ReplayDifference> replay(AuditLog log) {
        return new LogReplay(log, new CelSelectors()).run().divergence().map(LogEngineReplay::difference);
    }

    @Override
    public Supplier<List<ReplayDifference>> shadow(AuditLog log) {
        var shadow = new ShadowReplay(log, new CelSelectors(), Optional.empty());
        return () -> shadow.advance().stream().map(LogEngineReplay::difference).toList();
    }

    private static ReplayDifference difference(Divergence divergence) {
        return new ReplayDifference(
                divergence.offset(), divergence.recorded(), divergence.replayed(), divergence.state());
    }
}
