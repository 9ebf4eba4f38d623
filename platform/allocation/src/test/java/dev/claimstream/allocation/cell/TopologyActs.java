package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.sample.Objects;
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
final class TopologyActs {
    private final Stage stage;

    private TopologyActs(Stage stage) {
        this.stage = stage;
    }

    static void addTo(Sentences say, Stage stage) {
        var acts = new TopologyActs(stage);
        say.say(
                "NAME is in zone NAME",
                is -> stage.world.write(Objects.node(is.group(1), "zone=" + is.group(2), "host=" + is.group(1))));
        say.say(
                "NAME is in zone NAME and of no host",
                is -> stage.world.write(Objects.node(is.group(1), "zone=" + is.group(2))));
        say.say("pod NAME of app NAME((?:, [^,]+)*?),? uses TEXT", is -> {
            acts.pod(is.group(1), is.group(2), acts.topology(is.group(3)), Optional.empty(), is.group(4));
            stage.speakOf(ItemId.pod(Stage.key(is.group(1))));
        });
        say.say(
                "pod NAME of app NAME((?:, [^,]+)*?),? runs on NAME",
                is -> acts.pod(is.group(1), is.group(2), acts.topology(is.group(3)), Optional.of(is.group(4)), ""));
        say.say("pod NAME is now of app NAME", is -> {
            Pod pod = stage.pod(is.group(1));
            acts.write(pod.meta().withLabels(app(is.group(2))), pod.nodeName(), pod, pod.topology());
        });
        say.say("pod NAME is being deleted", is -> {
            Pod pod = stage.pod(is.group(1));
            acts.write(ItemActs.deleting(pod.meta()), pod.nodeName(), pod, pod.topology());
        });
        say.say(
                "the namespace is of team NAME",
                is -> stage.world.write(new Namespace(
                        ObjectMeta.of("", Stage.NAMESPACE, "uid-ns").withLabels(labels("team", is.group(1))))));
    }

    private void pod(String name, String app, PodTopology topology, Optional<String> node, String uses) {
        var meta = ObjectMeta.of(Stage.NAMESPACE, name, stage.world.freshUid())
                .withCreated(stage.birth())
                .withLabels(app(app));
        var plain = new Pod(
                meta,
                node,
                new TreeMap<>(),
                Optional.empty(),
                List.of(),
                0,
                uses.isEmpty() ? List.of() : ItemActs.uses(uses),
                false);
        write(meta, node, plain, topology);
    }

    private void write(ObjectMeta meta, Optional<String> node, Pod pod, PodTopology topology) {
        stage.world.write(new Pod(
                meta,
                node,
                pod.nodeSelector(),
                pod.requiredAffinity(),
                pod.tolerations(),
                pod.priority(),
                pod.preempts(),
                pod.resourceClaims(),
                pod.containerResources(),
                ResourceList.none(),
                pod.spare(),
                pod.podGroup(),
                pod.schedulingGates(),
                topology,
                pod.finished()));
    }

    private static SortedMap<String, String> app(String name) {
        return labels("app", name);
    }

    private static SortedMap<String, String> labels(String key, String value) {
        var labels = new TreeMap<String, String>();
        labels.put(key, value);
        return labels;
    }

    /** Parses {@code , near x by zone, away from y of team z by host, spread by zone within 1 of x, on port 80}. */
    private PodTopology topology(String text) {
        List<PodAffinityTerm> affinity = new ArrayList<>();
        List<PodAffinityTerm> antiAffinity = new ArrayList<>();
        List<TopologySpreadConstraint> spread = new ArrayList<>();
        List<HostPort> ports = new ArrayList<>();
        for (String clause : text.split(", ", -1)) {
            String[] words = clause.split(" ", -1);
            switch (words[0]) {
                case "" -> {}
                case "near" -> affinity.add(term(words, 1));
                case "away" -> antiAffinity.add(term(words, 2));
                case "spread" ->
                    spread.add(new TopologySpreadConstraint(
                            words[2],
                            Long.parseLong(words[4]),
                            1,
                            Optional.of(selector("app", words[6])),
                            true,
                            false));
                case "on" -> ports.add(new HostPort(HostPort.ALL_ADDRESSES, "TCP", Integer.parseInt(words[2])));
                default -> throw new AssertionError("a pod cannot be: " + clause);
            }
        }
        return new PodTopology(affinity, antiAffinity, spread, ports, false);
    }

    /** Parses {@code x by zone} or {@code x of team z by zone}. */
    private static PodAffinityTerm term(String[] words, int first) {
        Optional<LabelSelector> team =
                words[first + 1].equals("of") ? Optional.of(selector("team", words[first + 3])) : Optional.empty();
        return new PodAffinityTerm(
                words[words.length - 1], Optional.of(selector("app", words[first])), new TreeSet<>(), team);
    }

    private static LabelSelector selector(String key, String value) {
        return new LabelSelector(List.of(new Requirement(key, "In", List.of(value))));
    }
}
