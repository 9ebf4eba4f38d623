package dev.claimstream.allocator;

import dev.claimstream.allocation.cell.Settings;
import dev.claimstream.allocator.streams.CellMeters;
import dev.claimstream.allocator.streams.Cells;
import dev.claimstream.allocator.streams.Discontinuity;
import dev.claimstream.allocator.streams.Intake;
import dev.claimstream.allocator.streams.IntakeMeters;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the intake and the cells of this process; if one of them fails, the process stops.
 *
 * <p>The intake starts when the cells have checked their offsets and finished a rebuild. Health has the parts cells, inputs, intake,
 * broker, lag and alarms. Safe for many threads.
 */
@Context
@Requires(property = "claimstream.allocator.enabled", notEquals = "false")
public final class Allocator {
    private static final Logger LOG = LoggerFactory.getLogger(Allocator.class);

    /** Lag in records above which health is degraded. */
    private static final long LAG_MAX = 10_000;

    private final Cells cells;
    private final Intake intake;
    private final CompletableFuture<End> end = new CompletableFuture<>();

    /**
     * The end of this allocator.
     *
     * @param failure the message of the failure; empty after a regular stop
     * @param thrown the exception
     * @param rebuildable the mismatch of state, log and offsets, if a rebuild repairs it
     */
    private record End(Optional<String> failure, Optional<Throwable> thrown, Optional<String> rebuildable) {
        static final End STOPPED = new End(Optional.empty(), Optional.empty(), Optional.empty());
    }

    Allocator(
            AllocatorConfig config,
            KafkaConnection kafka,
            SchemaRegistry registry,
            Selectors selectors,
            Meters meters,
            Health health) {
        Settings settings = AllocatorSettings.of(config);
        intake = new Intake(
                kafka,
                registry,
                settings,
                InstantSource.system(),
                config.instance(),
                new IntakeMeters(meters),
                this::broken);
        var cellMeters = new CellMeters(meters, config.logDecisions(), config.alarmGrace());
        cells = new Cells(
                kafka,
                registry,
                selectors,
                settings,
                new Cells.Form(
                        config.instance(),
                        config.stateFolder(),
                        config.threads(),
                        config.rebuild(),
                        config.snapshotEvery()),
                meters,
                cellMeters,
                intake::start,
                this::broken);
        health.watch("cells", cells::condition);
        health.watch("inputs", cells::inputCondition);
        health.watch("intake", this::intakeCondition);
        health.watch("broker", () -> brokerCondition(kafka));
        health.watch("lag", this::lagCondition);
        health.watch("alarms", cellMeters::alarms);
    }

    @PostConstruct
    void start() {
        cells.start();
    }

    @PreDestroy
    void stop() {
        intake.close();
        cells.close();
        end.complete(End.STOPPED);
    }

    /**
     * Ends the allocator with a failure; of several threads the first one counts.
     *
     * <p>An operator can repair a {@link Discontinuity}: its message is enough. Any other exception is a bug and is logged with its stack
     * trace.
     */
    private void broken(Throwable why) {
        Optional<Discontinuity> plain = Stream.iterate(
                        Optional.of(why), Optional::isPresent, each -> each.map(Throwable::getCause))
                .flatMap(Optional::stream)
                .filter(Discontinuity.class::isInstance)
                .map(Discontinuity.class::cast)
                .findFirst();
        if (plain.isEmpty()) {
            LOG.atError().setCause(why).log("the allocator stops before it can commit");
        }
        end.complete(new End(
                Optional.of(plain.map(Throwable::getMessage).orElseGet(why::toString)),
                Optional.of(why),
                plain.flatMap(Discontinuity::rebuildable)));
    }

    /** Whether the stream threads have their partitions and process inputs. */
    public boolean isRunning() {
        return cells.isRunning();
    }

    /** Whether neither a failure nor a stop has ended the allocator. */
    public boolean isAlive() {
        return !end.isDone();
    }

    /** The message of the failure that ended the allocator; empty if it has not failed. */
    public Optional<String> failure() {
        return end.getNow(End.STOPPED).failure();
    }

    /** The exception that ended the allocator; empty if it has not failed. */
    public Optional<Throwable> thrown() {
        return end.getNow(End.STOPPED).thrown();
    }

    /** The mismatch of state, log and offsets that ended the allocator; empty if a rebuild does not repair it. */
    public Optional<String> rebuildable() {
        return end.getNow(End.STOPPED).rebuildable();
    }

    private Health.Condition intakeCondition() {
        return intake.failure()
                .map(why -> Health.Condition.over("stopped: " + why.getMessage()))
                .or(() -> intake.trouble().map(why -> Health.Condition.degraded("trying again: " + why)))
                .orElseGet(() -> Health.Condition.up("reads"));
    }

    private Health.Condition brokerCondition(KafkaConnection kafka) {
        return intake.isConnected()
                ? Health.Condition.up("connected to " + kafka.bootstrap())
                : Health.Condition.down("no connection to " + kafka.bootstrap());
    }

    private Health.Condition lagCondition() {
        OptionalLong ofCells = cells.lag();
        OptionalLong ofIntake = intake.lag();
        if (ofCells.isEmpty() || ofIntake.isEmpty()) {
            return Health.Condition.degraded("unknown: no response from Kafka");
        }
        long lag = ofCells.getAsLong() + ofIntake.getAsLong();
        String sentence = "%d records to go".formatted(lag);
        return lag > LAG_MAX ? Health.Condition.degraded(sentence) : Health.Condition.up(sentence);
    }
}
