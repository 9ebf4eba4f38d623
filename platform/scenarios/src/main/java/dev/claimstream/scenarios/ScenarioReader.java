package dev.claimstream.scenarios;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestFiles;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.tree.DocumentNode;
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
    private final FeatureGates features;

    /** Creates a reader for clusters with the default feature gates. */
    public ScenarioReader(ReadOptions options) {
        this(options, FeatureGates.defaults());
    }

    /**
     * Creates a reader.
     *
     * @param options the strictness decides which objects are accepted
     * @param features the default gates; they decide about the claims of pod groups
     */
    public ScenarioReader(ReadOptions options, FeatureGates features) {
        this.options = options;
        this.features = features;
    }

    /**
     * The result of reading a file.
     *
     * @param name of the scenario, or of the file if the scenario has none
     * @param scenario absent if and only if a finding is an error
     */
    public record ScenarioReadResult(String name, Optional<Scenario> scenario, List<ManifestFinding> findings) {
        public ScenarioReadResult {
            findings = List.copyOf(findings);
        }

        /** Returns the errors, in lines. */
        public String errorText() {
            return String.join(
                    "\n",
                    findings.stream()
                            .filter(ManifestFinding::isError)
                            .map(ManifestFinding::toString)
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
    public ScenarioReadResult read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return read(file.toString(), in);
        }
    }

    public ScenarioReadResult read(String file, InputStream in) {
        List<DocumentNode.DocumentMapping> documents = new ArrayList<>();
        ManifestReadResult reading = Manifests.read(file, in, options, (_, document) -> {
            boolean isScenario = ScenarioDocumentReader.isScenario(document);
            if (isScenario) {
                documents.add(document);
            }
            return isScenario;
        });
        List<ManifestFinding> findings = new ArrayList<>(reading.findings());
        if (documents.size() != 1) {
            findings.add(ManifestFinding.error(
                    SourceLocation.of(file),
                    documents.isEmpty()
                            ? "there is no scenario in it"
                            : "there are %d scenarios in it".formatted(documents.size()),
                    "give each file one document with apiVersion: %s and kind: %s"
                            .formatted(ScenarioDocumentReader.API_VERSION, ScenarioDocumentReader.KIND)));
            return new ScenarioReadResult(file, Optional.empty(), findings);
        }
        FeatureGates gates = features.with(ScenarioDocumentReader.gates(documents.getFirst()));
        var objects = ClusterCompletion.complete(reading.manifests(), gates).stream()
                .map(Manifest::object)
                .toList();
        Optional<Scenario> scenario =
                ScenarioDocumentReader.read(file, documents.getFirst(), options.strictness(), objects, findings);
        boolean isClean = findings.stream().noneMatch(ManifestFinding::isError);
        String name = ScenarioDocumentReader.name(documents.getFirst()).orElse(file);
        return new ScenarioReadResult(name, isClean ? scenario : Optional.empty(), findings);
    }
}
