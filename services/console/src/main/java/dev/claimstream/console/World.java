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
 * The state of the cluster, decisions and outcomes, as read from the topics.
 * One thread applies records. All methods are thread-safe, and {@link #look} reads a consistent snapshot.
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

    /** Reads a consistent snapshot under the lock. The result must not use the snapshot's streams. */
    synchronized <T> T look(Function<Moment, T> looking) {
        return looking.apply(new Moment());
    }

    /**
     * Waits until a condition holds or the time is up. The condition is tested after each change of an explanation.
     *
     * @throws InterruptedException if the thread is interrupted
     */
    synchronized void await(Predicate<Moment> reached, Duration max) throws InterruptedException {
        long end = System.nanoTime() + max.toNanos();
        for (long left = max.toNanos(); left > 0 && !look(reached::test); left = end - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
    }

    /** An allocation that is not released: the claim is deleted, or the allocation is being revoked. */
    record Unreleased(ObjectKey claim, Allocation allocation) {}

    /** The state at one moment. It is valid only within {@link #look} and {@link #await}. */
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

        /** Returns allocations that still occupy devices although no claim shows them: decided and not yet released. */
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

        /** Returns the time for which an item's explanation is true. */
        Optional<TextTime> time(ItemId item) {
            return times.of(item);
        }

        /** Returns the time of the last change that an explanation may depend on. */
        Instant changed() {
            return times.changed();
        }

        /** Returns the last explanation of an item. */
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

    /**
     * Returns the explanation of the claim as an item of its own, else of the item of the claim's decision.
     * A claim that was allocated before a pod used it has an explanation of its own.
     */
    private Optional<Explanation> explanation(ResourceClaim claim) {
        return Optional.ofNullable(explanations.get(ItemId.claim(claim.key())))
                .or(() -> Optional.ofNullable(items.get(claim.meta().uid())).map(explanations::get));
    }

    // ---- methods for the consumer

    /** Applies an observation of a public topic with its timestamp. */
    public synchronized void observe(Observation observation, Instant at) {
        times.observe(observation, at);
        observe(observation);
    }

    /** Applies an observation of a public topic. */
    public synchronized void observe(Observation observation) {
        changes.mayHaveChanged(objects.observe(observation));
    }

    /**
     * Applies a decision.
     *
     * @param at timestamp of the input that led to the decision
     */
    public synchronized void decided(Decision decision, Instant at) {
        times.decided(decision, at);
        var before = decisions.put(decision.claimUid(), new ClaimView.Decided(decision, at));
        if (before == null || !isReservation(before.decision(), decision)) {
            items.put(decision.claimUid(), decision.item());
        }
        changes.mayHaveChanged(List.of(decision.claim()));
    }

    /** Returns whether the new decision only adds a consumer and keeps the allocation. */
    private static boolean isReservation(Decision before, Decision now) {
        return before.verdict() instanceof Decision.Verdict.Granted had
                && now.verdict() instanceof Decision.Verdict.Granted has
                && had.allocation().equals(has.allocation());
    }

    /** Removes the decision and outcome of a claim. */
    public synchronized void forget(String claimUid) {
        items.remove(claimUid);
        outcomes.remove(claimUid);
        Optional.ofNullable(decisions.remove(claimUid))
                .ifPresent(
                        each -> changes.mayHaveChanged(List.of(each.decision().claim())));
    }

    /** Applies an explanation of the state at a time. */
    public synchronized void explained(Explanation explanation, Instant at) {
        times.explained(explanation, at);
        explained(explanation);
    }

    /** Records that the cell has refreshed the explanations of all pending items. */
    public synchronized void refreshed(Output.Refreshed refreshed) {
        times.refreshed(refreshed);
        notifyAll();
    }

    /** Applies an explanation. */
    public synchronized void explained(Explanation explanation) {
        explanations.put(explanation.item(), explanation);
        changes.mayHaveChanged(explanation.claims());
        notifyAll();
    }

    /** Removes the explanation of an item. */
    public synchronized void forget(ItemId item) {
        times.forget(item);
        Optional.ofNullable(explanations.remove(item)).ifPresent(each -> changes.mayHaveChanged(each.claims()));
        notifyAll();
    }

    /** Applies the commit outcome of the writer. */
    public synchronized void carriedOut(String claimUid, ClaimView.Outcome outcome) {
        ClaimView.Decided decided = decisions.get(claimUid);
        outcomes.put(claimUid, outcome);
        if (decided != null) {
            changes.mayHaveChanged(List.of(decided.decision().claim()));
        }
    }

    /** Applies telemetry of a device. */
    public synchronized void measured(DeviceId device, Sample sample) {
        samples.put(device, sample);
    }

    // ---- methods for watches

    /**
     * Notifies a listener of every change of a claim until the result is closed.
     * The consumer thread calls the listener, which must not block.
     *
     * @param fromStart whether the listener first receives all existing claims
     */
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
