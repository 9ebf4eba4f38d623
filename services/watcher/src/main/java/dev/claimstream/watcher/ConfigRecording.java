package dev.claimstream.watcher;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.AllocationConfig;
import dev.claimstream.dra.ClaimConfig;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ConfigReference;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.kubernetes.VersionedObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntFunction;

/**
 * Replaces opaque parameters by references, except those of an allow list of drivers (ADR 88).
 *
 * <p>Parameters can contain secrets, and topics and archives keep what is published. The writer gets the parameters
 * from the claim and the device class that the references name.
 */
final class ConfigRecording {
    /** Entry of the list that stands for all drivers. */
    static final String ALL_DRIVERS = "*";

    private final Set<String> drivers;

    /** @param drivers names of the drivers whose parameters are recorded; {@value #ALL_DRIVERS}: all */
    ConfigRecording(List<String> drivers) {
        this.drivers = new TreeSet<>(drivers);
    }

    /** Returns the object as it may be recorded. */
    ClusterObject recorded(VersionedObject object) {
        if (drivers.contains(ALL_DRIVERS)) {
            return object.object();
        }
        return switch (object.object()) {
            case ResourceClaim claim
            when hasConfig(claim) ->
                new ResourceClaim(
                        claim.meta(),
                        recorded(claim.spec()),
                        claim.allocation().map(this::recorded),
                        claim.reservedFor());
            case ResourceClaimTemplate template
            when !template.spec().config().isEmpty() ->
                new ResourceClaimTemplate(
                        template.meta(),
                        template.claimLabels(),
                        template.claimAnnotations(),
                        recorded(template.spec()));
            case DeviceClass deviceClass
            when !deviceClass.config().isEmpty() -> recorded(deviceClass, object.version());
            default -> object.object();
        };
    }

    private static boolean hasConfig(ResourceClaim claim) {
        return !claim.spec().config().isEmpty()
                || claim.allocation().filter(each -> !each.config().isEmpty()).isPresent();
    }

    private ClaimSpec recorded(ClaimSpec spec) {
        List<OpaqueConfig> configs = recorded(
                spec.config().stream().map(ClaimConfig::opaque).toList(), ConfigReference.ClaimConfigEntry::new);
        List<ClaimConfig> entries = new ArrayList<>();
        for (int i = 0; i < configs.size(); i++) {
            entries.add(new ClaimConfig(spec.config().get(i).requests(), configs.get(i)));
        }
        return new ClaimSpec(spec.requests(), spec.constraints(), entries);
    }

    private Allocation recorded(Allocation allocation) {
        List<OpaqueConfig> configs = recorded(
                allocation.config().stream().map(AllocationConfig::opaque).toList(),
                ConfigReference.StatusConfigEntry::new);
        List<AllocationConfig> entries = new ArrayList<>();
        for (int i = 0; i < configs.size(); i++) {
            AllocationConfig entry = allocation.config().get(i);
            entries.add(new AllocationConfig(entry.source(), entry.requests(), configs.get(i)));
        }
        return new Allocation(
                allocation.results(), entries, allocation.nodeSelector(), allocation.allocationTimestamp());
    }

    private DeviceClass recorded(DeviceClass deviceClass, long version) {
        String name = deviceClass.meta().name();
        return new DeviceClass(
                deviceClass.meta(),
                deviceClass.selectors(),
                recorded(deviceClass.config(), index -> new ConfigReference.ClassConfigEntry(name, version, index)),
                deviceClass.extendedResourceName(),
                deviceClass.allocator());
    }

    private List<OpaqueConfig> recorded(List<OpaqueConfig> configs, IntFunction<ConfigReference> reference) {
        List<OpaqueConfig> kept = new ArrayList<>();
        for (int i = 0; i < configs.size(); i++) {
            OpaqueConfig config = configs.get(i);
            kept.add(
                    drivers.contains(config.driver())
                            ? config
                            : reference.apply(i).replaceParameters(config));
        }
        return kept;
    }
}
