package dev.claimstream.cli;

import dev.claimstream.cli.output.CliVersion;
import dev.claimstream.cli.standalone.StandaloneRunner.ProcessEnd;
import dev.claimstream.observability.Logs;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The entry point of the command {@code claimstream}. */
@Command(
        name = "claimstream",
        mixinStandardHelpOptions = true,
        versionProvider = CliVersion.class,
        header = "Allocate accelerators to Kubernetes ResourceClaims from an event log.",
        subcommands = {
            RunCommand.class,
            UpCommand.class,
            ApplyCommand.class,
            DeleteCommand.class,
            GetCommand.class,
            ExplainCommand.class,
            DifferencesCommand.class,
            TestCommand.class,
            LintCommand.class,
            MatchCommand.class,
            EvictionsCommand.class,
            WatchCommand.class,
            StatusCommand.class,
            DoctorCommand.class,
            WhoCommand.class,
            HistoryCommand.class,
            UsageCommand.class,
            BlastRadiusCommand.class,
            AuditCommand.class,
            ReplayCommand.class,
            SimulateCommand.class,
            QueueCommand.class,
            AgentCommand.class,
            TopicsCommand.class,
            SchemasCommand.class,
            ServiceCommand.class,
            LeaveCommand.class,
            GenerateCompletion.class,
            CommandLine.HelpCommand.class
        },
        footer = {"", "Shell completion: source <(claimstream generate-completion)"})
public final class Main implements Runnable {
    @Spec
    private CommandSpec spec;

    private final ProcessEnd processEnd;

    @SuppressWarnings("NullAway.Init") // picocli sets the spec before it runs anything
    private Main(ProcessEnd processEnd) {
        this.processEnd = processEnd;
    }

    /** Whether the process ends after the command of this specification. */
    static ProcessEnd processEnd(CommandSpec command) {
        return ((Main) command.root().userObject()).processEnd;
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** Runs a command and exits with its exit code. */
    public static void main(String[] args) {
        if (args.length > 0 && args[0].equals("service")) {
            Logs.configure(); // before the first logger: a service logs as in a process of its own
        }
        var err = new PrintWriter(System.err, true, StandardCharsets.UTF_8);
        try {
            System.exit(execute(
                    ProcessEnd.AFTER_COMMAND, new PrintWriter(System.out, true, StandardCharsets.UTF_8), err, args));
        } catch (Error e) { // running threads would keep the process alive
            System.exit(ExitCodes.report(e, err));
        }
    }

    /**
     * Runs a command in this process and returns its exit code.
     *
     * @param out receives the result
     * @param err receives progress, warnings and errors
     */
    public static int execute(PrintWriter out, PrintWriter err, String... args) {
        return execute(ProcessEnd.LATER, out, err, args);
    }

    private static int execute(ProcessEnd processEnd, PrintWriter out, PrintWriter err, String... args) {
        return new CommandLine(new Main(processEnd))
                .setOut(out)
                .setErr(err)
                .setExecutionStrategy(Main::runLast)
                .setExecutionExceptionHandler((thrown, command, parsed) -> ExitCodes.report(thrown, err))
                .setParameterExceptionHandler(Main::badArguments)
                .execute(args);
    }

    /** Runs the command; unknown arguments are an error even if {@code --help} is given, which would hide them. */
    private static int runLast(ParseResult parsed) {
        ParseResult asked = parsed;
        while (asked.hasSubcommand()) {
            asked = asked.subcommand();
        }
        if (!asked.unmatched().isEmpty()) {
            throw new UnmatchedArgumentException(asked.commandSpec().commandLine(), asked.unmatched());
        }
        ReadLog.append(Optional.ofNullable(System.getenv(ReadLog.VARIABLE)), asked);
        return new CommandLine.RunLast().execute(parsed);
    }

    private static String message(ParameterException wrong) {
        boolean isCommand = wrong.getCommandLine().getParent() == null;
        return isCommand && wrong instanceof UnmatchedArgumentException unmatched && !unmatched.isUnknownOption()
                ? "there is no command " + unmatched.getUnmatched().getFirst()
                : String.valueOf(wrong.getMessage());
    }

    private static int badArguments(ParameterException wrong, String[] args) {
        PrintWriter err = wrong.getCommandLine().getErr();
        String command = wrong.getCommandLine().getCommandSpec().qualifiedName();
        err.println(command + ": " + message(wrong));
        err.println("try: " + command + " --help");
        return wrong.getCommandLine().getCommand() instanceof DoctorCommand ? DoctorCommand.USAGE : ExitCodes.FAILED;
    }
}
