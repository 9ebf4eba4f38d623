package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Defines the story sentences on claims that are deallocated for a pod. */
final class DeallocationSentences {
    private DeallocationSentences() {}

    static void addActsTo(Sentences say, Stage stage) {
        say.say(
                "no kube-scheduler places pods",
                is -> stage.settings(stage.settings().withKubeScheduler(false)));
        say.say(
                "(gated )?pod NAME(?: of group NAME)? that must run on NAME uses TEXT",
                is -> pod(stage, is.group(2), Optional.ofNullable(is.group(3)), is.group(4), is.group(5), is.group(1)));
        say.say("pod NAME gets an annotation", is -> {
            Pod pod = stage.pod(is.group(1));
            ObjectMeta meta = pod.meta();
            var annotations = new TreeMap<>(meta.annotations());
            annotations.put("note", "change " + annotations.size());
            write(
                    stage,
                    pod,
                    new ObjectMeta(
                            meta.namespace(),
                            meta.name(),
                            meta.uid(),
                            meta.created(),
                            meta.sequence(),
                            meta.labels(),
                            annotations,
                            meta.controller(),
                            meta.deleting()));
        });
        say.say("pod NAME gets a label", is -> {
            Pod pod = stage.pod(is.group(1));
            ObjectMeta meta = pod.meta();
            var labels = new TreeMap<>(meta.labels());
            labels.put("label", "change " + labels.size());
            write(
                    stage,
                    pod,
                    new ObjectMeta(
                            meta.namespace(),
                            meta.name(),
                            meta.uid(),
                            meta.created(),
                            meta.sequence(),
                            labels,
                            meta.annotations(),
                            meta.controller(),
                            meta.deleting()));
        });
        say.say(
                "the writer does not deallocate claim NAME, up to NUMBER changes from now",
                is -> rejected(stage, is.group(1), stage.world.version() + Long.parseLong(is.group(2))));
        say.say("the writer does not deallocate claim NAME", is -> rejected(stage, is.group(1), 0));
        say.say("the writer has deallocated claim NAME", is -> {
            Row.DeallocationRow row = row(stage, is.group(1)).orElseThrow();
            stage.observe(new Observation.CommitOutcome(
                    row.claimUid(), row.number(), Observation.CommitOutcome.Result.COMMITTED, "", 0));
        });
    }

    static void addChecksTo(Sentences say, Stage stage) {
        say.say(
                "claim NAME is deallocated for pod NAME",
                is -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(Stage.key(is.group(1)));
                    assertThat(decision.item()).isEqualTo(ItemId.pod(Stage.key(is.group(2))));
                    assertThat(decision.claimUid())
                            .isEqualTo(stage.claim(is.group(1)).meta().uid());
                    assertThat(decision.result())
                            .isInstanceOfSatisfying(Decision.DecisionResult.Deallocation.class, verdict -> {
                                assertThat(verdict.claimVersion())
                                        .isEqualTo(stage.state().version(Stage.key(is.group(1))));
                                assertThat(verdict.allocation())
                                        .isEqualTo(stage.claim(is.group(1))
                                                .allocation()
                                                .orElseThrow());
                            });
                }));
        say.say(
                "no claim is deallocated",
                is -> assertThat(stage.decisions())
                        .noneMatch(decision -> decision.result() instanceof Decision.DecisionResult.Deallocation));
        say.say(
                "nothing is being deallocated",
                is -> assertThat(stage.state().rowsFrom(Row.DeallocationRow.PREFIX))
                        .isEmpty());
    }

    private static Optional<Row.DeallocationRow> row(Stage stage, String claim) {
        return stage.state().deallocation(stage.claim(claim).meta().uid());
    }

    private static void rejected(Stage stage, String claim, long version) {
        Row.DeallocationRow row = row(stage, claim).orElseThrow();
        stage.observe(new Observation.CommitOutcome(
                row.claimUid(), row.number(), Observation.CommitOutcome.Result.REFUSED, "it is in use", version));
    }

    private static void pod(Stage stage, String name, Optional<String> group, String node, String uses, String gated) {
        stage.world.write(new Pod(
                ObjectMeta.of(Stage.NAMESPACE, name, stage.world.freshUid()).withCreated(stage.birth()),
                Optional.empty(),
                new TreeMap<>(),
                Optional.of(NodeSelector.ofNode(node)),
                List.of(),
                0,
                true,
                ItemActs.uses(uses),
                List.of(),
                ResourceList.none(),
                new TreeMap<>(),
                group,
                gated == null ? List.of() : List.of(Pod.ALLOCATION_GATE),
                PodTopology.none(),
                false));
        stage.speakOf(ItemId.pod(Stage.key(name)));
    }

    private static void write(Stage stage, Pod pod, ObjectMeta meta) {
        stage.world.write(new Pod(
                meta,
                pod.nodeName(),
                pod.nodeSelector(),
                pod.requiredAffinity(),
                pod.tolerations(),
                pod.priority(),
                pod.preempts(),
                pod.resourceClaims(),
                pod.containerResources(),
                pod.requests(),
                pod.spare(),
                pod.podGroup(),
                pod.schedulingGates(),
                pod.topology(),
                pod.finished()));
    }
}
