package dev.claimstream.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code claimstream}. */
@Command(
        name = "claimstream",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        header = "Allocates accelerators to Kubernetes ResourceClaims from an event log.",
        subcommands = {
            RunCommand.class,
            UpCommand.class,
            ApplyCommand.class,
            DeleteCommand.class,
            GetCommand.class,
            ExplainCommand.class,
            WatchCommand.class,
            StatusCommand.class,
            AgentCommand.class,
            GenerateCompletion.class
        },
        footer = {
            "",
            "In a checkout, the launcher adds:",
            "  check               builds and runs every test that needs nothing but a JDK and Maven",
            "",
            "Shell completion: source <(claimstream generate-completion)"
        })
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the spec before it runs anything
    private Main() {}

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Runs a command and ends with its exit code. */
    public static void main(String[] args) {
        System.exit(commandLine(
                        new PrintWriter(System.out, true, StandardCharsets.UTF_8),
                        new PrintWriter(System.err, true, StandardCharsets.UTF_8))
                .execute(args));
    }

    static CommandLine commandLine(PrintWriter out, PrintWriter err) {
        return new CommandLine(new Main())
                .setOut(out)
                .setErr(err)
                .setExecutionExceptionHandler((thrown, command, parsed) -> Failures.say(thrown, err))
                .setParameterExceptionHandler(Main::badArguments);
    }

    private static int badArguments(ParameterException wrong, String[] args) {
        PrintWriter err = wrong.getCommandLine().getErr();
        String command = wrong.getCommandLine().getCommandSpec().qualifiedName();
        err.println(command + ": " + wrong.getMessage());
        err.println("try: " + command + " --help");
        return Failures.FAILED;
    }
}
