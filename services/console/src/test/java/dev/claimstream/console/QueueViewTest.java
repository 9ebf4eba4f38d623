package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.manifests.tree.TreeReader;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QueueViewTest {
    private static final Instant AT = SmallCluster.AT;

    private final SmallCluster cluster = SmallCluster.ofOneNode();
    private long number = 1_000;

    private static String claim(String namespace, String name, String created) {
        return SmallCluster.claim(name)
                .replace("namespace: default", "namespace: " + namespace)
                .replace("2025-12-31T23:55:00Z", created);
    }

    private static String pod(String namespace, String name, int priority, String created) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s, namespace: %2$s, uid: pod-%1$s, creationTimestamp: "%4$s"}
                spec:
                  priority: %3$d
                  resourceClaims: [{name: gpu, resourceClaimName: %1$s}]
                  containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
                """.formatted(name, namespace, priority, created);
    }

    private void setPending(ItemId item, Reason reason, Instant at) {
        decide(item, new Decision.DecisionResult.Pending(reason, "no room"), at);
        cluster.view.applyExplanation(
                new Explanation(
                        item,
                        List.of(item.key()),
                        1,
                        new Explanation.ExplanationDetail.Pending(
                                new AllocationPlan.PendingDiagnosis(reason, "no room", Optional.empty()), List.of())),
                at);
    }

    private long allocate(ItemId item, Instant at) {
        var result = new Decision.DecisionResult.Allocated("node-1", SmallCluster.allocation("gpu-0"), List.of());
        return decide(item, result, at);
    }

    private void report(long decision, String outcome, String message) {
        cluster.view.applyOutcome("a", new ClaimView.ReportedOutcome(decision, outcome, message, "", SmallCluster.AT));
    }

    private long decide(ItemId item, Decision.DecisionResult result, Instant at) {
        cluster.view.applyDecision(new Decision(item.key(), item.key().name(), ++number, item, result), at);
        return number;
    }

    private QueueView queue(Instant now) {
        return cluster.view.read(snapshot -> QueueView.of(snapshot, now));
    }

    @Test
    void ordersItemsByPriorityThenAge() {
        cluster.upsert(claim("a", "old", "2025-12-31T10:00:00Z"));
        cluster.upsert(claim("b", "young", "2025-12-31T11:00:00Z"));
        cluster.upsert(claim("b", "urgent", "2025-12-31T12:00:00Z"));
        cluster.upsert(pod("b", "urgent", 10, "2025-12-31T12:00:00Z"));
        setPending(ItemId.claim(new ObjectKey("b", "young")), Reason.DevicesInUse, AT);
        setPending(ItemId.claim(new ObjectKey("a", "old")), Reason.DevicesInUse, AT);
        setPending(ItemId.pod(new ObjectKey("b", "urgent")), Reason.NodeFull, AT);
        assertThat(queue(AT).items())
                .extracting(each -> "%d %s %s after %s"
                        .formatted(
                                each.position(),
                                each.rank().item(),
                                each.diagnosis().reason(),
                                each.ahead().map(Object::toString).orElse("nothing")))
                .containsExactly(
                        "1 pod b/urgent NodeFull after nothing",
                        "2 claim a/old DevicesInUse after pod b/urgent",
                        "3 claim b/young DevicesInUse after claim a/old");
    }

    @Test
    void omitsAllocatedItemsAndDeletedObjects() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.allocate("a", "gpu-0");
        setPending(ItemId.claim(new ObjectKey("default", "gone")), Reason.NodeFull, AT);
        assertThat(queue(AT).items()).isEmpty();
    }

    @Test
    void countsRetriesSinceReasonAndRejections() {
        cluster.upsert(SmallCluster.claim("a"));
        ItemId item = ItemId.claim(SmallCluster.key("a"));
        setPending(item, Reason.DevicesInUse, AT);
        for (int i = 1; i <= QueueView.REPEATED_MIN; i++) {
            long decision = allocate(item, AT.plusSeconds(10L * i));
            report(decision, "rejected", "quota exceeded");
            report(decision, "rejected", "quota exceeded"); // at least once
        }
        setPending(item, Reason.Rejected, AT.plusSeconds(60));
        setPending(item, Reason.Rejected, AT.plusSeconds(90));
        QueueView.QueuedItem queued = queue(AT).items().getFirst();
        assertThat(queued.since()).contains(AT.plusSeconds(60));
        assertThat(queued.retries()).isEqualTo(5);
        assertThat(queued.rejections()).isEqualTo(3);
        assertThat(queue(AT).findings()).singleElement().satisfies(finding -> {
            assertThat(finding.kind()).isEqualTo("repeatedly-rejected");
            assertThat(finding.subject()).isEqualTo("claim default/a");
            assertThat(finding.history())
                    .containsExactly(
                            "allocated 3 times, rejected 3 times",
                            "last rejection: quota exceeded",
                            "pending since %s: DevicesInUse".formatted(AT),
                            "pending since %s: Rejected".formatted(AT.plusSeconds(60)));
        });
    }

    @Test
    void endsFindingWhenAllocationIsCommitted() {
        cluster.upsert(SmallCluster.claim("a"));
        ItemId item = ItemId.claim(SmallCluster.key("a"));
        for (int i = 1; i <= QueueView.REPEATED_MIN; i++) {
            report(allocate(item, AT), "conflict", "changed meanwhile");
            setPending(item, Reason.Rejected, AT);
        }
        assertThat(queue(AT).findings()).hasSize(1);
        report(allocate(item, AT), "committed", "");
        assertThat(queue(AT).findings()).isEmpty();
    }

    @Test
    void reportsAllocationsWithoutOutcomeButNoneOfReusedClaim() {
        cluster.upsert(SmallCluster.claim("a"));
        ItemId item = ItemId.claim(SmallCluster.key("a"));
        for (int pod = 0; pod <= QueueView.REPEATED_MIN; pod++) {
            report(allocate(item, AT), "committed", "");
            setPending(item, Reason.DevicesInUse, AT);
        }
        assertThat(queue(AT).findings()).isEmpty();
        for (int i = 0; i <= QueueView.REPEATED_MIN; i++) {
            allocate(item, AT);
            setPending(item, Reason.DevicesInUse, AT);
        }
        assertThat(queue(AT).findings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.history()).contains("allocated 4 times, rejected 0 times"));
        report(1_001, "committed", ""); // a late record of the first commit
        assertThat(queue(AT).findings()).hasSize(1);
    }

    @Test
    void reportsClassThatNeverAllocatesAfterTenMinutes() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.upsert(SmallCluster.claim("b"));
        setPending(ItemId.claim(SmallCluster.key("a")), Reason.DevicesInUse, AT);
        Duration wait = QueueView.NEVER_AFTER;
        assertThat(queue(AT.plus(wait).minusSeconds(1)).findings()).isEmpty();
        assertThat(queue(AT.plus(wait)).findings())
                .singleElement()
                .satisfies(finding -> assertThat(finding.subject()).isEqualTo("class gpu.example.com"));
        cluster.allocate("b", "gpu-0");
        assertThat(queue(AT.plus(wait)).findings()).isEmpty();
    }

    @Test
    void hidesNamesOfOtherNamespaces() throws Exception {
        cluster.upsert(claim("a", "old", "2025-12-31T10:00:00Z"));
        cluster.upsert(claim("b", "young", "2025-12-31T11:00:00Z"));
        setPending(ItemId.claim(new ObjectKey("a", "old")), Reason.DevicesInUse, AT);
        setPending(ItemId.claim(new ObjectKey("b", "young")), Reason.DevicesInUse, AT);
        try (var console = RunningConsole.start(cluster.view)) {
            String one = console.get("/api/v1/queue?namespace=b").body();
            assertThat(TreeReader.json(one)).isNotNull();
            assertThat(one)
                    .contains("\"ahead\":\"another namespace\"", "\"position\":2")
                    .doesNotContain("old");
            assertThat(console.get("/api/v1/queue").body()).contains("\"ahead\":\"claim a/old\"");
            assertThat(console.get("/api/v1/queue/findings?namespace=c").body()).isEqualTo("{\"items\":[]}\n");
            assertThat(console.get("/metrics").body())
                    .containsPattern("claimstream_queue_findings\\{kind=\"never-allocated\"} 1")
                    .containsPattern("claimstream_queue_findings\\{kind=\"repeatedly-rejected\"} 0");
        }
    }
}
