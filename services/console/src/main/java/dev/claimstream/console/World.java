package dev.claimstream.console;

import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.Observation;
import dev.claimstream.allocation.cell.Output;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What the topics have said so far. One thread tells it what it reads; every method is safe for many threads, and {@link #look} sees
 * one moment.
 */
@Singleton
public final class World {
    private final ClusterObjects objects = new ClusterObjects();
    private final Map<String, ClaimView.Decided> decisions = new HashMap<>();
    private final Map<String, ItemId> items = new HashMap<>();
    private final Map<String, ClaimView.Outcome> outcomes = new HashMap<>();
    private final Map<ItemId, Explanation> explanations = new HashMap<>();
    private final TextTimes times = new TextTimes();
    private final Map<DeviceId, Sample> samples = new HashMap<>();
    private final ClaimChanges changes = new ClaimChanges(this::claimNow);

    /** Looks at one moment; what is returned must not hold on to the streams of the moment. */
    synchronized <T> T look(Function<Moment, T> looking) {
        return looking.apply(new Moment());
    }

    /**
     * Waits until something holds, or for so long. It is tested after every change of an explanation.
     *
     * @throws InterruptedException if the thread is interrupted meanwhile
     */
    synchronized void await(Predicate<Moment> reached, Duration max) throws InterruptedException {
        long end = System.nanoTime() + max.toNanos();
        for (long left = max.toNanos(); left > 0 && !look(reached::test); left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** What a claim was given; it is gone, or is to give it back. */
    record Unreleased(ObjectKey claim, Allocation allocation) {}

    /** What stands at a moment. */
    final class Moment {
        Stream<ClusterObject> all(Kind kind) {
            return objects.all(kind);
        }

        <T extends ClusterObject> Stream<T> all(Kind kind, Class<T> type) {
            return all(kind).map(type::cast);
        }

        Optional<ClusterObject> find(Kind kind, ObjectKey key) {
            return objects.find(kind, key);
        }

        Stream<ClaimView> claims() {
            return all(Kind.RESOURCE_CLAIM, ResourceClaim.class).map(World.this::view);
        }

        Optional<ClaimView> claim(ObjectKey key) {
            return claimNow(key);
        }

        /** What nobody else can have yet, though no claim shows it any more: it was given, and is not released. */
        Stream<Unreleased> unreleased() {
            return decisions.values().stream().map(ClaimView.Decided::decision).flatMap(this::unreleased);
        }

        private Stream<Unreleased> unreleased(Decision decision) {
            return switch (decision.verdict()) {
                case Decision.Verdict.Granted granted
                when isGone(decision) -> Stream.of(new Unreleased(decision.claim(), granted.allocation()));
                case Decision.Verdict.Revoked revoked ->
                    Stream.of(new Unreleased(decision.claim(), revoked.what().allocation()));
                case Decision.Verdict.Granted _,
                        Decision.Verdict.Waits _,
                        Decision.Verdict.Deallocation _,
                        Decision.Verdict.Released _ -> Stream.empty();
            };
        }

        private boolean isGone(Decision decision) {
            return find(Kind.RESOURCE_CLAIM, decision.claim())
                    .filter(claim -> claim.meta().uid().equals(decision.claimUid()))
                    .isEmpty();
        }

        /** When what is explained of an item was true. */
        Optional<TextTime> time(ItemId item) {
            return times.of(item);
        }

        /** When something last changed that an explanation may speak of. */
        Instant changed() {
            return times.changed();
        }

        /** Why an item stands as it does. */
        Optional<Explanation> explanation(ItemId item) {
            return Optional.ofNullable(explanations.get(item));
        }

        boolean isSilent(String node) {
            return objects.isSilent(node);
        }

        Optional<Sample> sample(DeviceId device) {
            return Optional.ofNullable(samples.get(device));
        }
    }

    private Optional<ClaimView> claimNow(ObjectKey key) {
        return objects.find(Kind.RESOURCE_CLAIM, key)
                .map(ResourceClaim.class::cast)
                .map(this::view);
    }

    private ClaimView view(ResourceClaim claim) {
        String uid = claim.meta().uid();
        Optional<ClaimView.Decided> decided = Optional.ofNullable(decisions.get(uid));
        Optional<Explanation> explanation = explanation(claim);
        return new ClaimView(
                claim,
                decided,
                explanation,
                explanation.map(Explanation::item).flatMap(times::of),
                Optional.ofNullable(outcomes.get(uid))
                        .filter(outcome -> decided.stream()
                                .anyMatch(each -> each.decision().number() == outcome.number())),
                OthersClasses.of(claim, objects::find),
                NotLookedAt.of(explanation, objects::find));
    }

    /** Of what it was given alone, before a pod joined, or else of what it was decided with. */
    private Optional<Explanation> explanation(ResourceClaim claim) {
        return Optional.ofNullable(explanations.get(ItemId.claim(claim.key())))
                .or(() -> Optional.ofNullable(items.get(claim.meta().uid())).map(explanations::get));
    }

    // ---- what the reader tells

    /** Something was said on a public topic at a time. */
    public synchronized void observe(Observation observation, Instant at) {
        times.observe(observation, at);
        observe(observation);
    }

    /** Something was said on a public topic. */
    public synchronized void observe(Observation observation) {
        changes.mayHaveChanged(objects.observe(observation));
    }

    /** A claim was answered. */
    public synchronized void decided(Decision decision, Instant at) {
        times.decided(decision, at);
        var before = decisions.put(decision.claimUid(), new ClaimView.Decided(decision, at));
        if (before == null || !isReservation(before.decision(), decision)) {
            items.put(decision.claimUid(), decision.item());
        }
        changes.mayHaveChanged(List.of(decision.claim()));
    }

    /** Whether a further pod was let in, and the devices stayed what they were. */
    private static boolean isReservation(Decision before, Decision now) {
        return before.verdict() instanceof Decision.Verdict.Granted had
                && now.verdict() instanceof Decision.Verdict.Granted has
                && had.allocation().equals(has.allocation());
    }

    /** The claim of this uid is gone, and nothing need be known of it. */
    public synchronized void forget(String claimUid) {
        items.remove(claimUid);
        outcomes.remove(claimUid);
        Optional.ofNullable(decisions.remove(claimUid))
                .ifPresent(
                        each -> changes.mayHaveChanged(List.of(each.decision().claim())));
    }

    /** Why an item stands as it does, for the state of this time. */
    public synchronized void explained(Explanation explanation, Instant at) {
        times.explained(explanation, at);
        explained(explanation);
    }

    /** The pending items of the cell are explained for the state of a time or a later one. */
    public synchronized void refreshed(Output.Refreshed refreshed) {
        times.refreshed(refreshed);
        notifyAll();
    }

    /** Why an item stands as it does. */
    public synchronized void explained(Explanation explanation) {
        explanations.put(explanation.item(), explanation);
        changes.mayHaveChanged(explanation.claims());
        notifyAll();
    }

    /** An item is gone. */
    public synchronized void forget(ItemId item) {
        times.forget(item);
        Optional.ofNullable(explanations.remove(item)).ifPresent(each -> changes.mayHaveChanged(each.claims()));
        notifyAll();
    }

    /** What the writer saw. */
    public synchronized void carriedOut(String claimUid, ClaimView.Outcome outcome) {
        ClaimView.Decided decided = decisions.get(claimUid);
        outcomes.put(claimUid, outcome);
        if (decided != null) {
            changes.mayHaveChanged(List.of(decided.decision().claim()));
        }
    }

    /** What a device measured. */
    public synchronized void measured(DeviceId device, Sample sample) {
        samples.put(device, sample);
    }

    // ---- who follows

    /** Tells a follower every change of a claim from now on, until it is stopped. It is called by the reader, and must not wait. */
    synchronized AutoCloseable follow(ClaimChanges.Follower follower, boolean fromStart) {
        Collection<ClaimView> claims = objects.all(Kind.RESOURCE_CLAIM)
                .map(ResourceClaim.class::cast)
                .map(this::view)
                .toList();
        changes.add(follower, claims, fromStart);
        return () -> unfollow(follower);
    }

    private synchronized void unfollow(ClaimChanges.Follower follower) {
        changes.remove(follower);
    }
}
