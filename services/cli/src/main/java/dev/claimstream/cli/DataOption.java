package dev.claimstream.cli;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which Claimstream is meant. */
final class DataOption {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "The folder that 'claimstream up' keeps its data in. Default: $CLAIMSTREAM_DATA, else"
                    + " claimstream in ~/.local/share or $XDG_DATA_HOME; on macOS in ~/Library/Application Support.")
    private Optional<Path> data = Optional.empty();

    Path folder() {
        return data.orElseGet(DataFolder::usual).toAbsolutePath().normalize();
    }

    /** Whether a folder was named. */
    boolean isNamed() {
        return data.isPresent();
    }

    /** The same again, for a command that is proposed. */
    String again() {
        return data.map(folder -> " --data " + folder).orElse("");
    }
}
