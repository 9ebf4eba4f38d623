package dev.claimstream.simulator;

import dev.claimstream.allocation.cell.CellIdentity;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.streams.CellFollower;
import dev.claimstream.audit.streams.TopicLog;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.process.access.AccessSettings;
import dev.claimstream.selectors.CelSelectors;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import io.micronaut.context.env.Environment;
import jakarta.annotation.PreDestroy;
import java.util.List;

/** The simulator as a service: it follows the inputs of all cells, and answers over HTTP. It has consumers only. */
@Context
@Requires(property = "claimstream.simulator.enabled", value = "true")
final class SimulatorService {
    private static final String CLIENT = "claimstream-simulator";

    private final WarmState state;
    private final SimulatorServer server;

    SimulatorService(
            KafkaConnection kafka,
            SchemaRegistry registry,
            Health health,
            Environment settings,
            @Value("${claimstream.simulator.host:127.0.0.1}") String host,
            @Value("${claimstream.simulator.port:8420}") int port,
            @Value("${claimstream.simulator.allowed-hosts:}") List<String> allowedHosts) {
        state = new WarmState(() -> follower(new TopicLog(kafka, registry, CLIENT)));
        server = SimulatorServer.start(host, port, allowedHosts, AccessSettings.gate(settings), state);
        health.register("simulator", state::condition);
        state.start();
    }

    private static WarmState.OpenLog follower(AuditLog log) {
        try {
            List<CellIdentity> cells = CellFollower.cells(log);
            if (cells.isEmpty()) {
                throw new AuditException("%s has no topic %s yet: start the allocator, or name the Kafka of Claimstream"
                        .formatted(log.location(), LogVerifier.INPUTS));
            }
            return new WarmState.OpenLog(
                    log,
                    cells.stream()
                            .map(cell -> CellFollower.atEnd(log, new CelSelectors(), cell))
                            .toList());
        } catch (AuditException e) {
            log.close();
            throw e;
        }
    }

    @PreDestroy
    void close() {
        server.close();
        state.close();
    }
}
