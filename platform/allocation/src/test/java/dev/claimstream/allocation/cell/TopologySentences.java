package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.dra.HostPort;
import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.NodeSelector.Requirement;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodAffinityTerm;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Defines the story sentences on inter-pod constraints and topology. An app is a value of the label {@code app}. */
final class TopologySentences {
    private final CellFixture stage;

    private TopologySentences(CellFixture stage) {
        this.stage = stage;
    }

    static void addTo(Sentences sentences, CellFixture stage) {
        var definitions = new TopologySentences(stage);
        sentences.define(
                "NAME is in zone NAME",
                match -> stage.apiServer.write(
                        SampleObjects.node(match.group(1), "zone=" + match.group(2), "host=" + match.group(1))));
        sentences.define(
                "NAME is in zone NAME without a host label",
                match -> stage.apiServer.write(SampleObjects.node(match.group(1), "zone=" + match.group(2))));
        sentences.define("pod NAME of app NAME((?:, [^,]+)*?),? uses TEXT", match -> {
            definitions.writePod(
                    match.group(1),
                    match.group(2),
                    definitions.parseTopology(match.group(3)),
                    Optional.empty(),
                    match.group(4));
        });
        sentences.define(
                "pod NAME of app NAME((?:, [^,]+)*?),? runs on NAME",
                match -> definitions.writePod(
                        match.group(1),
                        match.group(2),
                        definitions.parseTopology(match.group(3)),
                        Optional.of(match.group(4)),
                        ""));
        sentences.define("pod NAME changes to app NAME", match -> {
            Pod pod = stage.pod(match.group(1));
            definitions.write(pod.meta().withLabels(app(match.group(2))), pod.nodeName(), pod, pod.topology());
        });
        sentences.define("pod NAME is terminating", match -> {
            Pod pod = stage.pod(match.group(1));
            definitions.write(ItemSentences.withDeletion(pod.meta()), pod.nodeName(), pod, pod.topology());
        });
        sentences.define(
                "the namespace has label team=NAME",
                match -> stage.apiServer.write(new Namespace(ObjectMeta.of("", CellFixture.NAMESPACE, "uid-ns")
                        .withLabels(labels("team", match.group(1))))));
    }

    private void writePod(String name, String app, PodTopology topology, Optional<String> node, String podClaims) {
        var meta = ObjectMeta.of(CellFixture.NAMESPACE, name, stage.apiServer.nextUid())
                .withCreated(stage.nextCreationTime())
                .withLabels(app(app));
        var plain = Pod.builder(meta)
                .nodeName(node)
                .resourceClaims(podClaims.isEmpty() ? List.of() : ItemSentences.parsePodClaims(podClaims))
                .build();
        write(meta, node, plain, topology);
    }

    private void write(ObjectMeta meta, Optional<String> node, Pod pod, PodTopology topology) {
        stage.apiServer.write(pod.toBuilder()
                .meta(meta)
                .nodeName(node)
                .requests(ResourceList.none())
                .topology(topology)
                .phase("")
                .build());
    }

    private static SortedMap<String, String> app(String name) {
        return labels("app", name);
    }

    private static SortedMap<String, String> labels(String key, String value) {
        var labels = new TreeMap<String, String>();
        labels.put(key, value);
        return labels;
    }

    /**
     * Parses a list of constraints.
     *
     * <p>Examples: {@code , with affinity to x by zone}, {@code , with anti-affinity to y of team z by host},
     * {@code , with spread of x by zone and maxSkew 1}, {@code , with host port 80}.
     */
    private PodTopology parseTopology(String text) {
        List<PodAffinityTerm> affinity = new ArrayList<>();
        List<PodAffinityTerm> antiAffinity = new ArrayList<>();
        List<TopologySpreadConstraint> spread = new ArrayList<>();
        List<HostPort> ports = new ArrayList<>();
        for (String clause : text.split(", ", -1)) {
            String[] words = clause.split(" ", -1);
            switch (words.length == 1 ? "" : words[1]) {
                case "" -> {}
                case "affinity" -> affinity.add(parseTerm(words));
                case "anti-affinity" -> antiAffinity.add(parseTerm(words));
                case "spread" ->
                    spread.add(new TopologySpreadConstraint(
                            words[5],
                            Long.parseLong(words[8]),
                            1,
                            Optional.of(selector("app", words[3])),
                            true,
                            false));
                case "host" -> ports.add(new HostPort(HostPort.ALL_ADDRESSES, "TCP", Integer.parseInt(words[3])));
                default -> throw new AssertionError("unknown pod constraint: " + clause);
            }
        }
        return new PodTopology(affinity, antiAffinity, spread, ports, false);
    }

    /** Parses {@code with affinity to x by zone} or {@code with affinity to x of team z by zone}. */
    private static PodAffinityTerm parseTerm(String[] words) {
        Optional<LabelSelector> team =
                words[4].equals("of") ? Optional.of(selector("team", words[6])) : Optional.empty();
        return new PodAffinityTerm(
                words[words.length - 1], Optional.of(selector("app", words[3])), new TreeSet<>(), team);
    }

    private static LabelSelector selector(String key, String value) {
        return new LabelSelector(List.of(new Requirement(key, "In", List.of(value))));
    }
}
