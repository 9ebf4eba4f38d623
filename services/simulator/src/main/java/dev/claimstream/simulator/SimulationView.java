package dev.claimstream.simulator;

import dev.claimstream.allocation.cell.ClaimRow;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ItemOutcome;
import dev.claimstream.allocation.cell.ObservedRow;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.access.AccessPermission;
import dev.claimstream.kubernetes.access.Caller;
import dev.claimstream.kubernetes.access.NameRedaction;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.simulation.DeviceReport;
import dev.claimstream.simulation.SimulatedCell;
import dev.claimstream.simulation.SimulationResult;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Limits the answers of a state to what a caller sees.
 *
 * @param redaction of messages
 */
record SimulationView(VisibleObjects visible, NameRedaction redaction) {
    static SimulationView of(VisibleObjects visible, List<SimulatedCell> cells) {
        return visible.isEverything()
                ? new SimulationView(visible, NameRedaction.NONE)
                : new SimulationView(visible, visible.redaction(namespaces(cells)));
    }

    /** Returns the namespaces that an answer may contain. */
    static Set<String> namespaces(List<SimulatedCell> cells) {
        Set<String> known = new TreeSet<>();
        for (SimulatedCell cell : cells) {
            for (var row : cell.cell().state().rows().values()) {
                switch (row) {
                    case ObservedRow.ObjectRow object
                    when !object.object().namespace().isEmpty() ->
                        known.add(object.object().namespace());
                    // a claim may be deleted, and its devices not yet released
                    case ClaimRow.AllocationRow allocation ->
                        known.add(allocation.claim().namespace());
                    case ClaimRow.QuarantineRow quarantine ->
                        known.add(quarantine.claim().namespace());
                    default -> {}
                }
            }
        }
        return known;
    }

    static Set<String> namespacesOf(List<ClusterObject> objects) {
        return objects.stream()
                .map(each -> each.meta().namespace())
                .filter(each -> !each.isEmpty())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Checks that a caller asks only about its namespaces. */
    static void check(Caller caller, List<ClusterObject> objects) {
        namespacesOf(objects).forEach(each -> caller.require(AccessPermission.NAMESPACE, each));
    }

    /** Returns the result without the items of namespaces that are not visible; their number remains that of the caller. */
    SimulationResult of(SimulationResult result) {
        return visible.isEverything()
                ? result
                : result.toBuilder()
                        .requested(outcomes(result.requested()))
                        .evicted(outcomes(result.evicted()))
                        .others(outcomes(result.others()))
                        .withoutClaims(items(result.withoutClaims()))
                        .shapes(result.shapes().stream()
                                .map(each ->
                                        new SimulationResult.ShapeFit(each.shape(), each.node(), items(each.fits())))
                                .toList())
                        .allocatingCells(result.allocatingCells().entrySet().stream()
                                .filter(each -> sees(each.getKey()))
                                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)))
                        .build();
    }

    /** Returns the report without devices that neither the caller may list nor a visible claim holds. */
    DeviceReport of(DeviceReport report, List<SimulatedCell> cells) {
        if (visible.hasDevices()) {
            return report;
        }
        Set<DeviceId> allocated = new HashSet<>();
        for (SimulatedCell cell : cells) {
            for (var row : cell.cell().state().rows().values()) {
                switch (row) {
                    case ObservedRow.ObjectRow object
                    when object.content().orElse(null) instanceof ResourceClaim claim ->
                        addDevices(allocated, claim.meta().namespace(), claim.allocation());
                    case ClaimRow.AllocationRow decided ->
                        addDevices(allocated, decided.claim().namespace(), Optional.of(decided.allocation()));
                    default -> {}
                }
            }
        }
        return report.limitedTo(allocated::contains);
    }

    private void addDevices(Set<DeviceId> allocated, String namespace, Optional<Allocation> allocation) {
        if (visible.sees(namespace)) {
            allocation.ifPresent(each -> each.results().forEach(result -> allocated.add(result.device())));
        }
    }

    private List<ItemOutcome> outcomes(List<ItemOutcome> all) {
        return all.stream().filter(each -> sees(each.item())).toList();
    }

    private List<ItemId> items(List<ItemId> all) {
        return all.stream().filter(this::sees).toList();
    }

    private boolean sees(ItemId item) {
        return visible.sees(item.key().namespace());
    }
}
