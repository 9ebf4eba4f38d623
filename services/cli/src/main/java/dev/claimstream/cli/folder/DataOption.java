package dev.claimstream.cli.folder;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Option that selects the data folder of {@code claimstream up}. */
public final class DataOption {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Data folder of 'claimstream up'. Default: $CLAIMSTREAM_DATA, else"
                    + " claimstream in ~/.local/share or $XDG_DATA_HOME; on macOS in ~/Library/Application Support.")
    private Optional<Path> data = Optional.empty();

    public Path folder() {
        return data.orElseGet(DataFolder::defaultPath).toAbsolutePath().normalize();
    }

    /** Returns whether {@code --data} is given. */
    public boolean isNamed() {
        return data.isPresent();
    }

    /** Returns the selection as an option text for a suggested command. */
    public String asOption() {
        return data.map(folder -> " --data " + folder).orElse("");
    }
}
