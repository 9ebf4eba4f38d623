package dev.claimstream.allocator;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.JoinedLog;
import dev.claimstream.audit.streams.Divergence;
import dev.claimstream.audit.streams.ShadowReplay;
import dev.claimstream.audit.streams.TopicLog;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meter;
import dev.claimstream.observability.Meters;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import io.micronaut.core.util.StringUtils;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
    private static final Duration STOP_WITHIN = Duration.ofSeconds(10);

    /** Time after a failure. The search for a first state may read all inputs. */
    private static final Duration RETRY_AFTER = Duration.ofSeconds(10);

    private final ShadowConfig config;
    private final Optional<String> archive;
    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final Selectors selectors;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread = Thread.ofPlatform().name("shadow").daemon().unstarted(this::work);
    private volatile List<Divergence> divergences = List.of();
    private volatile long inputs;
    private volatile Optional<String> problem = Optional.empty();

    LogShadow(
            ShadowConfig config,
            @Value("${claimstream.archive.folder:}") String archive,
            KafkaConnection kafka,
            SchemaRegistry registry,
            Selectors selectors,
            Meters meters,
            Health health) {
        this.config = config;
        this.archive = Optional.of(archive).filter(each -> !each.isEmpty());
        this.kafka = kafka;
        this.registry = registry;
        this.selectors = selectors;
        health.register("shadow", this::condition);
        meters.showOne(Meter.SHADOW_INPUTS, () -> inputs);
        meters.showOne(Meter.SHADOW_DIVERGENCES, () -> divergences.size());
    }

    @PostConstruct
    void start() {
        thread.start();
    }

    @PreDestroy
    void close() throws InterruptedException {
        stop.countDown();
        thread.join(STOP_WITHIN);
    }

    private void work() {
        try {
            do {
                follow();
            } while (!stop.await(RETRY_AFTER.toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Follows the log until the process stops or a fault occurs. */
    private void follow() throws InterruptedException {
        try (AuditLog log = log()) {
            var shadow = new ShadowReplay(log, selectors, Optional.of(Instant.now()));
            do {
                report(shadow.advance());
                inputs = shadow.inputs();
                problem = Optional.empty();
            } while (!stop.await(config.every().toMillis(), TimeUnit.MILLISECONDS));
        } catch (AuditException e) {
            problem = Optional.of(String.valueOf(e.getMessage()));
            LOG.atWarn().log("the shadow cannot read the log: {}", e.getMessage());
        } catch (RuntimeException e) {
            problem = Optional.of(e.toString());
            LOG.atError().setCause(e).log("the shadow failed");
        }
    }

    /** The topics, after the archive if there is one: it has states where the shadow can begin. */
    private AuditLog log() {
        var topics = new TopicLog(kafka, registry, "claimstream-shadow");
        try {
            return archive.<AuditLog>map(folder -> new JoinedLog(ArchiveLog.strict(ArchiveStore.of(folder)), topics))
                    .orElse(topics);
        } catch (AuditException e) {
            LOG.atInfo().log("the shadow begins without the archive: {}", e.getMessage());
            return topics; // the archive may not have a segment yet
        }
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
                            .log("divergence: {}", text(each));
                });
        divergences = List.copyOf(all);
    }

    private static String text(Divergence divergence) {
        return "cell %d, input %d of cells.in at %s (%s): ledger %s, replay %s%s"
                .formatted(
                        divergence.cell(),
                        divergence.offset(),
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
                .or(() -> problem.map(why -> Health.Condition.degraded("retrying: " + why)))
                .orElseGet(() -> Health.Condition.up("%d inputs decided alike".formatted(inputs)));
    }
}
