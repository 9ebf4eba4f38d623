package dev.claimstream.simulation;

import dev.claimstream.allocation.cell.ItemChecks;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocation.cell.ItemOutcome;
import dev.claimstream.allocation.cell.State;
import dev.claimstream.allocation.solver.DeviceCheck;
import dev.claimstream.allocation.solver.DeviceCheck.DeviceRequirement;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Selectors;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Why each device does or does not fit a work item, and the smallest changes that would help.
 *
 * @param outcome where the claims of the item are allocated, or why it is pending
 * @param at time of the last input of the state
 * @param devices one check per request and device; the found values of selectors are those of the named fields
 * @param changes empty unless the item is pending
 * @param hiddenCount checks of devices that the reader of the report must not see
 */
public record DeviceReport(
        ItemChecks checks,
        ItemOutcome outcome,
        Instant at,
        List<DeviceCheck> devices,
        List<NearestChange> changes,
        int hiddenCount) {
    public DeviceReport {
        devices = List.copyOf(devices);
        changes = List.copyOf(changes);
    }

    /**
     * Explains a pod.
     *
     * @param selectors other than those of the state
     */
    public static Optional<DeviceReport> ofPod(State state, ObjectKey pod, Instant at, Selectors selectors) {
        return of(state, ItemId.pod(pod), at, selectors);
    }

    /** Explains a claim as the item that allocates it: a pod that uses it, or the claim alone. */
    public static Optional<DeviceReport> ofClaim(State state, ObjectKey claim, Instant at, Selectors selectors) {
        return ItemChecks.itemOf(state, claim).flatMap(item -> of(state, item, at, selectors));
    }

    private static Optional<DeviceReport> of(State state, ItemId item, Instant at, Selectors selectors) {
        return ItemChecks.of(state, item)
                .map(checks -> new DeviceReport(
                        checks,
                        ItemOutcome.of(state, item).orElseThrow(),
                        at,
                        checks.devices().stream()
                                .map(check -> withValues(state, check))
                                .toList(),
                        checks.reason().isPresent() && !checks.devices().isEmpty()
                                ? new NearestChanges(state, checks, selectors).all()
                                : List.of(),
                        0));
    }

    /** Returns the report with checks of these devices only, and without changes, which name other devices and nodes. */
    public DeviceReport limitedTo(Predicate<DeviceId> visible) {
        List<DeviceCheck> kept =
                devices.stream().filter(each -> visible.test(each.device())).toList();
        return new DeviceReport(checks, outcome, at, kept, List.of(), devices.size() - kept.size());
    }

    /** Adds the values of the fields that a selector names. */
    private static DeviceCheck withValues(State state, DeviceCheck check) {
        boolean isSelector =
                check.requirement() == DeviceRequirement.CLASS || check.requirement() == DeviceRequirement.SELECTOR;
        if (!isSelector || !check.found().isEmpty()) {
            return check;
        }
        String values = state.inventory()
                .slices()
                .published(check.device())
                .map(device -> SelectorReads.of(check.required())
                        .valuesOf(check.device().driver(), device))
                .orElse("");
        return new DeviceCheck(
                check.device(),
                check.node(),
                check.claim(),
                check.request(),
                check.requirement(),
                check.required(),
                values,
                check.holders());
    }

    /** Whether the item is pending. */
    public boolean isPending() {
        return checks.reason().isPresent();
    }
}
