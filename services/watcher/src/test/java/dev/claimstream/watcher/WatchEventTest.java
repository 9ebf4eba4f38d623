package dev.claimstream.watcher;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ContainerResource;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.VersionedObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Urgency of watch events, and the bounded queue that orders and merges them. */
final class WatchEventTest {
    private static final PodClaim.ClaimSource MISSING = new PodClaim.ClaimSource.TemplateReference("one-gpu");
    private static final PodClaim.ClaimSource GENERATED =
            new PodClaim.ClaimSource.GeneratedClaim("one-gpu", "p-gpu-x7k2m");
    private static final Allocation ALLOCATION =
            new Allocation(List.of(), List.of(), Optional.empty(), Optional.empty());

    private static final Duration WITHIN = Duration.ofMillis(500);

    /** Maximum number of queued changes of a kind, as in README.md. */
    private static final int QUEUED_MAX = 2000;

    private final WatchEvent.WatchEventQueue queue = new WatchEvent.WatchEventQueue();

    private static ResourceClaim claim(Optional<Allocation> allocation) {
        var spec = new ClaimSpec(List.of(), List.of(), List.of());
        return new ResourceClaim(ObjectMeta.of("team", "a", "uid-a"), spec, allocation, List.of());
    }

    private static Pod pod(List<String> gates, PodClaim.ClaimSource... sources) {
        return pod("uid-p", gates, false, sources);
    }

    private static Pod pod(String uid, List<String> gates, boolean finished, PodClaim.ClaimSource... sources) {
        List<PodClaim> claims = new ArrayList<>();
        for (PodClaim.ClaimSource source : sources) {
            claims.add(new PodClaim("gpu-%d".formatted(claims.size()), source));
        }
        List<ContainerResource> none = List.of();
        return Pod.builder(ObjectMeta.of("team", "p", uid))
                .resourceClaims(claims)
                .containerResources(none)
                .schedulingGates(gates)
                .finished(finished)
                .build();
    }

    private static Pod gated(PodClaim.ClaimSource... sources) {
        return pod(List.of("another.example.com/gate", Pod.ALLOCATION_GATE), sources);
    }

    private static WatchEvent upserted(ClusterObject object) {
        return upserted(object, 1);
    }

    private static WatchEvent upserted(ClusterObject object, long version) {
        return new WatchEvent.Upserted(new VersionedObject(object, version));
    }

    private static WatchEvent deleted(ClusterObject object) {
        return new WatchEvent.Deleted(new VersionedObject(object, 1));
    }

    @Test
    void changeThatCanBeDecidedNowIsUrgent() {
        assertThat(List.of(
                        upserted(claim(Optional.empty())),
                        upserted(gated(GENERATED)),
                        upserted(gated(
                                GENERATED,
                                new PodClaim.ClaimSource.NoClaimNeeded("optional"),
                                new PodClaim.ClaimSource.ClaimReference("a"))),
                        upserted(pod("uid-p", List.of(), true, GENERATED)),
                        upserted(gated()), // the pod may request devices by its container resources
                        upserted(new Namespace(ObjectMeta.of("", "team", "uid-n"))),
                        deleted(new Namespace(ObjectMeta.of("", "team", "uid-n"))),
                        deleted(gated(GENERATED)), // its claims are deallocated right after the deletion
                        new WatchEvent.WatchEnded("too old")))
                .allMatch(WatchEvent::isUrgent);
    }

    @Test
    void ownWritesAndPodsWithMissingClaimsAreNotUrgent() {
        assertThat(List.of(
                        upserted(claim(Optional.of(ALLOCATION))),
                        upserted(gated(GENERATED, MISSING)),
                        upserted(pod(List.of("another.example.com/gate"), GENERATED)),
                        upserted(pod(List.of(), GENERATED)),
                        deleted(claim(Optional.empty())),
                        deleted(gated()),
                        deleted(pod("uid-p", List.of(), true, GENERATED))))
                .noneMatch(WatchEvent::isUrgent);
    }

    @Test
    void nonUrgentChangePrecedesLaterUrgentChange() throws InterruptedException {
        queue.onUpsert(new VersionedObject(claim(Optional.of(ALLOCATION)), 1));
        queue.onDelete(new VersionedObject(claim(Optional.of(ALLOCATION)), 2));
        queue.onUpsert(new VersionedObject(claim(Optional.empty()), 3));
        queue.onEnd("too old");
        assertThat(queue.take(WITHIN))
                .containsExactly(
                        new WatchEvent.Upserted(new VersionedObject(claim(Optional.of(ALLOCATION)), 1)),
                        new WatchEvent.Deleted(new VersionedObject(claim(Optional.of(ALLOCATION)), 2)),
                        new WatchEvent.Upserted(new VersionedObject(claim(Optional.empty()), 3)),
                        new WatchEvent.WatchEnded("too old"));
    }

    @Test
    void deliversNonUrgentChangeWithoutUrgentOne() throws InterruptedException {
        queue.onUpsert(new VersionedObject(claim(Optional.of(ALLOCATION)), 1));
        assertThat(queue.take(WITHIN)).hasSize(1);
        assertThat(queue.take(WITHIN)).isEmpty();
    }

    @Test
    @Timeout(60)
    void wakeUpEndsWaitForFirstEvent() throws InterruptedException {
        Thread triggered = Thread.ofPlatform().daemon().start(() -> queue.wakeUp());
        assertThat(queue.take(Duration.ofHours(1))).singleElement().isInstanceOf(WatchEvent.PublishBarrier.class);
        triggered.join();
    }

