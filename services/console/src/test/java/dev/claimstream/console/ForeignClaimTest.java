package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.Manifests;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests age and reason of a claim that another producer publishes. */
class ForeignClaimTest {
    private static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");
    private static final String PRODUCER = "producer";

    private final SmallCluster cluster = SmallCluster.ofOneNode();
    private long version;

    private void publish(String uid, String created, Instant at) {
        publish(PRODUCER, uid, created, at);
    }

    private void publish(String source, String uid, String created, Instant at) {
        var claim = (ResourceClaim) Manifests.read(
                        "test",
                        SmallCluster.claim("a")
                                .replace("uid: a", "uid: " + uid)
                                .replace("creationTimestamp: \"2025-12-31T23:55:00Z\"", created))
                .objects()
                .getFirst();
        cluster.view.observe(new Observation.ObjectUpserted(new Stamp(source, 1, ++version), claim), at);
    }

    private ClaimView view() {
        return cluster.view
                .read(snapshot -> snapshot.claim(SmallCluster.key("a")))
                .orElseThrow();
    }

    private Optional<Instant> created() {
        return view().claim().meta().created();
    }

    @Test
    void firstRecordIsCreationTimeOfClaimWithoutOne() {
        publish("u", "labels: {}", FIRST);
        publish("u", "labels: {}", FIRST.plusSeconds(60));
        assertThat(created()).as("also after a later record").contains(FIRST);
        publish("v", "labels: {}", FIRST.plusSeconds(90));
        assertThat(created()).as("another claim of the name").contains(FIRST.plusSeconds(90));
    }

    @Test
    void publishedCreationTimeCounts() {
        publish("u", "creationTimestamp: \"2025-06-01T00:00:00Z\"", FIRST);
        assertThat(created()).contains(Instant.parse("2025-06-01T00:00:00Z"));
        publish("w", "creationTimestamp: \"1970-01-01T00:00:00Z\"", FIRST);
        assertThat(created()).as("a zero is no time").contains(FIRST);
    }

    @Test
    void claimThatWriterDoesNotFindIsForeign() {
        publish("a", "labels: {}", FIRST);
        cluster.allocate("a", "gpu-0");
        assertThat(view().isForeign()).isFalse();
        assertThat(ClaimJson.summary(view()).json()).doesNotContain("foreign");
        reportDeleted();
        assertThat(view().isForeign()).isTrue();
        assertThat(ClaimJson.summary(view()).json()).contains("\"foreign\":true");
    }

    private void reportDeleted() {
        cluster.view.applyOutcome(
                "a",
                new ClaimView.ReportedOutcome(
                        view().lastDecision().orElseThrow().decision().number(), "deleted", "", "", SmallCluster.AT));
    }

    @Test
    void claimOfClusterThatIsBeingDeletedIsNotForeign() {
        publish("watcher", "a", "labels: {}", FIRST);
        cluster.allocate("a", "gpu-0");
        reportDeleted();
        assertThat(view().isForeign()).isFalse();
    }
}
