package dev.claimstream.scenarios;

import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.PlacementPolicy;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.manifests.AllocationReader;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.ReadOptions.Strictness;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.scenarios.Expectation.AllocationField;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the document {@code kind: Scenario} of a file. */
final class ScenarioDocumentReader {
    static final String API_VERSION = "claimstream.dev/v1";
    static final String KIND = "Scenario";

    private static final Set<String> FLAGS = Set.of("true", "false");

    private final String file;
    private final Strictness strictness;
    private final List<ClusterObject> objects;
    private final Map<ObjectKey, ResourceClaim> claims;
    private final List<ManifestFinding> findings;

    private ScenarioDocumentReader(
            String file, Strictness strictness, List<ClusterObject> objects, List<ManifestFinding> findings) {
        this.file = file;
        this.strictness = strictness;
        this.objects = objects;
        this.findings = findings;
        this.claims = objects.stream()
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .collect(Collectors.toMap(ResourceClaim::key, Function.identity(), (first, _) -> first));
    }

    static boolean isScenario(DocumentNode.DocumentMapping document) {
        return document.text("kind").filter(KIND::equals).isPresent()
                && document.text("apiVersion").filter(API_VERSION::equals).isPresent();
    }

    static Optional<String> name(DocumentNode.DocumentMapping document) {
        return mappingField(document, "metadata")
                .flatMap(metadata -> metadata.text("name"))
                .filter(name -> !name.isBlank());
    }

    /** Returns the known feature gates that a scenario sets; the full read reports the errors of the others. */
    static SortedMap<String, Boolean> gates(DocumentNode.DocumentMapping document) {
        SortedMap<String, Boolean> gates = new TreeMap<>();
        mappingField(document, "spec")
                .flatMap(spec -> mappingField(spec, "features"))
                .ifPresent(features -> features.entries()
                        .forEach(gate -> features.text(gate.name())
                                .filter(value -> FeatureGates.isKnown(gate.name()) && FLAGS.contains(value))
                                .ifPresent(value -> gates.put(gate.name(), Boolean.valueOf(value)))));
        return gates;
    }

    private static Optional<DocumentNode.DocumentMapping> mappingField(
            DocumentNode.DocumentMapping fields, String name) {
        return Optional.ofNullable(fields.fields().get(name))
                .map(DocumentNode.DocumentField::value)
                .filter(DocumentNode.DocumentMapping.class::isInstance)
                .map(DocumentNode.DocumentMapping.class::cast);
    }

    /**
     * Reads a scenario.
     *
     * @param objects the other objects of the file, complete with namespaces and uids
     * @param findings receives errors; there are new ones if and only if the result is empty
     */
    static Optional<Scenario> read(
            String file,
            DocumentNode.DocumentMapping document,
            Strictness strictness,
            List<ClusterObject> objects,
            List<ManifestFinding> findings) {
        var reader = new ScenarioDocumentReader(file, strictness, objects, findings);
        int before = findings.size();
        Optional<Scenario> scenario = reader.scenario(new DocumentFields(file, "", document, findings));
        return findings.size() == before ? scenario : Optional.empty();
    }

    private Optional<Scenario> scenario(DocumentFields root) {
        root.text("apiVersion");
        root.text("kind");
        Optional<String> name = root.fields("metadata").flatMap(metadata -> metadata.text("name"));
        if (name.isEmpty()) {
            root.error("metadata", "Required value", "write metadata: {name: ...}");
        }
        Optional<DocumentFields> spec = root.fields("spec");
        if (spec.isEmpty()) {
            root.error("spec", "Required value", "write spec with claims and expect");
        }
        root.reportUnknown();
        return spec.flatMap(fields -> scenario(name.orElse(""), fields));
    }

    private Optional<Scenario> scenario(String name, DocumentFields spec) {
        Optional<String> node = spec.text("node");
        Optional<SchedulerPodView> pod = pod(spec, node);
        if (spec.has("pod") && pod.isEmpty()) {
            return Optional.empty();
        }
        List<ObjectKey> claims = pod.map(this::pendingClaims).orElseGet(() -> claims(spec));
        Optional<PlacementPolicy> policy = policy(spec);
        SortedMap<String, Boolean> gates = gates(spec);
        Optional<Expectation> expect = expect(spec, claims);
        spec.reportUnknown();
        List<ClusterObject> all = new ArrayList<>(objects);
        pod.flatMap(SchedulerPodView::extendedResourceClaim).ifPresent(all::add);
        return expect.map(expected -> new Scenario(name, node, policy, gates, pod, claims, expected, all));
    }

