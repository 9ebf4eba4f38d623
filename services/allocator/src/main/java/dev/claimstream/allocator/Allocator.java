package dev.claimstream.allocator;

import dev.claimstream.allocation.cell.Settings;
import dev.claimstream.allocator.streams.AllocatorTopology;
import dev.claimstream.allocator.streams.Intake;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.StreamSettings;
import dev.claimstream.kafka.registry.SchemaRegistry;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.Duration;
import java.time.InstantSource;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs intake and cells as long as the process lives. */
@Context
@Requires(property = "claimstream.allocator.enabled", notEquals = "false")
public final class Allocator {
    private static final Logger LOG = LoggerFactory.getLogger(Allocator.class);
    private static final Duration STOP_WITHIN = Duration.ofSeconds(5);

    private final KafkaStreams streams;
    private final Intake intake;

    Allocator(AllocatorConfig config, KafkaConnection kafka, SchemaRegistry registry, Selectors selectors) {
        Settings settings = AllocatorSettings.of(config);
        intake = new Intake(kafka, registry, settings, InstantSource.system(), config.instance());
        streams = new KafkaStreams(
                AllocatorTopology.of(registry, selectors),
                StreamSettings.of(
                                kafka,
                                "claimstream-allocator",
                                config.instance(),
                                config.stateFolder(),
                                StreamSettings.Start.FIRST)
                        .properties());
        streams.setUncaughtExceptionHandler(Allocator::stop);
    }

    private static StreamThreadExceptionResponse stop(Throwable broken) {
        LOG.atError().setCause(broken).log("the allocator stops before it can commit");
        return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
    }

    @PostConstruct
    void start() {
        intake.start();
        streams.start();
    }

    @PreDestroy
    void stop() {
        intake.close();
        streams.close(STOP_WITHIN);
    }

    /** Whether the cells have their partitions and take inputs. */
    public boolean isRunning() {
        return streams.state() == KafkaStreams.State.RUNNING;
    }

    /** Whether intake and cells work, or are about to. */
    public boolean isAlive() {
        return intake.failure().isEmpty() && !streams.state().hasCompletedShutdown();
    }
}
