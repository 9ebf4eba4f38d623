package dev.claimstream.cli;

import dev.claimstream.console.Expressions;
import dev.claimstream.console.streams.Admission;
import dev.claimstream.dra.Listing;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.Reading;
import java.io.InputStream;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The manifests that a command works on. */
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

    /** The same again, as a shell reads it. */
    String options() {
        return all().stream().map(Inputs::quoted).map(path -> " -f " + path).collect(Collectors.joining())
                + (recursive ? " -R" : "");
    }

    static String quoted(String path) {
        return PLAIN.matcher(path).matches() ? path : "'" + path.replace("'", "'\\''") + "'";
    }

    /** What was read, completed as an API server would, and whether something was refused. */
    record Read(Listing listing, boolean hasErrors) {}

    /** Reads them; what is wrong with them goes to {@code err}, a line each. */
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
        return new Read(new Listing(completed.stream().map(Manifest::object).toList()), sound.hasErrors());
    }

    /** The objects that are right, as they were written, and whether something was refused. */
    record Sound(List<Manifest> manifests, boolean hasErrors) {
        Sound {
            manifests = List.copyOf(manifests);
        }
    }

    /** Reads them; what is wrong with them goes to {@code err}, a line each. */
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
        for (Manifest manifest : reading.manifests()) {
            List<Finding> findings = expressions.findings(manifest);
            if (findings.isEmpty()) {
                findings = admission.refusal(manifest).stream().toList();
            }
            findings.forEach(err::println);
            hasErrors |= !findings.isEmpty();
            if (findings.isEmpty()) {
                sound.add(manifest);
            }
        }
        return new Sound(sound, hasErrors);
    }
}
