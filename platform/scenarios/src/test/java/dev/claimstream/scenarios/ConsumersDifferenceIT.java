package dev.claimstream.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Input;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.cell.Step;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.tree.DocumentNode;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.write.ManifestWriter;
import dev.claimstream.scenarios.random.PodWithClaims;
import dev.claimstream.selectors.CelSelectors;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Compares the claims that a pod uses, and the consumer of each claim (the pod or its group), with upstream's {@code
 * resourceclaim} package. {@code -Dpods=100000 -Dseed=7} sets the number of pods and the first seed.
 */
class ConsumersDifferenceIT {
    private static final String GATE = Feature.WORKLOAD_RESOURCE_CLAIMS.gate();
    private static final String CLUSTER = """
            {apiVersion: v1, kind: Node, metadata: {name: node-1}}
            ---
            {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: any}, spec: {}}
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: s}
            spec:
              driver: gpu.example.com
              nodeName: node-1
              pool: {name: node-1, generation: 1, resourceSliceCount: 1}
              devices: [{name: gpu-0}, {name: gpu-1}, {name: gpu-2}, {name: gpu-3}]
            """;

    private final int count = Integer.getInteger("pods", 1_000);
    private final long firstSeed = Long.getLong("seed", 1);

    /**
     * The claims of a pod with their consumers.
     *
     * @param isUnschedulable whether the pod is unschedulable because of its claims
     */
    private record ConsumerResult(boolean isUnschedulable, SortedMap<String, ClaimConsumer> consumers) {}

    @Test
    void reservesClaimsForSameConsumersAsUpstream() {
        UpstreamProcess.assumeReady();
        List<PodWithClaims> pods = LongStream.range(firstSeed, firstSeed + count)
                .mapToObj(PodWithClaims::of)
                .toList();
        List<String> wrong = new ArrayList<>();
        SortedMap<String, Integer> counts = new TreeMap<>();
        try (UpstreamProcess upstream = UpstreamProcess.start("consumers")) {
            List<DocumentNode.DocumentMapping> answers = upstream.query(
                    pods.stream().map(ConsumersDifferenceIT::requestLine).toList());
            for (int i = 0; i < pods.size(); i++) {
                ConsumerResult upstreamResult = upstreamResult(answers.get(i));
                ConsumerResult claimstreamResult = claimstreamResult(pods.get(i));
                count(upstreamResult, counts);
                if (!claimstreamResult.equals(upstreamResult)) {
                    wrong.add("seed %d: upstream %s, we %s%n%s"
                            .formatted(firstSeed + i, upstreamResult, claimstreamResult, requestLine(pods.get(i))));
                }
            }
        }
        System.out.printf("%d pods from seed %d: %s%n", count, firstSeed, counts);
        assertThat(wrong.stream().limit(5)).as("%d differences", wrong.size()).isEmpty();
        assertThat(counts).containsKeys("claims for pods", "claims for groups", "pods refused", "pods without claims");
    }

    private static void count(ConsumerResult answer, Map<String, Integer> counts) {
        if (answer.isUnschedulable) {
            counts.merge("pods refused", 1, Integer::sum);
        } else if (answer.consumers.isEmpty()) {
            counts.merge("pods without claims", 1, Integer::sum);
        }
        answer.consumers
                .values()
                .forEach(each ->
                        counts.merge(each.isPodGroup() ? "claims for groups" : "claims for pods", 1, Integer::sum));
    }

    // ---- upstream
    // ------------------------------------------------------------------------------------------------------------

    private static String requestLine(PodWithClaims podWithClaims) {
        return Tree.mapping(fields -> {
                    fields.put("pod", podWithClaims.pod());
                    fields.putIfPresent("podGroup", podWithClaims.group(), each -> each);
                    fields.put(
                            "features", Tree.mapping(gates -> gates.put(GATE, Tree.of(podWithClaims.hasGroupGate()))));
                    fields.putList("claims", podWithClaims.claims(), each -> each);
                })
                .json();
    }

    private static ConsumerResult upstreamResult(DocumentNode.DocumentMapping answer) {
        assertThat(answer.text("error")).isEmpty();
        boolean isUnschedulable = false;
        SortedMap<String, ClaimConsumer> consumers = new TreeMap<>();
        for (DocumentNode item : items(answer)) {
            var entry = (DocumentNode.DocumentMapping) item;
            isUnschedulable |= entry.text("error").isPresent();
            var consumer = entry.fields().get("consumer");
            if (consumer != null && consumer.value() instanceof DocumentNode.DocumentMapping fields) {
                entry.text("claim")
                        .filter(claim -> !claim.isEmpty())
                        .ifPresent(claim -> consumers.put(claim, consumer(fields)));
            }
        }
        return new ConsumerResult(isUnschedulable, isUnschedulable ? new TreeMap<>() : consumers);
    }

    private static ClaimConsumer consumer(DocumentNode.DocumentMapping fields) {
        return new ClaimConsumer(
                fields.text("apiGroup").orElse(""),
                fields.text("resource").orElse(""),
                fields.text("name").orElse(""),
                fields.text("uid").orElse(""));
    }

    private static List<DocumentNode> items(DocumentNode.DocumentMapping answer) {
        var entries = answer.fields().get("entries");
        return entries != null && entries.value() instanceof DocumentNode.DocumentSequence sequence
                ? sequence.items()
                : List.of();
    }

    // ---- Claimstream
    // ----------------------------------------------------------------------------------------------------------------

    private static ConsumerResult claimstreamResult(PodWithClaims podWithClaims) {
        var cell = new Cell(new State(new CelSelectors()));
        FeatureGates features =
                FeatureGates.defaults().with(Feature.WORKLOAD_RESOURCE_CLAIMS, podWithClaims.hasGroupGate());
        List<Observation> observations = new ArrayList<>();
        observations.add(new Observation.SettingsChanged(
                CellSettings.builder().features(features).build()));
        read(CLUSTER).forEach(each -> observations.add(upserted(each, observations.size())));
        List<Tree> objects = new ArrayList<>();
        podWithClaims.group().ifPresent(objects::add);
        objects.add(podWithClaims.pod());
        objects.addAll(podWithClaims.claims());
        read(ManifestWriter.list(objects).json())
                .forEach(each -> observations.add(upserted(each, observations.size())));
        SortedMap<String, ClaimConsumer> consumers = new TreeMap<>();
        for (int i = 0; i < observations.size(); i++) {
            Step step = cell.step(new Input(i, Instant.EPOCH.plusSeconds(i), observations.get(i)));
            for (Output output : step.outputs()) {
                if (output instanceof Output.DecisionMade(Decision decision)
                        && decision.result() instanceof Decision.DecisionResult.Allocated allocated) {
                    assertThat(allocated.reservedFor()).hasSize(1);
                    consumers.put(
                            decision.claim().name(), allocated.reservedFor().getFirst());
                }
            }
        }
        boolean needsSome = !podWithClaims.claims().isEmpty();
        return new ConsumerResult(needsSome && consumers.isEmpty(), consumers);
    }

    private static Observation upserted(Manifest manifest, int version) {
        return new Observation.ObjectUpserted(new Stamp("api", 1, version), manifest.object());
    }

    private static List<Manifest> read(String text) {
        ManifestReadResult reading = Manifests.read(
                "pod", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), ReadOptions.DEFAULT);
        assertThat(reading.hasErrors()).as("%s in %s", reading.findings(), text).isFalse();
        return reading.manifests();
    }
}
