package dev.claimstream.console;

import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.observability.ConsoleMeter;
import dev.claimstream.observability.Meters;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Shows the number of findings of the queue as a metric. */
@Context
@Requires(beans = ClusterView.class)
final class QueueMeter {
    private final ClusterView view;

    QueueMeter(ClusterView view, Meters meters) {
        this.view = view;
        meters.show(ConsoleMeter.QUEUE_FINDINGS, this::findings);
    }

    private Map<List<String>, Number> findings() {
        Instant now = Instant.now();
        Map<List<String>, Number> byKind = new HashMap<>(
                Map.of(List.of(QueueView.REPEATEDLY_REJECTED), 0L, List.of(QueueView.NEVER_ALLOCATED), 0L));
        view.read(VisibleObjects.EVERYTHING, snapshot -> QueueView.of(snapshot, now))
                .findings()
                .forEach(each ->
                        byKind.merge(List.of(each.kind()), 1L, (one, other) -> one.longValue() + other.longValue()));
        return byKind;
    }
}