    @Test
    void countsDrainedChangesUntilNextDrain() throws InterruptedException {
        queue.onUpsert(new VersionedObject(claim(Optional.empty()), 1));
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.take(WITHIN)).hasSize(1);
        assertThat(queue.size()).isEqualTo(1);
        assertThat(queue.take(WITHIN)).isEmpty();
        assertThat(queue.size()).isZero();
    }

    @Test
    void deliversOnlyLatestChangeOfPod() throws InterruptedException {
        queue.onUpsert(new VersionedObject(gated(MISSING), 1));
        queue.onUpsert(new VersionedObject(claim(Optional.empty()), 2));
        queue.onUpsert(new VersionedObject(claim(Optional.of(ALLOCATION)), 3));
        queue.onUpsert(new VersionedObject(gated(GENERATED), 4));
        assertThat(queue.take(WITHIN))
                .containsExactly(
                        upserted(claim(Optional.empty()), 2),
                        upserted(claim(Optional.of(ALLOCATION)), 3),
                        upserted(gated(GENERATED), 4));
    }

    @Test
    void deliversPodCompletionBeforeDeletion() throws InterruptedException {
        var finished = pod("uid-p", List.of(), true, GENERATED);
        var later = pod("uid-q", List.of(), false, GENERATED);
        queue.onUpsert(new VersionedObject(pod(List.of(), GENERATED), 1));
        queue.onUpsert(new VersionedObject(finished, 2));
        queue.onDelete(new VersionedObject(finished, 3));
        queue.onUpsert(new VersionedObject(later, 4));
        assertThat(queue.take(WITHIN))
                .containsExactly(
                        upserted(finished, 2),
                        new WatchEvent.Deleted(new VersionedObject(finished, 3)),
                        upserted(later, 4));
    }

    @Test
    @Timeout(60)
    void awaitsPublicationOfPodEnds() throws InterruptedException {
        queue.onDelete(new VersionedObject(gated(GENERATED), 1));
        Thread waiter = Thread.ofPlatform().daemon().start(this::awaitPodEnds);
        while (queue.size() < 2) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        List<WatchEvent> taken = queue.take(WITHIN);
        assertThat(taken).hasSize(2).first().isEqualTo(deleted(gated(GENERATED)));
        assertThat(waiter.isAlive()).isTrue();
        ((WatchEvent.PublishBarrier) taken.getLast()).reached().countDown();
        waiter.join();
    }

    @Test
    @Timeout(60)
    void doesNotAwaitOtherChanges() throws InterruptedException {
        queue.onUpsert(new VersionedObject(gated(GENERATED), 1));
        queue.onDelete(new VersionedObject(pod("uid-q", List.of(), true, GENERATED), 2));
        queue.awaitPodEnds();
        queue.onDelete(new VersionedObject(gated(GENERATED), 3));
        queue.take(WITHIN);
        queue.take(WITHIN);
        queue.awaitPodEnds();
        assertThat(queue.size()).isZero();
    }

    @Test
    @Timeout(60)
    void doesNotAwaitClosedQueue() {
        queue.onDelete(new VersionedObject(gated(GENERATED), 1));
        queue.close();
        awaitPodEnds();
        assertThat(queue.size()).isEqualTo(2);
    }

    private void awaitPodEnds() {
        try {
            queue.awaitPodEnds();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts a thread that queues {@code changes} changes one after the other. */
    private Thread startProducer(int changes, AtomicInteger delivered) {
        return Thread.ofPlatform().daemon().start(() -> {
            for (int version = 1; version <= changes; version++) {
                queue.onUpsert(new VersionedObject(claim(Optional.empty()), version));
                delivered.set(version);
            }
        });
    }

    private static void awaitBlocked(Thread teller) throws InterruptedException {
        while (teller.isAlive() && teller.getState() != Thread.State.TIMED_WAITING) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    @Test
    @Timeout(60)
    void fullQueueBlocksProducerAndKeepsOrder() throws InterruptedException {
        int changes = 3 * QUEUED_MAX;
        var delivered = new AtomicInteger();
        Thread teller = startProducer(changes, delivered);
        awaitBlocked(teller);
        assertThat(delivered).hasValue(QUEUED_MAX);
        assertThat(queue.size()).isEqualTo(QUEUED_MAX);
        List<WatchEvent> all = new ArrayList<>();
        List<WatchEvent> taken;
        do {
            taken = queue.take(WITHIN);
            assertThat(taken).hasSizeLessThanOrEqualTo(QUEUED_MAX);
            assertThat(queue.size()).as("in hand and waiting").isLessThanOrEqualTo(2 * QUEUED_MAX);
            all.addAll(taken);
        } while (teller.isAlive() || !taken.isEmpty());
        assertThat(all)
                .map(each -> ((WatchEvent.Upserted) each).object().version())
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, changes).boxed().toList());
    }

    @Test
    @Timeout(60)
    void closedQueueReleasesBlockedProducer() throws InterruptedException {
        int changes = QUEUED_MAX + 100;
        var delivered = new AtomicInteger();
        Thread teller = startProducer(changes, delivered);
        awaitBlocked(teller);
        assertThat(delivered).hasValue(QUEUED_MAX);
        queue.close();
        teller.join();
        assertThat(delivered).hasValue(changes);
        assertThat(queue.size()).isEqualTo(QUEUED_MAX);
    }
}
