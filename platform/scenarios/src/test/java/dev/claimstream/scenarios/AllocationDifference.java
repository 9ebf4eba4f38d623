package dev.claimstream.scenarios;

import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.scenarios.random.Problem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A difference between Claimstream's outcome and upstream's. */
record AllocationDifference(
        Problem problem, String node, PlacementPolicy policy, NodeOutcome upstream, NodeOutcome claimstream) {
    /** Returns a category; differences of one category probably have one cause. */
    String category() {
        String text = "%s: upstream %s, we %s".formatted(policy.text(), upstream.kind(), claimstream.kind());
        return text + normalizedError(upstream) + normalizedError(claimstream);
    }

    /** Returns the error without the names and numbers of the problem. */
    private static String normalizedError(NodeOutcome verdict) {
        if (verdict.kind() != NodeOutcome.OutcomeKind.ERROR) {
            return "";
        }
        String line = verdict.text().lines().findFirst().orElse("");
        return " | "
                + line.replaceAll("(device|pool) [ab]\\.example\\.com/[^: ]+", "$1")
                        .replaceAll("[ab]\\.example\\.com/(east/)?pool-[0-9]", "pool")
                        .replaceAll("derived attribute \\S+", "derived attribute")
                        .replaceAll("claim \\S+/", "claim ")
                        .replaceAll("class [a-z-]+:", "class:")
                        .replaceAll("(request|subrequest) \\S+", "request")
                        .replaceAll("[0-9]+", "#");
    }

    /** Returns both outcomes in a few lines. */
    String describe() {
        return "seed %d, node %s, %s%n  upstream: %s%n  we:       %s"
                .formatted(problem.seed(), node, category(), describe(upstream), describe(claimstream));
    }

    private static String describe(NodeOutcome verdict) {
        return verdict.kind() + " " + verdict.text().lines().findFirst().orElse("")
                + verdict.allocations().stream()
                        .map(each -> "\n    " + AllocationText.tree(each).json())
                        .reduce("", String::concat);
    }

    /** Writes a scenario that expects upstream's outcome. */
    Path write(Path folder, String name) {
        List<Tree> documents = new ArrayList<>(problem.objects());
        documents.add(scenario(name));
        var text = new StringBuilder();
        documents.forEach(each -> text.append("---\n").append(each.yaml()));
        try {
            Files.createDirectories(folder);
            return Files.writeString(folder.resolve(name + ".yaml"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Tree scenario(String name) {
        FeatureGates defaults = FeatureGates.defaults();
        Tree.Mapping gates = Tree.mapping(fields -> Arrays.stream(Feature.values())
                .filter(each -> problem.features().has(each) != defaults.has(each))
                .forEach(each ->
                        fields.put(each.gate(), Tree.of(problem.features().has(each)))));
        return Tree.mapping(fields -> fields.put("apiVersion", ScenarioDocumentReader.API_VERSION)
                .put("kind", ScenarioDocumentReader.KIND)
                .put("metadata", Tree.mapping(metadata -> metadata.put("name", name)))
                .put("spec", Tree.mapping(spec -> {
                    spec.put("node", node).put("policy", policy.text());
                    spec.put("features", gates);
                    spec.put("claims", Tree.texts(problem.claims()));
                    spec.put("expect", expected());
                })));
    }

    private Tree expected() {
        return Tree.mapping(fields -> {
            switch (upstream.kind()) {
                case FITS -> fields.put("results", new Tree.Sequence(results()));
                case DOES_NOT_FIT, UNDECIDED -> fields.put("doesNotFit", Tree.of(true));
                case ERROR ->
                    fields.put("error", upstream.text().lines().findFirst().orElse(""));
            }
        });
    }

    private List<Tree> results() {
        List<Tree> results = new ArrayList<>();
        for (int i = 0; i < problem.claims().size(); i++) {
            String claim = problem.claims().get(i);
            Tree allocation = AllocationText.tree(upstream.allocations().get(i));
            results.add(Tree.mapping(fields -> fields.put("claim", claim).put("allocation", allocation)));
        }
        return results;
    }
}
