package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/** Defines the story sentences on claims that are deallocated for a pod. */
final class DeallocationSentences {
    private DeallocationSentences() {}

    static void addActsTo(Sentences sentences, CellFixture stage) {
        sentences.define(
                "no kube-scheduler runs",
                match -> stage.settings(
                        stage.settings().toBuilder().kubeScheduler(false).build()));
        sentences.define(
                "(gated )?pod NAME(?: of group NAME)? that requires NAME uses TEXT",
                match -> writePod(
                        stage,
                        match.group(2),
                        Optional.ofNullable(match.group(3)),
                        match.group(4),
                        match.group(5),
                        match.group(1)));
        sentences.define("pod NAME gets an annotation", match -> {
            Pod pod = stage.pod(match.group(1));
            ObjectMeta meta = pod.meta();
            var annotations = new TreeMap<>(meta.annotations());
            annotations.put("note", "change " + annotations.size());
            write(stage, pod, meta.toBuilder().annotations(annotations).build());
        });
        sentences.define("pod NAME gets a label", match -> {
            Pod pod = stage.pod(match.group(1));
            ObjectMeta meta = pod.meta();
            var labels = new TreeMap<>(meta.labels());
            labels.put("label", "change " + labels.size());
            write(stage, pod, meta.toBuilder().labels(labels).build());
        });
        sentences.define(
                "the writer rejects the deallocation of claim NAME for claim versions up to \\+NUMBER",
                match -> reject(stage, match.group(1), stage.apiServer.version() + Long.parseLong(match.group(2))));
        sentences.define(
                "the writer rejects the deallocation of claim NAME", match -> reject(stage, match.group(1), 0));
        sentences.define("the writer commits the deallocation of claim NAME", match -> {
            ClaimRow.DeallocationRow row = row(stage, match.group(1)).orElseThrow();
            stage.observe(new Observation.CommitOutcome(
                    row.claimUid(), row.number(), Observation.CommitOutcome.Result.COMMITTED, "", 0));
        });
    }

    static void addChecksTo(Sentences sentences, CellFixture stage) {
        sentences.define(
                "the cell deallocates claim NAME for pod NAME",
                match -> assertThat(stage.decisions()).anySatisfy(decision -> {
                    assertThat(decision.claim()).isEqualTo(CellFixture.key(match.group(1)));
                    assertThat(decision.item()).isEqualTo(ItemId.pod(CellFixture.key(match.group(2))));
                    assertThat(decision.claimUid())
                            .isEqualTo(stage.claim(match.group(1)).meta().uid());
                    assertThat(decision.result())
                            .isInstanceOfSatisfying(Decision.DecisionResult.Deallocation.class, result -> {
                                assertThat(result.claimVersion())
                                        .isEqualTo(stage.state().version(CellFixture.key(match.group(1))));
                                assertThat(result.allocation())
                                        .isEqualTo(stage.claim(match.group(1))
                                                .allocation()
                                                .orElseThrow());
                            });
                }));
        sentences.define(
                "the cell deallocates no claim",
                match -> assertThat(stage.decisions())
                        .noneMatch(decision -> decision.result() instanceof Decision.DecisionResult.Deallocation));
        sentences.define(
                "no deallocation is in progress",
                match -> assertThat(stage.state().rows(ClaimRow.DeallocationRow.ALL))
                        .isEmpty());
    }

    private static Optional<ClaimRow.DeallocationRow> row(CellFixture stage, String claim) {
        return stage.state().deallocation(stage.claim(claim).meta().uid());
    }

    private static void reject(CellFixture stage, String claim, long version) {
        ClaimRow.DeallocationRow row = row(stage, claim).orElseThrow();
        stage.observe(new Observation.CommitOutcome(
                row.claimUid(), row.number(), Observation.CommitOutcome.Result.REJECTED, "it is in use", version));
    }

    private static void writePod(
            CellFixture stage, String name, Optional<String> group, String node, String podClaims, String gated) {
        stage.apiServer.write(Pod.builder(ObjectMeta.of(CellFixture.NAMESPACE, name, stage.apiServer.nextUid())
                        .withCreated(stage.nextCreationTime()))
                .requiredAffinity(Optional.of(NodeSelector.ofNode(node)))
                .resourceClaims(ItemSentences.parsePodClaims(podClaims))
                .podGroup(group)
                .schedulingGates(gated == null ? List.of() : List.of(Pod.ALLOCATION_GATE))
                .build());
    }

    private static void write(CellFixture stage, Pod pod, ObjectMeta meta) {
        stage.apiServer.write(pod.toBuilder().meta(meta).phase("").build());
    }
}
