package dev.claimstream.allocator;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocator.streams.CellMeters;
import dev.claimstream.allocator.streams.CellStreams;
import dev.claimstream.allocator.streams.Intake;
import dev.claimstream.allocator.streams.IntakeMeters;
import dev.claimstream.allocator.streams.LogContinuityException;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.Traces;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
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
 * broker, lag and alarms, and in observe-only mode the part mode. Safe for many threads.
 */
@Context
@Requires(property = "claimstream.allocator.enabled", notEquals = "false")
public final class Allocator {
    private static final Logger LOG = LoggerFactory.getLogger(Allocator.class);

    /** Lag in records above which health is degraded. */
    private static final long LAG_MAX = 10_000;

    private static final String OBSERVE_ONLY =
            "observe-only: kube-scheduler allocates, Claimstream writes nothing to the cluster and reports differences";

    private final KafkaConnection kafka;
    private final CellStreams cells;
    private final Intake intake;
    private final CompletableFuture<Termination> end = new CompletableFuture<>();

    /**
     * The end of this allocator.
     *
     * @param failure the message of the failure; empty after a regular stop
     * @param cause the exception
     * @param rebuildReason the mismatch of state, log and offsets, if a rebuild repairs it
     */
    private record Termination(Optional<String> failure, Optional<Throwable> cause, Optional<String> rebuildReason) {
        static final Termination STOPPED = new Termination(Optional.empty(), Optional.empty(), Optional.empty());
    }

    Allocator(
            AllocatorConfig config,
            @Value("${claimstream.observe-only:false}") boolean observeOnly,
            KafkaConnection kafka,
            SchemaRegistry registry,
            Selectors selectors,
            Meters meters,
            Traces traces,
            Health health) {
        this.kafka = kafka;
        CellSettings settings = AllocatorSettings.of(config).toBuilder()
                .observeOnly(observeOnly)
                .build();
        intake = new Intake(
                kafka,
                registry,
                settings,
                InstantSource.system(),
                config.instance(),
                new IntakeMeters(meters),
                this::fail);
        var cellMeters = new CellMeters(meters, traces, config.logDecisions(), config.alarmGrace());
        cells = new CellStreams(
                kafka,
                registry,
                selectors,
                settings,
                new CellStreams.RuntimeOptions(
                        config.instance(),
                        config.stateFolder(),
                        config.threads(),
                        config.rebuild(),
                        config.snapshotEvery()),
                meters,
                cellMeters,
                intake::start,
                this::fail);
        health.register("cells", cells::condition);
        health.register("inputs", cells::inputCondition);
        health.register("intake", this::intakeCondition);
        health.register("broker", () -> brokerCondition(kafka));
        health.register("lag", this::lagCondition);
        health.register("alarms", cellMeters::alarms);
        if (observeOnly) {
            health.register("mode", () -> Health.Condition.up(OBSERVE_ONLY));
        }
    }

    @PostConstruct
    void start() {
        cells.start();
    }

    @PreDestroy
    void stop() {
        intake.close();
        cells.close();
        end.complete(Termination.STOPPED);
    }

    /**
     * Ends the allocator with a failure; of several threads the first one counts.
     *
     * <p>An operator can repair a {@link LogContinuityException}, a denied permission, rejected credentials, and a registry that lacks a schema or
     * does not respond: the message is enough. Any other exception is a bug and is logged with its stack trace.
     */
    private void fail(Throwable cause) {
        Optional<LogContinuityException> mismatch = cause(cause, LogContinuityException.class);
        Optional<String> repairable = AuthorizationFault.text(cause, kafka)
                .or(() -> AuthorizationFault.rejectedCredentials(cause, kafka))
                .or(() -> mismatch.map(Throwable::getMessage))
                .or(() -> cause(cause, RegistryException.class)
                        .filter(each -> each.errorCode().isRetriable())
                        .map(Throwable::getMessage));
        if (repairable.isEmpty()) {
            LOG.atError().setCause(cause).log("the allocator stops");
        }
        end.complete(new Termination(
                Optional.of(repairable.orElseGet(cause::toString)),
                Optional.of(cause),
                mismatch.flatMap(LogContinuityException::rebuildable)));
    }

    private static <T extends Throwable> Optional<T> cause(Throwable thrown, Class<T> type) {
        return Stream.iterate(Optional.of(thrown), Optional::isPresent, each -> each.map(Throwable::getCause))
                .flatMap(Optional::stream)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
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
        return end.getNow(Termination.STOPPED).failure();
    }

    /** The exception that ended the allocator; empty if it has not failed. */
    public Optional<Throwable> failureCause() {
        return end.getNow(Termination.STOPPED).cause();
    }

    /** The mismatch of state, log and offsets that ended the allocator; empty if a rebuild does not repair it. */
    public Optional<String> rebuildReason() {
        return end.getNow(Termination.STOPPED).rebuildReason();
    }

    private Health.Condition intakeCondition() {
        return intake.failure()
                .map(cause -> Health.Condition.terminal("stopped: " + cause.getMessage()))
                .or(() -> intake.currentError().map(reason -> Health.Condition.degraded("retrying: " + reason)))
                .orElseGet(() -> Health.Condition.up("consuming"));
    }

    private Health.Condition brokerCondition(KafkaConnection kafka) {
        boolean isConnected = intake.isConnected() || cells.otherFormat().isPresent();
        return isConnected
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
        String sentence = "%d unprocessed records".formatted(lag);
        return lag > LAG_MAX ? Health.Condition.degraded(sentence) : Health.Condition.up(sentence);
    }
}
