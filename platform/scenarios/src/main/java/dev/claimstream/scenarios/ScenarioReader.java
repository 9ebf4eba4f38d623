package dev.claimstream.scenarios;

import dev.claimstream.dra.Features;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestFiles;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.Place;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.Reading;
import dev.claimstream.manifests.tree.Node;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads files that contain one scenario and its objects. */
public final class ScenarioReader {
    private final ReadOptions options;
    private final Features features;

    /** Creates a reader for clusters with the default feature gates. */
    public ScenarioReader(ReadOptions options) {
        this(options, Features.defaults());
    }

    /**
     * Creates a reader.
     *
     * @param options the strictness decides which objects are accepted
     * @param features the default gates; they decide about the claims of pod groups
     */
    public ScenarioReader(ReadOptions options, Features features) {
        this.options = options;
        this.features = features;
    }

    /**
     * The result of reading a file.
     *
     * @param name of the scenario, or of the file if the scenario has none
     * @param scenario absent if and only if a finding is an error
     */
    public record Read(String name, Optional<Scenario> scenario, List<Finding> findings) {
        public Read {
            findings = List.copyOf(findings);
        }

        /** Returns the errors, in lines. */
        public String mistakes() {
            return String.join(
                    "\n",
                    findings.stream()
                            .filter(Finding::isError)
                            .map(Finding::toString)
                            .toList());
        }
    }

    /**
     * Returns the files of a path: the file itself, or the manifest files of the directory.
     *
     * @throws IOException if the directory cannot be read
     */
    public List<Path> files(Path path) throws IOException {
        return Files.isDirectory(path) ? ManifestFiles.of(path, options.directories()) : List.of(path);
    }

    /**
     * Reads a file.
     *
     * @throws IOException if the file cannot be read
     */
    public Read read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return read(file.toString(), in);
        }
    }

    /** Reads a stream. */
    public Read read(String file, InputStream in) {
        List<Node.Mapping> documents = new ArrayList<>();
        Reading reading = Manifests.read(file, in, options, (_, document) -> {
            boolean isScenario = ScenarioDocument.is(document);
            if (isScenario) {
                documents.add(document);
            }
            return isScenario;
        });
        List<Finding> findings = new ArrayList<>(reading.findings());
        if (documents.size() != 1) {
            findings.add(Finding.error(
                    Place.of(file),
                    documents.isEmpty()
                            ? "there is no scenario in it"
                            : "there are %d scenarios in it".formatted(documents.size()),
                    "give each file one document with apiVersion: %s and kind: %s"
                            .formatted(ScenarioDocument.API_VERSION, ScenarioDocument.KIND)));
            return new Read(file, Optional.empty(), findings);
        }
        Features gates = features.with(ScenarioDocument.gates(documents.getFirst()));
        var objects = ClusterCompletion.complete(reading.manifests(), gates).stream()
                .map(Manifest::object)
                .toList();
        Optional<Scenario> scenario =
                ScenarioDocument.read(file, documents.getFirst(), options.strictness(), objects, findings);
        boolean isClean = findings.stream().noneMatch(Finding::isError);
        String name = ScenarioDocument.name(documents.getFirst()).orElse(file);
        return new Read(name, isClean ? scenario : Optional.empty(), findings);
    }
}
