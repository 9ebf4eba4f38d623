package dev.claimstream.cli;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Runs one service in this process. Container images and pods start each service with this command. */
@Command(
        name = "service",
        mixinStandardHelpOptions = true,
        header = "Run one service in this process until it is stopped.",
        description = {
            "",
            "Services:",
            "  agent      publishes the accelerators of this node",
            "  allocator  allocates devices to claims",
            "  console    serves the REST API for get, watch, explain and status",
            "  history    answers questions about the past: who, history, usage, SQL",
            "  shadow     decides the recorded inputs again, and reports differences",
            "  simulator  answers what would happen if the cluster changed (simulate, explain --devices)",
            "  watcher    publishes the objects of a cluster, or of manifests",
            "  writer     writes decisions to a cluster, or to files",
            "",
            "Settings come from the environment: services/README.md, and services/NAME/README.md for one service. Each"
                    + " service needs CLAIMSTREAM_KAFKA_BOOTSTRAP and CLAIMSTREAM_REGISTRY_URL, and names other missing"
                    + " settings. The topics must exist (claimstream topics).",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:stopped, or the work is done", "1:a setting is invalid, or the service failed"},
        footer = {"", "Example: claimstream service allocator"})
final class ServiceCommand implements Callable<Integer> {
    /** The services, in the order of the help. */
    private enum ServiceMain {
        AGENT,
        ALLOCATOR,
        CONSOLE,
        HISTORY,
        SHADOW,
        SIMULATOR,
        WATCHER,
        WRITER;

        /** Runs the service until it ends; returns its exit code. */
        int run() {
            return switch (this) {
                case AGENT -> dev.claimstream.agent.Main.run();
                case ALLOCATOR -> dev.claimstream.allocator.Main.run();
                case CONSOLE -> dev.claimstream.console.Main.run();
                case HISTORY -> dev.claimstream.history.Main.run();
                case SHADOW -> dev.claimstream.allocator.Main.runShadow();
                case SIMULATOR -> dev.claimstream.simulator.Main.run();
                case WATCHER -> dev.claimstream.watcher.Main.run();
                case WRITER -> dev.claimstream.writer.Main.run();
            };
        }

        static Optional<ServiceMain> named(String name) {
            return Arrays.stream(values())
                    .filter(each -> each.serviceName().equals(name))
                    .findFirst();
        }

        String serviceName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(
            paramLabel = "NAME",
            description = "agent, allocator, console, history, shadow, simulator, watcher or writer.")
    private String name;

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ServiceCommand() {}

    @Override
    public Integer call() {
        return ServiceMain.named(name)
                .orElseThrow(() -> new ParameterException(spec.commandLine(), unknown()))
                .run();
    }

    private String unknown() {
        String names = Arrays.stream(ServiceMain.values())
                .map(ServiceMain::serviceName)
                .collect(Collectors.joining(", "));
        return "there is no service %s: use one of %s".formatted(name, names);
    }
}
