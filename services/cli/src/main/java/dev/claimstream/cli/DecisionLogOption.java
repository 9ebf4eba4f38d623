package dev.claimstream.cli;

import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** Option that logs one line per decision. */
final class DecisionLogOption {
    private static final String NAME = "--log-decisions";

    /** Names of the appenders in {@code logback.xml}. */
    private static final List<String> FORMS = List.of("text", "json");

    @Option(
            names = NAME,
            paramLabel = "text|json",
            description = "Log each decision to standard error, one per line: result, object, and latency since the"
                    + " input that caused it.")
    private Optional<String> form = Optional.empty();

    /**
     * Sets the system properties. Call it before the first log line and before services read their settings.
     *
     * @throws ParameterException if the format is unknown; the message names option, value and formats
     */
    void configure(CommandSpec command) {
        form.filter(each -> !FORMS.contains(each)).ifPresent(each -> {
            throw new ParameterException(
                    command.commandLine(), "%s %s: use %s".formatted(NAME, each, String.join(" or ", FORMS)));
        });
        form.ifPresent(each -> {
            System.setProperty("CLAIMSTREAM_LOG", each);
            System.setProperty("claimstream.allocator.log-decisions", "true");
        });
    }
}
