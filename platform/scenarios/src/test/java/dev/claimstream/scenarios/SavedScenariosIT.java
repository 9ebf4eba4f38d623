package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.KubernetesVersion;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import dev.claimstream.manifests.write.ManifestWriter;
import dev.claimstream.scenarios.random.Problem;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests the expectations of the saved scenarios against upstream. */
class SavedScenariosIT {
    /** Enough time to reach the cost limit. */
    private static final long UPSTREAM_MILLIS = 10_000;

    @Test
    void upstreamAgreesWithEverySavedScenario() {
        assertThat(disagreements(SavedScenario.matchingUpstream())).isEmpty();
    }

    @Test
    void upstreamDisagreesWithDeliberateScenarios() {
        List<SavedScenario> deliberate = SavedScenario.deliberateDifferences();
        assertThat(disagreements(deliberate))
                .as("one has become agreed: move its file")
                .hasSameSizeAs(deliberate);
    }

    /**
     * Returns whether upstream can decide the scenario. Its allocator decides on claims only; the rest of
     * kube-scheduler decides why a pod does not fit.
     */
    private static boolean isDecidableByUpstream(SavedScenario saved) {
        return saved.scenario().pod().isEmpty()
                || (saved.scenario().expectation() instanceof Expectation.Allocated
                        && !saved.scenario().claims().isEmpty());
    }

    private static List<String> disagreements(List<SavedScenario> all) {
        List<SavedScenario> saved =
                all.stream().filter(SavedScenariosIT::isDecidableByUpstream).toList();
        List<ScenarioDecision> decisions = decisions(saved, KubernetesVersion.V1_37);
        List<String> disagreements = new ArrayList<>();
        for (int i = 0; i < saved.size(); i++) {
            String file = saved.get(i).toString();
            ExpectationComparison.of(saved.get(i).scenario(), decisions.get(i))
                    .ifPresent(difference -> disagreements.add(file + ": " + difference));
        }
        System.out.printf(
                "%d saved scenarios asked of upstream, %d disagreements%n", saved.size(), disagreements.size());
        return disagreements;
    }

    /** Returns the decisions of upstream's allocator in this release. */
    static List<ScenarioDecision> decisions(List<SavedScenario> saved, KubernetesVersion release) {
        UpstreamProcess.assumeReady();
        List<UpstreamQuery> questions =
                saved.stream().map(SavedScenariosIT::query).toList();
        List<ScenarioDecision> decisions = new ArrayList<>();
        try (UpstreamProcess upstream = UpstreamProcess.start(release, "allocate")) {
            List<DocumentNode.DocumentMapping> answers = upstream.query(questions.stream()
                    .map(each -> each.requestLine(UPSTREAM_MILLIS))
                    .toList());
            for (int i = 0; i < saved.size(); i++) {
                decisions.add(decision(saved.get(i).scenario(), questions.get(i), answers.get(i)));
            }
        }
        return decisions;
    }

    private static ScenarioDecision decision(
            Scenario scenario, UpstreamQuery question, DocumentNode.DocumentMapping answer) {
        String node = scenario.node().orElseThrow();
        NodeOutcome verdict =
                Optional.ofNullable(question.outcomes(answer).get(node)).orElseThrow();
        return switch (verdict.kind()) {
            case FITS -> new ScenarioDecision.Allocated(node, verdict.allocations());
            case DOES_NOT_FIT -> new ScenarioDecision.Pending(verdict.text());
            case ERROR -> new ScenarioDecision.Failed(List.of(verdict.text()));
            case UNDECIDED -> new ScenarioDecision.BudgetExhausted(verdict.text());
        };
    }

    private static UpstreamQuery query(SavedScenario saved) {
        List<Tree> objects = new ArrayList<>();
        try (InputStream in = Files.newInputStream(saved.file())) {
            var unused = Manifests.read(saved.toString(), in, ReadOptions.DEFAULT, (_, document) -> {
                if (!ScenarioDocumentReader.isScenario(document)) {
                    objects.add(withNamespace(TreeReader.tree(document)));
                }
                return true;
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        saved.scenario()
                .pod()
                .flatMap(SchedulerPodView::extendedResourceClaim)
                .map(ManifestWriter::tree)
                .ifPresent(objects::add);
        List<String> claims = saved.scenario().claims().stream()
                .map(claim -> claim.namespace() + "/" + claim.name())
                .toList();
        FeatureGates features = FeatureGates.defaults().with(saved.scenario().gates());
        return new UpstreamQuery(new Problem(0, Set.of(), features, objects, claims));
    }

    /** An API server adds the default namespace to a claim. */
    private static Tree withNamespace(Tree object) {
        if (!(object instanceof Tree.Mapping mapping)
                || !Tree.of("ResourceClaim").equals(mapping.fields().get("kind"))
                || !(mapping.fields().get("metadata") instanceof Tree.Mapping metadata)) {
            return object;
        }
        SortedMap<String, Tree> named = new TreeMap<>(metadata.fields());
        named.putIfAbsent("namespace", Tree.of(ClusterCompletion.DEFAULT_NAMESPACE));
        SortedMap<String, Tree> fields = new TreeMap<>(mapping.fields());
        fields.put("metadata", new Tree.Mapping(named));
        return new Tree.Mapping(fields);
    }
}
