package dev.claimstream.cli;

import dev.claimstream.kafka.security.AclCommands;
import dev.claimstream.kafka.security.KafkaPrincipal;
import dev.claimstream.kafka.security.PrincipalTable;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Prints the commands that grant each principal its permissions in a secured Kafka. */
@Command(
        name = "acls",
        mixinStandardHelpOptions = true,
        header = "Print the kafka-acls and kafka-configs commands for a Kafka with an authorizer.",
        description = {
            "",
            "One block per principal: its permissions on topics, groups and TransactionalIds, and its quotas. The"
                    + " commands come with Kafka (bin/kafka-acls.sh), need an administrator (admin.properties), and can"
                    + " be repeated. This command changes nothing.",
            ""
        },
        footer = {"", "Example: claimstream topics acls --bootstrap kafka-0:9093 | grep -v '^#' | sh"})
final class AclsCommand implements Callable<Integer> {
    @Option(
            names = "--bootstrap",
            paramLabel = "HOST:PORT",
            defaultValue = "$BOOTSTRAP",
            description = "Kafka bootstrap servers in the commands. Default: $BOOTSTRAP, a variable of the shell.")
    private String bootstrap = "";

    @Option(
            names = "--principal-prefix",
            paramLabel = "PREFIX",
            defaultValue = "User:claimstream-",
            description = "Text before the name of each principal; for certificates, User:CN=claimstream- for example."
                    + " Default: ${DEFAULT-VALUE}")
    private String prefix = "";

    @Option(
            names = "--only",
            paramLabel = "NAME",
            description = "Print the commands of this principal; can be repeated. Default: all.")
    private List<String> only = List.of();

    @Spec
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private AclsCommand() {}

    @Override
    public Integer call() {
        PrincipalTable table = PrincipalTable.shipped();
        PrintWriter out = spec.commandLine().getOut();
        try {
            var commands = new AclCommands(bootstrap, prefix);
            List<KafkaPrincipal> chosen = only.isEmpty()
                    ? List.copyOf(table.all())
                    : only.stream().map(table::get).toList();
            chosen.forEach(principal -> commands.of(principal).forEach(out::println));
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
        out.flush();
        return ExitCodes.SUCCESS;
    }
}
