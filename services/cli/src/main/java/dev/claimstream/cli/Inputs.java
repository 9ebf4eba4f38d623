package dev.claimstream.cli;

import dev.claimstream.dra.Listing;
import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.Reading;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The manifests that a command works on. */
final class Inputs {
    @Option(
            names = {"-f", "--filename"},
            paramLabel = "PATH",
            arity = "1..*",
            description = "Files, directories or - for standard input, with Kubernetes objects in YAML or JSON.")
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

    /** Reads them; what is wrong with them goes to {@code err}, a line each. */
    Read read(List<String> from, PrintWriter err) {
        ReadOptions options = ReadOptions.DEFAULT.with(
                recursive ? ReadOptions.Directories.RECURSIVE : ReadOptions.Directories.FLAT);
        Reading reading = Manifests.read(from, options, System.in);
        List<Finding> findings = new ArrayList<>(reading.findings());
        findings.addAll(Expressions.findings(reading.manifests()));
        findings.forEach(finding -> err.println(finding));
        return new Read(
                new Listing(reading.objects()), findings.stream().anyMatch(Finding::isError));
    }

    /** What was read, completed as an API server would. */
    record Read(Listing listing, boolean hasErrors) {}
}
