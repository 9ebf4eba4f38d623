package dev.claimstream.cli;

import dev.claimstream.console.Expressions;
import dev.claimstream.console.streams.Admission;
import dev.claimstream.dra.Listing;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.DisabledFields;
import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.Reading;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options for the manifests of a command, and the reader of these manifests. */
final class Inputs {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            description = "A file, a directory or - for standard input, with Kubernetes objects in YAML or JSON.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Read the directories below as well.")
    private boolean recursive;

    @Parameters(paramLabel = "PATH", arity = "0..*", description = "The same as -f PATH.")
    private List<String> paths = new ArrayList<>();

    List<String> all() {
        List<String> all = new ArrayList<>(files);
        all.addAll(paths);
        return all;
    }

    /** Returns the options as a shell reads them, for a suggested command. */
    String options() {
        return all().stream().map(Inputs::quoted).map(path -> " -f " + path).collect(Collectors.joining())
                + (recursive ? " -R" : "");
    }

    static String quoted(String path) {
        return PLAIN.matcher(path).matches() ? path : "'" + path.replace("'", "'\\''") + "'";
    }

    /** Returns one message for each path that cannot be read. */
    static List<String> missing(List<String> paths) {
        return paths.stream()
                .filter(path -> !path.equals(Manifests.STANDARD_INPUT))
                .flatMap(path -> missing(path).map(why -> "%s: %s".formatted(path, why)).stream())
                .toList();
    }

    private static Optional<String> missing(String name) {
        try {
            Path path = Path.of(name);
            if (!Files.exists(path)) {
                return Optional.of("the path does not exist: name a file or a directory that is there");
            }
            return Files.isReadable(path) ? Optional.empty() : Optional.of("it cannot be read: check its permissions");
        } catch (InvalidPathException e) {
            return Optional.of("not a path: %s: name a file or a directory that is there".formatted(e.getReason()));
        }
    }

    /** The cluster objects of the manifests, completed like an API server would, and whether any object was rejected. */
    record Read(Listing listing, boolean hasErrors) {}

    /** Reads the manifests of the options. Each finding is printed to {@code err} on a line of its own. */
    Read read(Expressions expressions, PrintWriter err) {
        return read(all(), recursive, expressions, System.in, err);
    }

    static Read read(
            List<String> paths,
            boolean recursive,
            Expressions expressions,
            InputStream standardInput,
            PrintWriter err) {
        Sound sound = sound(paths, recursive, expressions, standardInput, err);
        List<Manifest> completed = ClusterCompletion.complete(sound.manifests(), expressions.gates());
        MissingClaims.warnings(completed).forEach(err::println);
        ReleasedClaims.notes(sound.manifests(), completed).forEach(err::println);
        return new Read(new Listing(completed.stream().map(Manifest::object).toList()), sound.hasErrors());
    }

    /**
     * The valid objects as they were written, and whether any object was rejected.
     *
     * @param refused number of rejected objects
     */
    record Sound(List<Manifest> manifests, boolean hasErrors, long refused) {
        static final Sound NONE = new Sound(List.of(), false, 0);

        Sound {
            manifests = List.copyOf(manifests);
        }
    }

    /** Reads manifests and validates each object. Each finding is printed to {@code err} on a line of its own. */
    static Sound sound(
            List<String> paths,
            boolean recursive,
            Expressions expressions,
            InputStream standardInput,
            PrintWriter err) {
        ReadOptions options =
                ReadOptions.DEFAULT.with(recursive ? ReadOptions.Directories.RECURSIVE : ReadOptions.Directories.FLAT);
        Reading reading = Manifests.read(paths, options, standardInput);
        reading.findings().forEach(err::println);
        var admission = new Admission();
        List<Manifest> sound = new ArrayList<>();
        boolean hasErrors = reading.hasErrors();
        long refused = reading.refused();
        for (Manifest written : reading.manifests()) {
            DisabledFields.Admitted admitted = DisabledFields.drop(written, expressions.gates());
            admitted.findings().forEach(err::println);
            Manifest manifest = admitted.manifest();
            List<Finding> findings = expressions.findings(manifest);
            if (findings.isEmpty()) {
                findings = admission.refusal(manifest).stream().toList();
            }
            findings.forEach(err::println);
            hasErrors |= !findings.isEmpty() || !admitted.isValid();
            if (findings.isEmpty() && admitted.isValid()) {
                sound.add(manifest);
            } else {
                refused++;
            }
        }
        return new Sound(sound, hasErrors, refused);
    }
}
