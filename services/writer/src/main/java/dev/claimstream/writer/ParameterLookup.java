package dev.claimstream.writer;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ConfigReference;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteScope;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.writer.DecisionCommitter.CommitResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Replaces references in an allocation by the parameters that the cluster has (ADR 88).
 *
 * <p>The specification of a claim is immutable. A device class is read once per version, and again after ten seconds. If
 * the class has changed since the decision, the claim is decided again, so that devices and parameters come from one
 * version of the class. While the watch has not shown the change to the cells, their decisions keep the old reference.
 * The next decision is then requested after 100 ms, and after twice the time for each further decision, at most 5 s. Safe
 * for use by several threads.
 */
final class ParameterLookup {
    private static final int CLASSES_MAX = 1000;
    private static final int REDECISIONS_MAX = 10_000;
    private static final Duration PAUSE_MIN = Duration.ofMillis(100);
    private static final Duration PAUSE_MAX = Duration.ofSeconds(5);

    /**
     * Time for which a class is cached. A restored cluster may have other parameters in the same version. After a restore
     * nothing is written for 20 s (ADR 51), so the next write reads the class again.
     */
    private static final Duration CLASS_CACHE_TIME = Duration.ofSeconds(10);

    private final ClaimStatusClient cluster;
    private final LongSupplier nanoTime;
    private final Map<String, CachedClass> classes = new ConcurrentHashMap<>();
    private final Map<String, RepeatedDecision> redecisions = new ConcurrentHashMap<>();

    ParameterLookup(ClaimStatusClient cluster) {
        this(cluster, System::nanoTime);
    }

    /** @param nanoTime a clock as {@link System#nanoTime} */
    ParameterLookup(ClaimStatusClient cluster, LongSupplier nanoTime) {
        this.cluster = cluster;
        this.nanoTime = nanoTime;
    }

    /** @param readNanos time of the read, as {@link System#nanoTime} */
    private record CachedClass(VersionedObject object, long readNanos) {}

    /**
     * The last request for another decision of a claim.
     *
     * @param count number of times for the same reference
     */
    private record RepeatedDecision(ConfigReference reference, int count, long atNanos) {
        Duration pause() {
            Duration pause = PAUSE_MIN.multipliedBy(1L << Math.min(count - 1, 10));
            return pause.compareTo(PAUSE_MAX) < 0 ? pause : PAUSE_MAX;
        }
    }

    /** Parameters that a reference names, or why there are none. */
    private sealed interface LookupAnswer {
        record Parameters(OpaqueConfig config) implements LookupAnswer {}

        /** The object has changed since the decision. */
        record ChangedObject(String reason) implements LookupAnswer {}

        /** The reference names nothing that the object has had in this version. */
        record InvalidReference(String reason) implements LookupAnswer {}
    }

    /**
     * Returns the write with all parameters; or the step that ends the decision, if the cluster does not have them any
     * more.
     *
     * @param claim the claim that was read before the write
     * @throws dev.claimstream.kubernetes.ClusterFault if a device class cannot be read
     */
    CommitStep complete(StatusChange change, Optional<ClusterObject> claim) {
        if (change.scope() != WriteScope.ALL || change.allocation().isEmpty()) {
            return new CommitStep.Write(change);
        }
        Allocation allocation = change.allocation().get();
        List<AllocationConfig> entries = new ArrayList<>();
        for (AllocationConfig entry : allocation.config()) {
            Optional<ConfigReference> reference = ConfigReference.of(entry.opaque());
            if (reference.isEmpty()) {
                entries.add(entry);
                continue;
            }
            switch (answer(reference.get(), entry.opaque().driver(), claim)) {
                case LookupAnswer.Parameters(OpaqueConfig config) ->
                    entries.add(new AllocationConfig(entry.source(), entry.requests(), config));
                case LookupAnswer.ChangedObject(String reason) -> {
                    return decideAgain(change, reference.get(), reason);
                }
                case LookupAnswer.InvalidReference(String reason) -> {
                    return new CommitStep.AdvanceVersion(nextVersion(change), reason);
                }
            }
        }
        redecisions.remove(change.uid());
        return new CommitStep.Write(StatusChange.allocate(
                change.claim(),
                change.uid(),
                change.version(),
                new Allocation(
                        allocation.results(), entries, allocation.nodeSelector(), allocation.allocationTimestamp()),
                change.reservedFor()));
    }

