package dev.claimstream.cli;

import dev.claimstream.agent.Main;
import dev.claimstream.agent.SlicePreview;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the node agent, or prints the devices of this node. */
@Command(
        name = "agent",
        mixinStandardHelpOptions = true,
        header = "Publish the accelerators of this node to Kafka, or print them.",
        description = {
            "",
            "With --print: print the devices of the PCI bus as ResourceSlices in YAML, without Kafka. Else run until it"
                    + " is stopped, with settings from the environment: CLAIMSTREAM_KAFKA_BOOTSTRAP,"
                    + " CLAIMSTREAM_REGISTRY_URL, NODE_NAME, CLAIMSTREAM_AGENT_EXPORTERS and others"
                    + " (services/agent/README.md).",
            ""
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:printed, or stopped", "1:a setting is invalid, or the agent failed"},
        footer = {"", "Example: claimstream agent --print"})
final class AgentCommand implements Callable<Integer> {
    @Option(names = "--print", description = "Print the devices of this node and exit.")
    private boolean print;

    @Option(
            names = "--sys",
            paramLabel = "DIR",
            defaultValue = "/sys",
            description = "Root of sysfs; with --print. Default: /sys.")
    private Path sys;

    @Option(
            names = "--proc",
            paramLabel = "DIR",
            defaultValue = "/proc",
            description = "Root of procfs; with --print. Default: /proc.")
    private Path proc;

    @Option(
            names = "--node",
            paramLabel = "NAME",
            defaultValue = "",
            description =
                    "Name of the node; with --print. Default: NODE_NAME of the environment, else the host's name.")
    private String node;

    @Option(
            names = "--exclude",
            paramLabel = "WHAT",
            description = "Exclude a device; repeatable: 0000:3b:00.0, 10de:2335, type=nic; with --print.")
    private List<String> exclude = List.of();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AgentCommand() {}

    @Override
    public Integer call() throws IOException {
        if (!print) {
            return Main.run();
        }
        PrintWriter out = spec.commandLine().getOut();
        try {
            out.print(SlicePreview.slices(sys, proc, node, exclude));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
        out.flush();
        return 0;
    }
}
