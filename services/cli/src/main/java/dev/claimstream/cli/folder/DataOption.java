package dev.claimstream.cli.folder;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;
import picocli.CommandLine.Option;

/** Option that selects the data folder of {@code claimstream up}. */
public final class DataOption {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            description = "Data folder of 'claimstream up'. Default: $CLAIMSTREAM_DATA, else in ~/.local/share or"
                    + " $XDG_DATA_HOME (on macOS in ~/Library/Application Support) claimstream, with --control-plane"
                    + " claimstream-control-plane, with --kubeconfig claimstream-kubernetes. Other commands use the"
                    + " one of these on which an up runs.")
    private Optional<Path> data = Optional.empty();

    /**
     * Returns the folder for an {@code up} that serves a cluster of this kind.
     *
     * @throws dev.claimstream.cli.output.RunFailure if the default folder is still that of an earlier version
     */
    public Path folderFor(ClusterKind kind) {
        return normalized(data.orElseGet(() -> DefaultFolders.ofUser().forUp(kind)));
    }

    /**
     * Returns the folder of the running {@code up}, for a command that names no cluster.
     *
     * @throws dev.claimstream.cli.output.RunFailure if several run, and the option selects none
     */
    public Path folder() {
        return normalized(data.orElseGet(() -> DefaultFolders.ofUser().running()));
    }

    /**
     * Returns the folder of the running {@code up} that serves a cluster; empty if others run, but none serves the cluster.
     * A folder that the user names is returned without a check.
     *
     * @param isServed whether the {@code up} on a folder serves the cluster
     */
    public Optional<Path> folder(Predicate<Path> isServed) {
        return data.or(() -> DefaultFolders.ofUser().serving(isServed)).map(DataOption::normalized);
    }

    private static Path normalized(Path folder) {
        return folder.toAbsolutePath().normalize();
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
