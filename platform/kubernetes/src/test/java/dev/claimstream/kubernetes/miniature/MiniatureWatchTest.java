package dev.claimstream.kubernetes.miniature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch.WatchListener;
import dev.claimstream.kubernetes.VersionedObject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Watches of a miniature cluster. */
final class MiniatureWatchTest {
    private final MemoryStore store = new MemoryStore();
    private MiniatureCluster cluster = MiniatureCluster.open(store);

    @AfterEach
    void close() {
        cluster.close();
    }

    private void apply(String... documents) {
        cluster.apply(TestManifests.manifests(documents));
    }

    private VersionedObject find(Kind kind, String name) {
        return cluster.find(kind, new ObjectKey("default", name)).orElseThrow();
    }

    /** Allocates a device to a claim and reserves the claim for a pod. */
    private void allocate(String claim, String pod) {
        VersionedObject now = find(Kind.RESOURCE_CLAIM, claim);
        var device = DeviceResult.of("gpu", new DeviceId("gpu.example.com", "p", "gpu-0"));
        cluster.write(new StatusChange(
                now.object().key(),
                now.object().meta().uid(),
                now.version(),
                Optional.of(new Allocation(List.of(device), List.of(), Optional.empty(), Optional.empty())),
                List.of(ClaimConsumer.pod(
                        pod, find(Kind.POD, pod).object().meta().uid()))));
    }

    @Test
    void watchFromExpiredVersionEnds() {
        apply(TestManifests.claim("a"));
        cluster.close();
        cluster = MiniatureCluster.open(store);
        var listener = new RecordingListener();
        cluster.watch(Kind.RESOURCE_CLAIM, 0, listener);
        listener.await(() -> listener.events().size() == 1);
        assertThat(listener.events().getFirst()).startsWith("ended version 0 is too old");
    }

    @Test
    void blockedListenerDoesNotDelayOthers() throws InterruptedException {
        var hangs = new CountDownLatch(1);
        var slow = new RecordingListener();
        var fast = new RecordingListener();
        cluster.watch(Kind.RESOURCE_CLAIM, 0, new WatchListener() {
            @Override
            public void onUpsert(VersionedObject object) {
                try {
                    assertThat(hangs.await(10, TimeUnit.SECONDS)).isTrue();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
                slow.onUpsert(object);
            }

            @Override
            public void onDelete(VersionedObject object) {}

            @Override
            public void onEnd(String reason) {}
        });
        cluster.watch(Kind.RESOURCE_CLAIM, 0, fast);
        for (int i = 0; i < 20; i++) {
            apply(TestManifests.claim("c" + i));
        }
        fast.await(() -> fast.events().size() == 20);
        assertThat(slow.events()).isEmpty();
        hangs.countDown();
        slow.await(() -> slow.events().size() == 20);
    }

    /** Blocks on deletions of pods until it is released. */
    private static final class BlockedPodListener implements WatchListener {
        private final CountDownLatch release = new CountDownLatch(1);

        @Override
        public void onUpsert(VersionedObject object) {}

        @Override
        public void onDelete(VersionedObject object) {
            try {
                assertThat(release.await(10, TimeUnit.SECONDS)).isTrue();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void onEnd(String reason) {}
    }

    @Test
    void deliversClaimReleaseAfterPodDeletion() {
        apply(TestManifests.claim("a"), TestManifests.claim("b"), TestManifests.pod("p", "resourceClaimName: a"));
        allocate("a", "p");
        var pods = new BlockedPodListener();
        var claims = new RecordingListener();
        long from = cluster.list(Kind.RESOURCE_CLAIM).version();
        var podWatch = cluster.watch(Kind.POD, from, pods);
        cluster.watch(Kind.RESOURCE_CLAIM, from, claims);
        apply(TestManifests.claim("b").replace("{name: b}", "{name: b, labels: {team: a}}"));
        claims.await(() -> claims.events().equals(List.of("changed default/b")));
        cluster.delete(Kind.POD, new ObjectKey("default", "p"));
        assertThat(((ResourceClaim) find(Kind.RESOURCE_CLAIM, "a").object()).allocation())
                .isEmpty();
        apply(TestManifests.claim("c"));
        assertThat(claims.events()).containsExactly("changed default/b");
        pods.release.countDown();
        claims.await(
                () -> claims.events().equals(List.of("changed default/b", "changed default/a", "changed default/c")));

        apply(TestManifests.pod("q", "resourceClaimName: a"));
        podWatch.close();
        cluster.delete(Kind.POD, new ObjectKey("default", "q"));
        apply(TestManifests.claim("d"));
        claims.await(() -> claims.events().getLast().equals("changed default/d"));
    }

    @Test
    void closedWatchReceivesNoEvents() {
        var listener = new RecordingListener();
        cluster.watch(Kind.RESOURCE_CLAIM, 0, listener).close();
        apply(TestManifests.claim("a"));
        cluster.close();
        assertThat(listener.events()).isEmpty();
        assertThatThrownBy(() -> apply(TestManifests.claim("b")))
                .isInstanceOf(ClusterFault.class)
                .hasMessage("the cluster is closed");
    }
}
