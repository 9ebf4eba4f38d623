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
import dev.claimstream.process.ServiceProcess;
import dev.claimstream.process.access.AccessSettings;
import dev.claimstream.selectors.CelSelectors;
import io.micronaut.context.ApplicationContext;
import io.micronaut.core.type.Argument;
import java.util.List;
import java.util.Optional;

/** The entry point of the simulator as a process of its own. It has consumers only. */
public final class Main {
    private static final String CLIENT = "claimstream-simulator";
    private static final String HOST = "claimstream.simulator.host";
    private static final String PORT = "claimstream.simulator.port";
    private static final String ALLOWED_HOSTS = "claimstream.simulator.allowed-hosts";
    private static final int PORT_DEFAULT = 8420;

    private Main() {}

    /** Runs until it is stopped. */
    public static void main(String[] args) {
        System.exit(run());
    }

    /** Runs the simulator with the settings of the environment until the process is stopped; returns the exit code. */
    public static int run() {
        return ServiceProcess.of("simulator").run((_, _) -> List.of(), Main::serve);
    }

    private static ServiceProcess.ServiceHandle serve(ApplicationContext context) {
        KafkaConnection kafka = context.getBean(KafkaConnection.class);
        SchemaRegistry registry = context.getBean(SchemaRegistry.class);
        var state = new WarmState(() -> follower(new TopicLog(kafka, registry, CLIENT)));
        context.getBean(Health.class).register("simulator", state::condition);
        state.start();
        var server = SimulatorServer.start(
                context.getProperty(HOST, String.class).orElse("127.0.0.1"),
                context.getProperty(PORT, Integer.class).orElse(PORT_DEFAULT),
                context.getProperty(ALLOWED_HOSTS, Argument.listOf(String.class))
                        .orElse(List.of()),
                AccessSettings.gate(context),
                state);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            server.close();
            state.close();
        }));
        return Optional::empty;
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
}