    /** Lets the cell decide again, after a pause if its last decision has the same reference. */
    private CommitStep decideAgain(StatusChange change, ConfigReference reference, String reason) {
        Optional<RepeatedDecision> before = Optional.ofNullable(redecisions.get(change.uid()))
                .filter(each -> each.reference().equals(reference));
        if (before.isPresent()) {
            Duration backoff = before.get()
                    .pause()
                    .minusNanos(nanoTime.getAsLong() - before.get().atNanos());
            if (backoff.isPositive()) {
                return new CommitStep.Completion(CommitResult.failed(
                        reason + "; the cells have not seen the change yet, because the watch of the cluster lags",
                        backoff));
            }
        }
        return new CommitStep.Redecision(nextVersion(change), reference, reason);
    }

    /** Counts a redecision whose write has succeeded. A write that failed is repeated without the pause. */
    void recordRedecision(CommitStep.Redecision step) {
        if (redecisions.size() >= REDECISIONS_MAX) {
            redecisions.clear();
        }
        redecisions.merge(
                step.change().uid(),
                new RepeatedDecision(step.reference(), 1, nanoTime.getAsLong()),
                (before, first) -> before.reference().equals(first.reference())
                        ? new RepeatedDecision(first.reference(), before.count() + 1, first.atNanos())
                        : first);
    }

    private static StatusChange nextVersion(StatusChange change) {
        return StatusChange.invalidateDecisions(change.claim(), change.uid(), change.version());
    }

    private LookupAnswer answer(ConfigReference reference, String driver, Optional<ClusterObject> claim) {
        return switch (reference) {
            case ConfigReference.ClaimConfigEntry(int index) -> {
                List<OpaqueConfig> configs = claim.filter(ResourceClaim.class::isInstance)
                        .map(each -> ((ResourceClaim) each)
                                .spec().config().stream()
                                        .map(ClaimConfig::opaque)
                                        .toList())
                        .orElse(List.of());
                yield entry(configs, index, driver, "the claim has no spec.devices.config[%d] for driver %s");
            }
            case ConfigReference.ClassConfigEntry(String name, long version, int index) ->
                classOf(name, version)
                        .<LookupAnswer>map(each -> entry(
                                each.config(),
                                index,
                                driver,
                                "DeviceClass " + name + " has no spec.config[%d] for driver %s"))
                        .orElseGet(() -> new LookupAnswer.ChangedObject(
                                "DeviceClass %s has changed since the decision, and the claim is decided again"
                                        .formatted(name)));
            case ConfigReference.StatusConfigEntry _ ->
                new LookupAnswer.ChangedObject("the claim lost its allocation and is decided again");
        };
    }

    private static LookupAnswer entry(List<OpaqueConfig> configs, int index, String driver, String reason) {
        return index < configs.size() && configs.get(index).driver().equals(driver)
                ? new LookupAnswer.Parameters(configs.get(index))
                : new LookupAnswer.InvalidReference(reason.formatted(index, driver)
                        + "; remove the record of another producer for it, or record the parameters of the driver");
    }

    /** Returns the class in exactly this version. */
    private Optional<DeviceClass> classOf(String name, long version) {
        long now = nanoTime.getAsLong();
        Optional<VersionedObject> known = Optional.ofNullable(classes.get(name))
                .filter(each -> now - each.readNanos() < CLASS_CACHE_TIME.toNanos())
                .map(CachedClass::object);
        if (known.filter(each -> each.version() == version).isEmpty()) {
            known = cluster.readClass(name);
            if (classes.size() >= CLASSES_MAX) {
                classes.clear();
            }
            known.ifPresent(each -> classes.put(name, new CachedClass(each, now)));
        }
        return known.filter(each -> each.version() == version).map(each -> (DeviceClass) each.object());
    }
}
