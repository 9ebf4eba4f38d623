package dev.claimstream.cli;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Whose console is asked: that of the {@code up} of a data folder, or one at an address. */
final class ConsoleOption {
    /** Names the address where no option does. */
    static final String VARIABLE = "CLAIMSTREAM_CONSOLE";

    private static final String OPTION = "--console";

    @Option(
            names = OPTION,
            paramLabel = "URL",
            description =
                    "In place of --data: where the console of services that were started one by one answers, such as"
                            + " http://127.0.0.1:8410. Default: $CLAIMSTREAM_CONSOLE, unless --data is given.")
    private Optional<String> console = Optional.empty();

    @Mixin
    private DataOption data;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @SuppressWarnings("NullAway.Init") // picocli sets the fields before it runs anything
    private ConsoleOption() {}

    /** The address, where one is meant. */
    Optional<URI> address() {
        try {
            return address(console, data.isNamed(), System.getenv());
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * The address that is meant with this option and this environment: an option counts before a variable.
     *
     * @throws IllegalArgumentException where a folder is meant too, or it is no address
     */
    static Optional<URI> address(Optional<String> option, boolean isFolderNamed, Map<String, String> environment) {
        if (option.isPresent()) {
            if (isFolderNamed) {
                throw new IllegalArgumentException(
                        OPTION + " and --data name two that may be meant: leave one of them out");
            }
            return option.map(text -> HttpAddress.of(OPTION, text));
        }
        Optional<String> set = text(environment, VARIABLE).filter(_ -> !isFolderNamed);
        if (set.isPresent() && text(environment, DataFolder.VARIABLE).isPresent()) {
            throw new IllegalArgumentException("$%s and $%s name two that may be meant: unset one, or say %s or --data"
                    .formatted(VARIABLE, DataFolder.VARIABLE, OPTION));
        }
        return set.map(text -> HttpAddress.of("$" + VARIABLE, text));
    }

    private static Optional<String> text(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(each -> !each.isBlank());
    }

    /** The folder that is meant where no address is. */
    Path folder() {
        return data.folder();
    }

    /** Whether a folder was named. */
    boolean isFolderNamed() {
        return data.isNamed();
    }

    /** The same again, for a command that is proposed. */
    String again() {
        return console.map(each -> " %s %s".formatted(OPTION, each)).orElseGet(data::again);
    }

    /** @throws RunFailure where no address is meant and nothing runs on the folder */
    Remote remote() {
        return address().map(Remote::at).orElseGet(() -> Remote.on(folder()));
    }
}
