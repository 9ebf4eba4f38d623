package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.Kind;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PodBindingsTest {
    private static final Instant BOUND = Instant.parse("2026-01-01T00:01:00Z");
    private static final String UNBOUND_POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: user, namespace: default, uid: user}
            spec:
              containers: [{name: main, image: app, resources: {claims: [{name: gpu}]}}]
              resourceClaims: [{name: gpu, resourceClaimName: a}]
            """;
    private static final String BOUND_POD = UNBOUND_POD + "  nodeName: node-1\n";

    private final SmallCluster cluster = SmallCluster.ofOneNode();
    private long version = 1_000;

    private void observe(String pod, Instant at) {
        cluster.view.observe(
                new Observation.ObjectUpserted(new Stamp("watcher", 1, ++version), SmallCluster.object(pod)), at);
    }

    private ClaimView claim() {
        return cluster.view.read(
                snapshot -> snapshot.claim(SmallCluster.key("a")).orElseThrow());
    }

    private void allocateForPod() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.commit("a", "gpu-0", ClaimConsumer.pod("user", "user"));
    }

    @Test
    void timeIsThatOfFirstRecordWithNode() {
        observe(UNBOUND_POD, SmallCluster.AT);
        allocateForPod();
        assertThat(claim().bindings()).isEmpty();
        observe(BOUND_POD, BOUND);
        observe(BOUND_POD, BOUND.plusSeconds(60));
        assertThat(claim().bindings())
                .containsExactly(new PodBindings.PodBinding("user", "node-1", Optional.of(BOUND)));
        assertThat(ClaimJson.summary(claim()).json())
                .contains("\"bindings\":[{\"at\":\"2026-01-01T00:01:00Z\",\"node\":\"node-1\",\"pod\":\"user\"}]");
    }

    @Test
    void timeIsMissingWithoutRecordBeforeBinding() {
        allocateForPod();
        observe(BOUND_POD, BOUND);
        assertThat(claim().bindings()).containsExactly(new PodBindings.PodBinding("user", "node-1", Optional.empty()));
    }

    @Test
    void podOfSameNameWithOtherUidIsNotConsumer() {
        allocateForPod();
        observe(BOUND_POD.replace("uid: user", "uid: other"), BOUND);
        assertThat(claim().bindings()).isEmpty();
    }

    @Test
    void deletedPodIsNotBound() {
        observe(UNBOUND_POD, SmallCluster.AT);
        allocateForPod();
        observe(BOUND_POD, BOUND);
        var deleted = new Observation.ObjectDeleted(
                new Stamp("watcher", 1, ++version), Kind.POD, SmallCluster.key("user"), "user");
        cluster.view.observe(deleted, BOUND);
        assertThat(claim().bindings()).isEmpty();
    }

    @Test
    void releaseHasTimeUntilNextDecision() {
        cluster.upsert(SmallCluster.claim("a"));
        cluster.allocate("a", "gpu-0");
        assertThat(claim().releasedAt()).isEmpty();
        cluster.release("a");
        assertThat(claim().releasedAt()).contains(SmallCluster.AT);
        assertThat(ClaimJson.summary(claim()).json()).contains("\"releasedAt\":\"2026-01-01T00:00:00Z\"");
        cluster.setPending("a");
        assertThat(claim().releasedAt()).isEmpty();
    }
}
