package dev.claimstream.agent;

import dev.claimstream.process.ServiceProcess;
import dev.claimstream.process.settings.SettingsContext;
import io.micronaut.context.env.Environment;
import io.micronaut.core.type.Argument;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Entry point of the agent as a process of its own. */
public final class Main {
    private static final int FAILED = 1;
    private static final String PREFIX = "claimstream.agent.";

    private static final String USAGE = """
            Usage: agent [--print]
            Publish the accelerators of this node, their health and their metrics to Kafka.
              --print   print the devices as ResourceSlices on standard output and exit; needs no Kafka
            Settings come from the environment: CLAIMSTREAM_KAFKA_BOOTSTRAP, CLAIMSTREAM_REGISTRY_URL, NODE_NAME, CLAIMSTREAM_AGENT_*.
            """;

    private Main() {}

    /** Runs until the process is stopped; exits with 1 after an invalid setting or a bug. */
    public static void main(String[] args) {
        System.exit(
                switch (String.join(" ", args)) {
                    case "" -> run();
                    case "--print" -> print();
                    default -> usage(Arrays.asList(args));
                });
    }

    private static int usage(List<String> args) {
        boolean isRequested = args.equals(List.of("--help")) || args.equals(List.of("-h"));
        (isRequested ? System.out : System.err).print(USAGE);
        return isRequested ? 0 : FAILED;
    }

    /**
     * Runs the agent of this node with the settings of the environment until the process is stopped; returns the exit
     * code.
     */
    public static int run() {
        return ServiceProcess.of("agent").with(PREFIX + "mode", "node").run((_, _) -> List.of(), _ -> Optional::empty);
    }

    private static int print() {
        try (var context = SettingsContext.ofCommand()) {
            Environment environment = context.getEnvironment();
            String slices = SlicePreview.slices(
                    Path.of(setting(environment, "sys", "/sys")),
                    Path.of(setting(environment, "proc", "/proc")),
                    setting(environment, "node", ""),
                    environment
                            .getProperty(PREFIX + "exclude", Argument.listOf(String.class))
                            .orElse(List.of()));
            new PrintStream(System.out, true, StandardCharsets.UTF_8).print(slices);
            return 0;
        } catch (IOException | RuntimeException e) {
            return failed(e);
        }
    }

    private static String setting(Environment environment, String name, String otherwise) {
        return environment.getProperty(PREFIX + name, String.class).orElse(otherwise);
    }

    private static int failed(Exception thrown) {
        System.err.println("claimstream agent: " + ServiceProcess.reason(thrown));
        return FAILED;
    }
}
