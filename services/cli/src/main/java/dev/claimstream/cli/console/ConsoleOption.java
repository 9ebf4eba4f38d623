package dev.claimstream.cli.console;

import dev.claimstream.cli.folder.DataOption;
import dev.claimstream.cli.folder.DefaultFolders;
import dev.claimstream.cli.input.HttpAddress;
import dev.claimstream.cli.output.RunFailure;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options that select the console: of the {@code up} of a data folder, or at an address. */
public final class ConsoleOption {
    /** Environment variable with the default address. */
    public static final String VARIABLE = "CLAIMSTREAM_CONSOLE";

    private static final String OPTION = "--console";

    @Option(
            names = OPTION,
            paramLabel = "URL",
            description = "Address of the console of individually started services, instead of --data; for example"
                    + " http://127.0.0.1:8410. Default: $CLAIMSTREAM_CONSOLE, unless --data is given.")
    private Optional<String> console = Optional.empty();

    @Mixin
    private DataOption data;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ConsoleOption() {}

    /** Returns the address; empty if the console is selected by its data folder. */
    public Optional<URI> address() {
        try {
            return address(console, data.isNamed(), System.getenv());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * Resolves the address from option and environment. The option takes precedence over the variable.
     *
     * @throws IllegalArgumentException if a data folder is selected too, or the text is not an HTTP address
     */
    public static Optional<URI> address(
            Optional<String> option, boolean isFolderNamed, Map<String, String> environment) {
        if (option.isPresent()) {
            if (isFolderNamed) {
                throw new IllegalArgumentException(OPTION + " and --data exclude each other: leave one out");
            }
            return option.map(text -> HttpAddress.of(OPTION, text));
        }
        Optional<String> set = text(environment, VARIABLE).filter(_ -> !isFolderNamed);
        if (set.isPresent() && text(environment, DefaultFolders.VARIABLE).isPresent()) {
            throw new IllegalArgumentException("$%s and $%s are both set: unset one, or use %s or --data"
                    .formatted(VARIABLE, DefaultFolders.VARIABLE, OPTION));
        }
        return set.map(text -> HttpAddress.of("$" + VARIABLE, text));
    }

    private static Optional<String> text(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(each -> !each.isBlank());
    }

    /**
     * Returns the data folder that applies if no address is selected, for a command that names no cluster.
     *
     * @throws RunFailure if several {@code up} run, and no option selects one
     */
    public Path folder() {
        return data.folder();
    }

    /**
     * Returns the data folder of the {@code up} that serves a cluster; empty if others run, but none serves the cluster.
     *
     * @param isServed whether the {@code up} on a folder serves the cluster
     */
    Optional<Path> folder(Predicate<Path> isServed) {
        return data.folder(isServed);
    }

    /** Returns whether {@code --console} is given. The variable does not count. */
    public boolean isAddressNamed() {
        return console.isPresent();
    }

    /** Returns whether {@code --data} is given. */
    public boolean isFolderNamed() {
        return data.isNamed();
    }

    /** Returns whether an option names an address or a data folder. Variables do not count. */
    public boolean isNamed() {
        return data.isNamed() || console.isPresent();
    }

    /** Returns the selection as an option text for a suggested command. */
    public String asOption() {
        return console.map(each -> " %s %s".formatted(OPTION, each)).orElseGet(data::asOption);
    }

    /**
     * Returns a client of the selected console, for a command that names no cluster.
     *
     * @throws RunFailure if no address is selected and nothing runs on the data folder
     */
    public ConsoleClient client() {
        return address().map(ConsoleClient::ofAddress).orElseGet(() -> ConsoleClient.ofFolder(folder()));
    }
}
