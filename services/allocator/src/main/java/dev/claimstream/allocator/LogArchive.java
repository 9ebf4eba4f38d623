package dev.claimstream.allocator;

import dev.claimstream.audit.ArchiveRetention;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.Archiver;
import dev.claimstream.audit.Archiver.ArchiveSummary;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.streams.SnapshotFold;
import dev.claimstream.audit.streams.TelemetryArchive;
import dev.claimstream.audit.streams.TopicLog;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.AllocatorMeter;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Archives inputs, ledger and states at an interval, if a folder is configured, and deletes what is beyond the limits of the archive.
 *
 * <p>A failure is reported by the part archive of the health, and the next run tries again. Decisions do not wait for the archive.
 */
@Context
@Requires(property = "claimstream.archive.folder")
@Requires(property = "claimstream.archive.folder", notEquals = "")
final class LogArchive {
    private static final Logger LOG = LoggerFactory.getLogger(LogArchive.class);
    private static final Duration STOP_WITHIN = Duration.ofSeconds(10);

    private final ArchiveConfig config;
    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final boolean isEnabled;
    private final InstantSource clock = InstantSource.system();
    private final Instant started = clock.instant();
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread = Thread.ofPlatform().name("archive").daemon().unstarted(this::work);
    private volatile Optional<String> problem = Optional.empty();
    private volatile Optional<Progress> progress = Optional.empty();

    /**
     * What was archived so far.
     *
     * @param records number of records since the start
     * @param at time of the last run
     */
    private record Progress(long records, Instant at) {}

    LogArchive(
            ArchiveConfig config,
            @Value("${claimstream.allocator.enabled:true}") boolean allocates,
            KafkaConnection kafka,
            SchemaRegistry registry,
            Meters meters,
            Health health) {
        this.config = config;
        this.kafka = kafka;
        this.registry = registry;
        isEnabled = config.enabled().orElse(allocates);
        if (isEnabled) {
            health.register("archive", this::condition);
            meters.showOne(AllocatorMeter.ARCHIVE_AGE, this::ageSeconds);
        }
    }

    @PostConstruct
    void start() {
        if (isEnabled) {
            thread.start();
        }
    }

    @PreDestroy
    void close() throws InterruptedException {
        stop.countDown();
        if (isEnabled) {
            thread.join(STOP_WITHIN);
        }
    }

    private void work() {
        try {
            do {
                archive();
            } while (!stop.await(config.every().toMillis(), TimeUnit.MILLISECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void archive() {
        try (var log = new TopicLog(kafka, registry, "claimstream-archive");
                var store = ArchiveStore.of(config.folder());
                var archiver = new Archiver(
                        log, store, Archiver.SegmentLimits.DEFAULT, EngineFingerprint.hash(), this::warn)) {
            ArchiveSummary summary = archiver.run();
            if (config.states()) {
                var unused = new SnapshotFold(log, store, EngineFingerprint.hash(), this::warn).run();
            }
            var hours = new TelemetryArchive(log, store, EngineFingerprint.hash()).run(clock.instant());
            LOG.atDebug().addKeyValue("hours", hours).log("telemetry archived");
            new ArchiveRetention(store, config.retention())
                    .run(clock.instant())
                    .notes()
                    .forEach(this::warn);
            long before = progress.map(Progress::records).orElse(0L);
            progress = Optional.of(new Progress(before + summary.records(), clock.instant()));
            problem = Optional.empty();
        } catch (AuditException e) {
            problem = Optional.of(String.valueOf(e.getMessage()));
            LOG.atWarn().addKeyValue("folder", config.location()).log("archiving failed: {}", e.getMessage());
        } catch (RuntimeException e) {
            problem = Optional.of(e.toString());
            LOG.atError().setCause(e).addKeyValue("folder", config.location()).log("archiving failed");
        }
    }

    /** The age of the last complete run, or of this process if there is none. */
    private double ageSeconds() {
        Instant last = progress.map(Progress::at).orElse(started);
        return Duration.between(last, clock.instant()).toMillis() / 1000.0;
    }

    private void warn(String message) {
        LOG.atWarn().addKeyValue("folder", config.location()).log("archive: {}", message);
    }

    private Health.Condition condition() {
        return problem.map(reason -> Health.Condition.degraded("retrying: " + reason))
                .or(() -> progress.map(done -> Health.Condition.up("%d records archived to %s, last at %s"
                        .formatted(done.records(), config.location(), done.at()))))
                .orElseGet(() -> Health.Condition.up("the first run archives to " + config.location()));
    }
}