    /** Reads the pod whose claims are allocated; the claim for its extended resources becomes one of the claims. */
    private Optional<SchedulerPodView> pod(DocumentFields spec, Optional<String> node) {
        Optional<ObjectKey> key = spec.text("pod").map(ScenarioDocumentReader::key);
        if (key.isEmpty()) {
            return Optional.empty();
        }
        if (spec.has("claims")) {
            spec.error("claims", "must not be set together with pod", "leave one of the two out");
        }
        Optional<Pod> pod = of(Pod.class)
                .filter(each -> each.meta().key().equals(key.get()))
                .findFirst();
        if (pod.isEmpty()) {
            spec.error(
                    "pod", "there is no Pod %s in the file".formatted(key.get()), "add it, or name one that is there");
            return Optional.empty();
        }
        NodeRules rules = NodeRules.of(pod.get(), ResourceList.none());
        List<dev.claimstream.dra.Node> named = of(dev.claimstream.dra.Node.class)
                .filter(each ->
                        node.filter(name -> !name.equals(each.meta().name())).isEmpty())
                .toList();
        List<dev.claimstream.dra.Node> admitted =
                named.stream().filter(rules::admits).toList();
        List<dev.claimstream.dra.Node> nodes = admitted.isEmpty() ? named : admitted;
        if (nodes.isEmpty()) {
            spec.error(
                    "node",
                    node.map("there is no Node %s in the file"::formatted).orElse("there is no Node in the file"),
                    "add it");
        }
        List<SchedulerPodView> seen = SchedulerPodView.of(pod.get(), nodes, objects);
        if (seen.size() > 1) {
            spec.error(
                    "node",
                    "device plugins of some nodes offer what the pod requests, those of others do not",
                    "name the node to decide for");
        }
        seen.stream()
                .findFirst()
                .flatMap(SchedulerPodView::extendedResourceClaim)
                .ifPresent(claim -> claims.put(claim.key(), claim));
        return seen.stream().findFirst();
    }

    /** Returns the claims of a pod to allocate; allocated claims only restrict the pod to their nodes. */
    private List<ObjectKey> pendingClaims(SchedulerPodView pod) {
        return pod.claims().stream()
                .filter(key -> Optional.ofNullable(claims.get(key))
                        .flatMap(ResourceClaim::allocation)
                        .isEmpty())
                .toList();
    }

