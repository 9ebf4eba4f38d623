package dev.claimstream.cli.input;

import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.console.streams.UidAndSizeCheck;
import dev.claimstream.dra.ObjectListing;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.DisabledFields;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Options for the manifests of a command, and the reader of these manifests. */
public final class ManifestInputs {
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_@%+=:,./-]+");

    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            description = "A file, a directory or - for standard input, with Kubernetes objects in YAML or JSON.")
    private List<String> files = new ArrayList<>();

    @Option(
            names = {"-R", "--recursive"},
            description = "Also read subdirectories.")
    private boolean recursive;

    @Parameters(paramLabel = "PATH", arity = "0..*", description = "The same as -f PATH.")
    private List<String> paths = new ArrayList<>();

    public List<String> all() {
        List<String> all = new ArrayList<>(files);
        all.addAll(paths);
        return all;
    }

    /** Returns the options as a shell reads them, for a suggested command. */
    public String options() {
        return options(all(), recursive);
    }

    /** Returns the option text that selects manifests, with a leading space. */
    public static String options(List<String> paths, boolean recursive) {
        return paths.stream()
                        .map(ManifestInputs::quoted)
                        .map(path -> " -f " + path)
                        .collect(Collectors.joining())
                + (recursive ? " -R" : "");
    }

    static String quoted(String path) {
        return PLAIN.matcher(path).matches() ? path : "'" + path.replace("'", "'\\''") + "'";
    }

    /** Returns one message for each path that cannot be read. */
    public static List<String> missing(List<String> paths) {
        return paths.stream()
                .filter(path -> !path.equals(Manifests.STANDARD_INPUT))
                .flatMap(path -> missing(path).map(why -> "%s: %s".formatted(path, why)).stream())
                .toList();
    }

    private static Optional<String> missing(String name) {
        try {
            Path path = Path.of(name);
            if (!Files.exists(path)) {
                return Optional.of("the path does not exist: name an existing file or directory");
            }
            return Files.isReadable(path) ? Optional.empty() : Optional.of("it cannot be read: check its permissions");
        } catch (InvalidPathException e) {
            return Optional.of("not a path: %s: name an existing file or directory".formatted(e.getReason()));
        }
    }

    /**
     * The cluster objects of the manifests, completed like an API server would, and whether any object was rejected.
     *
     * @param workloads number of workloads, also of those without pods
     */
    public record CompletedManifests(ObjectListing listing, boolean hasErrors, long workloads) {}

    /** Reads the manifests of the options. Each finding is printed to {@code err} on a line of its own. */
    public CompletedManifests read(WorkloadTreatment workloads, ExpressionValidator expressions, PrintWriter err) {
        return read(all(), recursive, workloads, expressions, System.in, err);
    }

    public static CompletedManifests read(
            List<String> paths,
            boolean recursive,
            WorkloadTreatment workloads,
            ExpressionValidator expressions,
            InputStream standardInput,
            PrintWriter err) {
        ValidManifests sound = validManifests(paths, recursive, workloads, expressions, standardInput, err);
        ExpandedWorkloads.line(sound.manifests()).ifPresent(err::println);
        List<Manifest> completed = ClusterCompletion.complete(sound.manifests(), expressions.gates());
        MissingClaims.warnings(completed).forEach(err::println);
        ReleasedClaims.notes(sound.manifests(), completed).forEach(err::println);
        return new CompletedManifests(
                new ObjectListing(completed.stream().map(Manifest::object).toList()),
                sound.hasErrors(),
                sound.workloads());
    }

    /**
     * The valid objects as they were written, and whether any object was rejected.
     *
     * @param rejected number of rejected objects
     * @param workloads number of workloads, also of those without pods
     */
    public record ValidManifests(List<Manifest> manifests, boolean hasErrors, long rejected, long workloads) {
        public static final ValidManifests NONE = new ValidManifests(List.of(), false, 0, 0);

        public ValidManifests {
            manifests = List.copyOf(manifests);
        }
    }

    /** Reads manifests and validates each object. Each finding is printed to {@code err} on a line of its own. */
    public static ValidManifests validManifests(
            List<String> paths,
            boolean recursive,
            WorkloadTreatment workloads,
            ExpressionValidator expressions,
            InputStream standardInput,
            PrintWriter err) {
        ReadOptions options = ReadOptions.DEFAULT
                .with(recursive ? ReadOptions.Directories.RECURSIVE : ReadOptions.Directories.FLAT)
                .with(expressions.gates())
                .with(workloads);
        ManifestReadResult reading = Manifests.read(paths, options, standardInput);
        reading.findings().forEach(err::println);
        var admission = new UidAndSizeCheck();
        Set<ManifestFinding> printed = new HashSet<>(); // the pods of a template have the same findings
        List<Manifest> sound = new ArrayList<>();
        boolean hasErrors = reading.hasErrors();
        long refused = reading.rejected();
        for (Manifest written : reading.manifests()) {
            DisabledFields.DropResult admitted = DisabledFields.drop(written, expressions.gates());
            admitted.findings().stream().filter(printed::add).forEach(err::println);
            Manifest manifest = admitted.manifest();
            List<ManifestFinding> findings = expressions.findings(manifest);
            if (findings.isEmpty()) {
                findings = admission.check(manifest).stream().toList();
            }
            findings.stream().filter(printed::add).forEach(err::println);
            hasErrors |= !findings.isEmpty() || !admitted.isValid();
            if (findings.isEmpty() && admitted.isValid()) {
                sound.add(manifest);
            } else {
                refused++;
            }
        }
        return new ValidManifests(sound, hasErrors, refused, reading.workloads());
    }
}
