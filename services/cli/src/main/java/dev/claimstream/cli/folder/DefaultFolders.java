package dev.claimstream.cli.folder;

import dev.claimstream.cli.output.RunFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The data folders of commands without {@code --data}.
 * A variable names one folder for all kinds of clusters. Without it, each kind has a folder of its own.
 */
public final class DefaultFolders {
    /** Environment variable with the default folder. */
    public static final String VARIABLE = "CLAIMSTREAM_DATA";

    private final Map<String, String> environment;
    private final String system;
    private final Path home;

    /** Creates the folders for this environment, operating system and home directory. */
    DefaultFolders(Map<String, String> environment, String system, Path home) {
        this.environment = Map.copyOf(environment);
        this.system = system;
        this.home = home;
    }

    public static DefaultFolders ofUser() {
        return new DefaultFolders(
                System.getenv(), System.getProperty("os.name"), Path.of(System.getProperty("user.home")));
    }

    /** Returns the folder of a kind: that of the variable, else a folder in the user's data directory. */
    public Path of(ClusterKind kind) {
        return variable().orElseGet(() -> dataDirectory().resolve(kind.folderName()));
    }

    private Optional<Path> variable() {
        return Optional.ofNullable(environment.get(VARIABLE))
                .filter(text -> !text.isBlank())
                .map(Path::of);
    }

    /**
     * Returns the folder of a kind for an {@code up}.
     *
     * @throws RunFailure if the data of this kind is in the folder that was the default of all kinds in earlier versions
     */
    Path forUp(ClusterKind kind) {
        Path folder = of(kind);
        Path shared = of(ClusterKind.IN_MEMORY);
        if (variable().isPresent()) {
            return folder;
        }
        DataFolder.kindOf(shared)
                .filter(known -> known != ClusterKind.IN_MEMORY)
                .filter(known -> kind == ClusterKind.IN_MEMORY || (kind == known && !Files.exists(folder)))
                .ifPresent(known -> {
                    throw new RunFailure(
                            "%s belongs to %s, whose default folder is now %s: move it %s, continue it with 'claimstream up%s --data %s', or name another folder with --data"
                                    .formatted(
                                            shared,
                                            known,
                                            of(known),
                                            Files.exists(of(known)) ? "away" : "there",
                                            known.upOption(),
                                            shared));
                });
        return folder;
    }

    private Path dataDirectory() {
        if (system.toLowerCase(Locale.ROOT).contains("mac")) {
            return home.resolve("Library/Application Support");
        }
        return Optional.ofNullable(environment.get("XDG_DATA_HOME"))
                .map(Path::of)
                .filter(Path::isAbsolute) // the XDG specification says to ignore relative paths
                .orElse(home.resolve(".local/share"));
    }

    /**
     * Returns the folder of the {@code up} that runs. If none runs, the folder of the last one that did not stop cleanly, else of the
     * in-memory cluster.
     *
     * @throws RunFailure if several run
     */
    Path running() {
        List<Path> running = allRunning();
        if (running.size() > 1) {
            throw new RunFailure("several 'claimstream up' run, on %s: name the folder of one with --data"
                    .formatted(running.stream().map(Path::toString).collect(Collectors.joining(" and "))));
        }
        return running.stream().findFirst().orElseGet(this::lastRunning);
    }

    /**
     * Returns the folder of the {@code up} that runs and serves a cluster; empty if others run, but none serves the cluster.
     * If none runs at all, the folder is that of {@link #running()}. A folder that the variable names is always returned.
     *
     * @param isServed whether the {@code up} on a folder serves the cluster
     */
    Optional<Path> serving(Predicate<Path> isServed) {
        List<Path> running = allRunning();
        return running.isEmpty() || variable().isPresent()
                ? Optional.of(lastRunning())
                : running.stream().filter(isServed).findFirst();
    }

    /** Returns the folders on which an {@code up} runs. */
    public List<Path> allRunning() {
        return folders().filter(DefaultFolders::isRunning).toList();
    }

    /** Returns the folder with the address of an {@code up}, which may have ended, else the folder of the in-memory cluster. */
    private Path lastRunning() {
        return folders()
                .filter(each -> DataFolder.publishedEndpoint(each).isPresent())
                .findFirst()
                .orElseGet(() -> folders().findFirst().orElseThrow());
    }

    private Stream<Path> folders() {
        return all().map(DefaultFolders::normalized).distinct();
    }

    private Stream<Path> all() {
        return Stream.of(ClusterKind.values()).map(this::of);
    }

    private static Path normalized(Path folder) {
        return folder.toAbsolutePath().normalize();
    }

    /** Returns whether the process of the published endpoint exists. A process that started later has only the same number. */
    private static boolean isRunning(Path folder) {
        return DataFolder.publishedEndpoint(folder)
                .flatMap(each -> ProcessHandle.of(each.pid()))
                .filter(each -> each.info()
                        .startInstant()
                        .filter(start -> start.isAfter(publicationTime(folder)))
                        .isEmpty())
                .isPresent();
    }

    private static Instant publicationTime(Path folder) {
        try {
            return Files.getLastModifiedTime(folder.resolve(DataFolder.ENDPOINT_FILE))
                    .toInstant();
        } catch (IOException e) {
            return Instant.EPOCH; // it has ended meanwhile
        }
    }

    /** Returns whether the folder is the default one of a kind. */
    public boolean has(Path folder) {
        return all().anyMatch(each -> normalized(each).equals(normalized(folder)));
    }

    /** Returns the options with which {@code up} uses a folder, with a leading space. */
    public String upOptions(Path folder) {
        return Stream.of(ClusterKind.values())
                .filter(kind -> normalized(of(kind)).equals(normalized(folder)))
                .map(ClusterKind::upOption)
                .findFirst()
                .orElse(" --data " + folder);
    }
}