    private <T extends ClusterObject> Stream<T> of(Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast);
    }

    private List<ObjectKey> claims(DocumentFields spec) {
        List<ObjectKey> claims = new ArrayList<>();
        for (DocumentNode item : spec.items("claims")) {
            Optional<ObjectKey> key = spec.text(spec.path("claims"), item).map(ScenarioDocumentReader::key);
            if (key.filter(claims::contains).isPresent()) {
                spec.error(item, spec.path("claims"), "the claim occurs twice", "leave one of the two out");
            }
            key.ifPresent(claims::add);
        }
        if (!spec.has("claims") && !spec.has("pod")) {
            spec.error("claims", "Required value", "name the claims to decide, or a pod");
        }
        if (spec.get("claims").filter(ScenarioDocumentReader::isEmptyList).isPresent()) {
            spec.error("claims", "the list is empty", "name the claims to decide, or a pod");
        }
        return claims;
    }

    private static boolean isEmptyList(DocumentNode value) {
        return value instanceof DocumentNode.DocumentSequence sequence
                && sequence.items().isEmpty();
    }

    private static ObjectKey key(String text) {
        int slash = text.indexOf('/');
        return slash < 0
                ? new ObjectKey(ClusterCompletion.DEFAULT_NAMESPACE, text)
                : new ObjectKey(text.substring(0, slash), text.substring(slash + 1));
    }

    private static Optional<PlacementPolicy> policy(DocumentFields spec) {
        Optional<String> text = spec.text("policy");
        Optional<PlacementPolicy> policy = text.flatMap(each -> Arrays.stream(PlacementPolicy.values())
                .filter(known -> known.text().equals(each))
                .findFirst());
        if (text.isPresent() && policy.isEmpty()) {
            spec.error("policy", "policy %s is not known".formatted(text.get()), "write first-fit or best-fit");
        }
        return policy;
    }

    private static SortedMap<String, Boolean> gates(DocumentFields spec) {
        SortedMap<String, Boolean> gates = new TreeMap<>();
        spec.fields("features").ifPresent(fields -> {
            for (String gate : List.copyOf(fields.names())) {
                if (!FeatureGates.isKnown(gate)) {
                    fields.error(
                            gate,
                            "the feature gate is not known",
                            "known are " + String.join(", ", FeatureGates.known()));
                }
                fields.flag(gate).ifPresent(isOn -> gates.put(gate, isOn));
            }
            fields.reportUnknown();
        });
        return gates;
    }

    // ---- expectation
    // ---------------------------------------------------------------------------------------------------

    private Optional<Expectation> expect(DocumentFields spec, List<ObjectKey> claims) {
        Optional<DocumentFields> fields = spec.fields("expect");
        if (fields.isEmpty()) {
            spec.error("expect", "Required value", "write one of results, doesNotFit and error");
            return Optional.empty();
        }
        DocumentFields expect = fields.get();
        List<Expectation> all = new ArrayList<>();
        if (expect.has("results")) {
            all.add(new Expectation.Allocated(results(expect, claims)));
        }
        expect.flag("doesNotFit").ifPresent(isExpected -> {
            if (!isExpected) {
                expect.error("doesNotFit", "must be true", "leave it out, and write results");
            }
            all.add(new Expectation.Pending());
        });
        Optional<String> error = expect.text("error");
        if (error.filter(String::isBlank).isPresent()) {
            expect.error("error", "Required value", "write a part of the message");
        }
        error.map(Expectation.Failed::new).ifPresent(all::add);
        if (all.size() != 1) {
            spec.error(
                    "expect",
                    "exactly one of results, doesNotFit and error is expected, not %d".formatted(all.size()),
                    "write one of them");
        }
        expect.reportUnknown();
        return all.stream().findFirst();
    }

    private List<Expectation.ExpectedAllocation> results(DocumentFields expect, List<ObjectKey> claims) {
        List<Expectation.ExpectedAllocation> results = new ArrayList<>();
        Set<ObjectKey> known = new HashSet<>();
        List<DocumentNode> items = expect.items("results");
        for (int i = 0; i < items.size(); i++) {
            Optional<DocumentFields> fields = expect.fields(expect.path("results[%d]".formatted(i)), items.get(i));
            fields.flatMap(each -> result(each, claims, known)).ifPresent(results::add);
        }
        return results;
    }

    /** @param known the claims of the results before */
    private Optional<Expectation.ExpectedAllocation> result(
            DocumentFields fields, List<ObjectKey> claims, Set<ObjectKey> known) {
        Optional<ObjectKey> key = fields.text("claim").map(ScenarioDocumentReader::key);
        Optional<DocumentNode> allocation = fields.get("allocation");
        if (key.filter(claims::contains).isEmpty()) {
            fields.error(
                    "claim",
                    "must be one of spec.claims, or of those of spec.pod that have no allocation",
                    claims.isEmpty()
                            ? "there is none: write results: []"
                            : "write one of "
                                    + claims.stream().map(ObjectKey::toString).collect(Collectors.joining(", ")));
        }
        if (key.filter(each -> !known.add(each)).isPresent()) {
            fields.error("claim", "the claim occurs twice", "leave one of the two out");
        }
        if (allocation.isEmpty()) {
            fields.error("allocation", "Required value", "write what the claim gets, at least {}");
        }
        fields.reportUnknown();
        return key.flatMap(claim -> allocation.flatMap(value -> fields.fields(fields.path("allocation"), value)
                .flatMap(parts -> allocation(claim, value)
                        .map(read -> new Expectation.ExpectedAllocation(claim, read, parts(parts))))));
    }

    /** Returns the fields to compare: omitted fields are not compared, and {@code null} means that the field must be absent. */
    private static Set<AllocationField> parts(DocumentFields allocation) {
        Set<AllocationField> parts = EnumSet.noneOf(AllocationField.class);
        Arrays.stream(AllocationField.values())
                .filter(part -> allocation.names().contains(part.field()))
                .forEach(parts::add);
        return parts;
    }

    private Optional<Allocation> allocation(ObjectKey claim, DocumentNode value) {
        List<DeviceRequest> requests = Optional.ofNullable(claims.get(claim))
                .map(each -> each.spec().requests())
                .orElse(List.of());
        var read = AllocationReader.read(file, "spec.expect.results", value, requests, strictness);
        read.findings().stream().filter(ManifestFinding::isError).forEach(findings::add);
        return read.allocation();
    }
}
