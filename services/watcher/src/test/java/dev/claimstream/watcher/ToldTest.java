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
import dev.claimstream.kubernetes.Versioned;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class ToldTest {
    private static final PodClaim.Source NOT_MADE = new PodClaim.Source.FromTemplate("one-gpu");
    private static final PodClaim.Source MADE = new PodClaim.Source.Made("one-gpu", "p-gpu-x7k2m");
    private static final Allocation ALLOCATION =
            new Allocation(List.of(), List.of(), Optional.empty(), Optional.empty());

    /** How many changes of a kind wait at most, as README.md has it. */
    private static final int WAITING_MAX = 2000;

    private final Told.Line line = new Told.Line();

    private static ResourceClaim claim(Optional<Allocation> allocation) {
        var spec = new ClaimSpec(List.of(), List.of(), List.of());
        return new ResourceClaim(ObjectMeta.of("team", "a", "uid-a"), spec, allocation, List.of());
    }

    private static Pod pod(List<String> gates, PodClaim.Source... sources) {
        return pod("uid-p", gates, false, sources);
    }

    private static Pod pod(String uid, List<String> gates, boolean finished, PodClaim.Source... sources) {
        List<PodClaim> claims = new ArrayList<>();
        for (PodClaim.Source source : sources) {
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

    private static Pod gated(PodClaim.Source... sources) {
        return pod(List.of("another.example.com/gate", Pod.ALLOCATION_GATE), sources);
    }

    private static Told changed(ClusterObject object) {
        return changed(object, 1);
    }

    private static Told changed(ClusterObject object, long version) {
        return new Told.Changed(new Versioned(object, version));
    }

    private static Told gone(ClusterObject object) {
        return new Told.Gone(new Versioned(object, 1));
    }

    @Test
    void whatCanBeAnsweredNowIsUrgent() {
        assertThat(List.of(
                        changed(claim(Optional.empty())),
                        changed(gated(MADE)),
                        changed(gated(MADE, new PodClaim.Source.NotNeeded("optional"), new PodClaim.Source.Named("a"))),
                        changed(pod("uid-p", List.of(), true, MADE)),
                        changed(gated()), // it may ask by the resources of its containers
                        changed(new Namespace(ObjectMeta.of("", "team", "uid-n"))),
                        gone(new Namespace(ObjectMeta.of("", "team", "uid-n"))),
                        gone(gated(MADE)), // its claims are cleared right after it
                        new Told.Ended("too old")))
                .allMatch(Told::isUrgent);
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
                .noneMatch(Told::isUrgent);
    }

    @Test
    void whatIsAtEaseGoesBeforeAnUrgentOneThatCameLater() throws InterruptedException {
        line.changed(new Versioned(claim(Optional.of(ALLOCATION)), 1));
        line.gone(new Versioned(claim(Optional.of(ALLOCATION)), 2));
        line.changed(new Versioned(claim(Optional.empty()), 3));
        line.ended("too old");
        assertThat(line.take())
                .containsExactly(
                        new Told.Changed(new Versioned(claim(Optional.of(ALLOCATION)), 1)),
                        new Told.Gone(new Versioned(claim(Optional.of(ALLOCATION)), 2)),
                        new Told.Changed(new Versioned(claim(Optional.empty()), 3)),
                        new Told.Ended("too old"));
    }

    @Test
    void whatIsAtEaseGoesAloneWhereNothingElseComes() throws InterruptedException {
        line.changed(new Versioned(claim(Optional.of(ALLOCATION)), 1));
        assertThat(line.take()).hasSize(1);
        assertThat(line.take()).isEmpty();
    }

    @Test
    void whatIsTakenCountsUntilTheNextIsAskedFor() throws InterruptedException {
        line.changed(new Versioned(claim(Optional.empty()), 1));
        assertThat(line.size()).isEqualTo(1);
        assertThat(line.take()).hasSize(1);
        assertThat(line.size()).isEqualTo(1);
        assertThat(line.take()).isEmpty();
        assertThat(line.size()).isZero();
    }

    @Test
    void ofAPodOnlyTheLastChangeIsTold() throws InterruptedException {
        line.changed(new Versioned(gated(NOT_MADE), 1));
        line.changed(new Versioned(claim(Optional.empty()), 2));
        line.changed(new Versioned(claim(Optional.of(ALLOCATION)), 3));
        line.changed(new Versioned(gated(MADE), 4));
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
        line.changed(new Versioned(pod(List.of(), MADE), 1));
        line.changed(new Versioned(finished, 2));
        line.gone(new Versioned(finished, 3));
        line.changed(new Versioned(later, 4));
        assertThat(line.take())
                .containsExactly(changed(finished, 2), new Told.Gone(new Versioned(finished, 3)), changed(later, 4));
    }

    @Test
    @Timeout(60)
    void awaitsPublicationOfPodEnds() throws InterruptedException {
        line.gone(new Versioned(gated(MADE), 1));
        Thread waits = Thread.ofPlatform().daemon().start(this::awaitPodEnds);
        while (line.size() < 2) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
        List<Told> taken = line.take();
        assertThat(taken).hasSize(2).first().isEqualTo(gone(gated(MADE)));
        assertThat(waits.isAlive()).isTrue();
        ((Told.Mark) taken.getLast()).reached().countDown();
        waits.join();
    }

    @Test
    @Timeout(60)
    void doesNotAwaitOtherChanges() throws InterruptedException {
        line.changed(new Versioned(gated(MADE), 1));
        line.gone(new Versioned(pod("uid-q", List.of(), true, MADE), 2));
        line.awaitPodEnds();
        line.gone(new Versioned(gated(MADE), 3));
        line.take();
        line.take();
        line.awaitPodEnds();
        assertThat(line.size()).isZero();
    }

    @Test
    @Timeout(60)
    void doesNotAwaitALineThatWasLeft() {
        line.gone(new Versioned(gated(MADE), 1));
        line.leave();
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

    /** Tells so many changes, one after the other. */
    private Thread teller(int changes, AtomicInteger told) {
        return Thread.ofPlatform().daemon().start(() -> {
            for (int version = 1; version <= changes; version++) {
                line.changed(new Versioned(claim(Optional.empty()), version));
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
        List<Told> all = new ArrayList<>();
        List<Told> taken;
        do {
            taken = line.take();
            assertThat(taken).hasSizeLessThanOrEqualTo(WAITING_MAX);
            assertThat(line.size()).as("in hand and waiting").isLessThanOrEqualTo(2 * WAITING_MAX);
            all.addAll(taken);
        } while (teller.isAlive() || !taken.isEmpty());
        assertThat(all)
                .map(each -> ((Told.Changed) each).object().version())
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
        line.leave();
        teller.join();
        assertThat(told).hasValue(changes);
        assertThat(line.size()).isEqualTo(WAITING_MAX);
    }
}
