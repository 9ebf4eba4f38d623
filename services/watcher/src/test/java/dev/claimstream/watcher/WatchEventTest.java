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
import dev.claimstream.dra.PodTopology;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import dev.claimstream.kubernetes.VersionedObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Urgency of watch events, and the bounded queue that orders and merges them. */
final class WatchEventTest {
    private static final PodClaim.ClaimSource NOT_MADE = new PodClaim.ClaimSource.TemplateReference("one-gpu");
    private static final PodClaim.ClaimSource MADE = new PodClaim.ClaimSource.GeneratedClaim("one-gpu", "p-gpu-x7k2m");
    private static final Allocation ALLOCATION =
            new Allocation(List.of(), List.of(), Optional.empty(), Optional.empty());

    /** Maximum number of queued changes of a kind, as in README.md. */
    private static final int WAITING_MAX = 2000;

    private final WatchEvent.WatchEventQueue line = new WatchEvent.WatchEventQueue();

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
        return new Pod(
                ObjectMeta.of("team", "p", uid),
                Optional.empty(),
                new TreeMap<>(),
                Optional.empty(),
                List.of(),
                0,
                true,
                claims,
                none,
                ResourceList.none(),
                new TreeMap<>(),
                Optional.empty(),
                gates,
                PodTopology.none(),
                finished);
    }

    private static Pod gated(PodClaim.ClaimSource... sources) {
        return pod(List.of("another.example.com/gate", Pod.ALLOCATION_GATE), sources);
    }

    private static WatchEvent changed(ClusterObject object) {
        return changed(object, 1);
    }

    private static WatchEvent changed(ClusterObject object, long version) {
        return new WatchEvent.Upserted(new VersionedObject(object, version));
    }

    private static WatchEvent gone(ClusterObject object) {
        return new WatchEvent.Deleted(new VersionedObject(object, 1));
    }

    @Test
    void whatCanBeAnsweredNowIsUrgent() {
        assertThat(List.of(
                        changed(claim(Optional.empty())),
                        changed(gated(MADE)),
                        changed(gated(
                                MADE,
                                new PodClaim.ClaimSource.NoClaimNeeded("optional"),
                                new PodClaim.ClaimSource.ClaimReference("a"))),
                        changed(pod("uid-p", List.of(), true, MADE)),
                        changed(gated()), // the pod may request devices by its container resources
                        changed(new Namespace(ObjectMeta.of("", "team", "uid-n"))),
                        gone(new Namespace(ObjectMeta.of("", "team", "uid-n"))),
                        gone(gated(MADE)), // its claims are deallocated right after the deletion
                        new WatchEvent.WatchEnded("too old")))
                .allMatch(WatchEvent::isUrgent);
    }

    @Test
    void whatWeHaveWrittenOurselvesAndWhatLacksAClaimIsNot() {
        assertThat(List.of(
                        changed(claim(Optional.of(ALLOCATION))),
                        changed(gated(MADE, NOT_MADE)),
                        changed(pod(List.of("another.example.com/gate"), MADE)),
                        changed(pod(List.of(), MADE)),
                        gone(claim(Optional.empty())),
                        gone(gated()),
                        gone(pod("uid-p", List.of(), true, MADE))))
                .noneMatch(WatchEvent::isUrgent);
    }

    @Test
    void whatIsAtEaseGoesBeforeAnUrgentOneThatCameLater() throws InterruptedException {
        line.onUpsert(new VersionedObject(claim(Optional.of(ALLOCATION)), 1));
        line.onDelete(new VersionedObject(claim(Optional.of(ALLOCATION)), 2));
        line.onUpsert(new VersionedObject(claim(Optional.empty()), 3));
        line.onEnd("too old");
        assertThat(line.take())
                .containsExactly(
                        new WatchEvent.Upserted(new VersionedObject(claim(Optional.of(ALLOCATION)), 1)),
                        new WatchEvent.Deleted(new VersionedObject(claim(Optional.of(ALLOCATION)), 2)),
                        new WatchEvent.Upserted(new VersionedObject(claim(Optional.empty()), 3)),
                        new WatchEvent.WatchEnded("too old"));
    }

    @Test
    void whatIsAtEaseGoesAloneWhereNothingElseComes() throws InterruptedException {
        line.onUpsert(new VersionedObject(claim(Optional.of(ALLOCATION)), 1));
        assertThat(line.take()).hasSize(1);
        assertThat(line.take()).isEmpty();
    }

    @Test
    void whatIsTakenCountsUntilTheNextIsAskedFor() throws InterruptedException {
        line.onUpsert(new VersionedObject(claim(Optional.empty()), 1));
        assertThat(line.size()).isEqualTo(1);
        assertThat(line.take()).hasSize(1);
        assertThat(line.size()).isEqualTo(1);
        assertThat(line.take()).isEmpty();
        assertThat(line.size()).isZero();
    }

    @Test
    void ofAPodOnlyTheLastChangeIsTold() throws InterruptedException {
        line.onUpsert(new VersionedObject(gated(NOT_MADE), 1));
        line.onUpsert(new VersionedObject(claim(Optional.empty()), 2));
        line.onUpsert(new VersionedObject(claim(Optional.of(ALLOCATION)), 3));
        line.onUpsert(new VersionedObject(gated(MADE), 4));
        assertThat(line.take())
                .containsExactly(
                        changed(claim(Optional.empty()), 2),
                        changed(claim(Optional.of(ALLOCATION)), 3),
                        changed(gated(MADE), 4));
    }

    @Test
    void thatAPodHasFinishedIsToldBeforeItIsGone() throws InterruptedException {
        var finished = pod("uid-p", List.of(), true, MADE);
        var later = pod("uid-q", List.of(), false, MADE);
        line.onUpsert(new VersionedObject(pod(List.of(), MADE), 1));
        line.onUpsert(new VersionedObject(finished, 2));
        line.onDelete(new VersionedObject(finished, 3));
        line.onUpsert(new VersionedObject(later, 4));
        assertThat(line.take())
                .containsExactly(
                        changed(finished, 2),
                        new WatchEvent.Deleted(new VersionedObject(finished, 3)),
                        changed(later, 4));
    }

    @Test
    @Timeout(60)
    void awaitsPublicationOfPodEnds() throws InterruptedException {
        line.onDelete(new VersionedObject(gated(MADE), 1));
        Thread waits = Thread.ofPlatform().daemon().start(this::awaitPodEnds);
        while (line.size() < 2) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        List<WatchEvent> taken = line.take();
        assertThat(taken).hasSize(2).first().isEqualTo(gone(gated(MADE)));
        assertThat(waits.isAlive()).isTrue();
        ((WatchEvent.PublishBarrier) taken.getLast()).reached().countDown();
        waits.join();
    }

    @Test
    @Timeout(60)
    void doesNotAwaitOtherChanges() throws InterruptedException {
        line.onUpsert(new VersionedObject(gated(MADE), 1));
        line.onDelete(new VersionedObject(pod("uid-q", List.of(), true, MADE), 2));
        line.awaitPodEnds();
        line.onDelete(new VersionedObject(gated(MADE), 3));
        line.take();
        line.take();
        line.awaitPodEnds();
        assertThat(line.size()).isZero();
    }

    @Test
    @Timeout(60)
    void doesNotAwaitALineThatWasLeft() {
        line.onDelete(new VersionedObject(gated(MADE), 1));
        line.close();
        awaitPodEnds();
        assertThat(line.size()).isEqualTo(2);
    }

    private void awaitPodEnds() {
        try {
            line.awaitPodEnds();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Starts a thread that queues {@code changes} changes one after the other. */
    private Thread teller(int changes, AtomicInteger told) {
        return Thread.ofPlatform().daemon().start(() -> {
            for (int version = 1; version <= changes; version++) {
                line.onUpsert(new VersionedObject(claim(Optional.empty()), version));
                told.set(version);
            }
        });
    }

    private static void awaitWaiting(Thread teller) throws InterruptedException {
        while (teller.isAlive() && teller.getState() != Thread.State.TIMED_WAITING) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    @Test
    @Timeout(60)
    void whoTellsWaitsWhereTheLineIsFullAndEverythingIsTakenInItsOrder() throws InterruptedException {
        int changes = 3 * WAITING_MAX;
        var told = new AtomicInteger();
        Thread teller = teller(changes, told);
        awaitWaiting(teller);
        assertThat(told).hasValue(WAITING_MAX);
        assertThat(line.size()).isEqualTo(WAITING_MAX);
        List<WatchEvent> all = new ArrayList<>();
        List<WatchEvent> taken;
        do {
            taken = line.take();
            assertThat(taken).hasSizeLessThanOrEqualTo(WAITING_MAX);
            assertThat(line.size()).as("in hand and waiting").isLessThanOrEqualTo(2 * WAITING_MAX);
            all.addAll(taken);
        } while (teller.isAlive() || !taken.isEmpty());
        assertThat(all)
                .map(each -> ((WatchEvent.Upserted) each).object().version())
                .containsExactlyElementsOf(
                        LongStream.rangeClosed(1, changes).boxed().toList());
    }

    @Test
    @Timeout(60)
    void whoWaitsGoesOnWhenNobodyTakesAnyMore() throws InterruptedException {
        int changes = WAITING_MAX + 100;
        var told = new AtomicInteger();
        Thread teller = teller(changes, told);
        awaitWaiting(teller);
        assertThat(told).hasValue(WAITING_MAX);
        line.close();
        teller.join();
        assertThat(told).hasValue(changes);
        assertThat(line.size()).isEqualTo(WAITING_MAX);
    }
}
