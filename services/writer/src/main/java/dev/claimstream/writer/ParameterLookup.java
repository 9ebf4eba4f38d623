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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Replaces references in an allocation by the parameters that the cluster has (ADR 88).
 *
 * <p>The specification of a claim is immutable. A device class is read once per version. If the class has changed since
 * the decision, the claim is decided again, so that devices and parameters come from one version of the class. Safe for
 * use by several threads.
 */
final class ParameterLookup {
    private static final int CLASSES_MAX = 1000;

    private final ClaimStatusClient cluster;
    private final Map<String, VersionedObject> classes = new ConcurrentHashMap<>();

    ParameterLookup(ClaimStatusClient cluster) {
        this.cluster = cluster;
    }

    /** Parameters that a reference names, or why there are none. */
    private sealed interface LookupAnswer {
        record Parameters(OpaqueConfig config) implements LookupAnswer {}

        /** The object has changed since the decision. */
        record ChangedObject(String why) implements LookupAnswer {}

        /** The reference names nothing that the object has had in this version. */
        record InvalidReference(String why) implements LookupAnswer {}
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
                case LookupAnswer.ChangedObject(String why) -> {
                    return new CommitStep.Redecision(nextVersion(change), why);
                }
                case LookupAnswer.InvalidReference(String why) -> {
                    return new CommitStep.AdvanceVersion(nextVersion(change), why);
                }
            }
        }
        return new CommitStep.Write(StatusChange.allocate(
                change.claim(),
                change.uid(),
                change.version(),
                new Allocation(
                        allocation.results(), entries, allocation.nodeSelector(), allocation.allocationTimestamp()),
                change.reservedFor()));
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

    private static LookupAnswer entry(List<OpaqueConfig> configs, int index, String driver, String why) {
        return index < configs.size() && configs.get(index).driver().equals(driver)
                ? new LookupAnswer.Parameters(configs.get(index))
                : new LookupAnswer.InvalidReference(why.formatted(index, driver)
                        + "; remove the record of another producer for it, or record the parameters of the driver");
    }

    /** Returns the class in exactly this version. */
    private Optional<DeviceClass> classOf(String name, long version) {
        VersionedObject known = classes.get(name);
        if (known == null || known.version() != version) {
            Optional<VersionedObject> read = cluster.readClass(name);
            if (classes.size() >= CLASSES_MAX) {
                classes.clear();
            }
            read.ifPresent(each -> classes.put(name, each));
            known = read.orElse(null);
        }
        return Optional.ofNullable(known)
                .filter(each -> each.version() == version)
                .map(each -> (DeviceClass) each.object());
    }
}
