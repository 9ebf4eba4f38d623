package dev.claimstream.allocator;

import dev.claimstream.audit.streams.Divergence;
import dev.claimstream.audit.streams.ShadowReplay;
import dev.claimstream.dra.Selectors;
import dev.claimstream.observability.AllocatorMeter;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.util.StringUtils;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides the recorded inputs again while they come, and reports the first difference from the ledger.
 *
 * <p>It has consumers only, and no group: it writes nothing. A divergence is reported by a log line, by the part shadow of the health and by
 * a metric, and stays until the process ends. Without an archived state, a new process begins at the earliest known state.
 */
@Context
@Requires(property = "claimstream.shadow.enabled", value = StringUtils.TRUE)
final class LogShadow {
    private static final Logger LOG = LoggerFactory.getLogger(LogShadow.class);
    private final FollowerThread thread;
    private volatile List<Divergence> divergences = List.of();
    private volatile long inputs;

    LogShadow(ShadowConfig config, ShadowLog log, Selectors selectors, Meters meters, Health health) {
        thread = new FollowerThread("shadow", config.every(), log::open, opened -> {
            var shadow = new ShadowReplay(opened, selectors, Optional.of(Instant.now()));
            shadow.notReplayed().ifPresent(each -> LOG.atWarn().log("the shadow follows the cells only; {}", each));
            return () -> {
                report(shadow.advance());
                inputs = shadow.inputs();
            };
        });
        health.register("shadow", this::condition);
        meters.showOne(AllocatorMeter.SHADOW_INPUTS, () -> inputs);
        meters.showOne(AllocatorMeter.SHADOW_DIVERGENCES, () -> divergences.size());
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    @PreDestroy
    void close() throws InterruptedException {
        thread.close();
    }

    /** Adds the first divergence of a cell. It stays if the shadow follows again from a later state. */
    private void report(List<Divergence> found) {
        List<Divergence> all = new ArrayList<>(divergences);
        found.stream()
                .filter(each -> all.stream().noneMatch(known -> known.cell() == each.cell()))
                .forEach(each -> {
                    all.add(each);
                    LOG.atError()
                            .addKeyValue("cell", each.cell())
                            .addKeyValue("offset", each.offset())
                            .addKeyValue("state", String.join("; ", each.state()))
                            .log("divergence: {}", text(each));
                });
        divergences = List.copyOf(all);
    }

    private static String text(Divergence divergence) {
        return "%s at %s (%s): ledger %s, replay %s%s"
                .formatted(
                        divergence.location(),
                        divergence.at(),
                        divergence.inputText(),
                        divergence.recorded(),
                        divergence.replayed(),
                        divergence.cause().map(each -> ", cause: " + each).orElse(""));
    }

    private Health.Condition condition() {
        return divergences.stream()
                .findFirst()
                .map(each -> Health.Condition.degraded("divergence: " + text(each)))
                .or(() -> thread.problem().map(reason -> Health.Condition.degraded("retrying: " + reason)))
                .orElseGet(() -> Health.Condition.up("%d inputs decided alike".formatted(inputs)));
    }
}
