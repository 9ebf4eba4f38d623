package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.Slot;
import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.Selector;
import dev.claimstream.dra.Selectors;
import dev.claimstream.dra.Toleration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One request, or one alternative of it, made ready to be asked of devices.
 *
 * @param column its place in the verdicts of a layout
 * @param claim the place of its claim in the question
 * @param request the name of the request
 * @param resultName {@code request} or {@code request/alternative}
 * @param preference 0 for the alternative that is liked best
 * @param filters the selectors of the class, then those of the request
 */
public record Want(
        int column,
        int claim,
        String request,
        String resultName,
        int preference,
        boolean admin,
        RequestSpec spec,
        DeviceClass deviceClass,
        List<Selector> filters) {
    static Want of(
            int column,
            int claim,
            String request,
            String resultName,
            int preference,
            boolean admin,
            RequestSpec spec,
            DeviceClass deviceClass,
            Selectors selectors) {
        List<Selector> filters = new ArrayList<>();
        deviceClass.selectors().forEach(text -> filters.add(selectors.compile(text)));
        spec.selectors().forEach(text -> filters.add(selectors.compile(text)));
        return new Want(column, claim, request, resultName, preference, admin, spec, deviceClass, List.copyOf(filters));
    }

    boolean all() {
        return spec.allocationMode().equals(AllocationMode.ALL);
    }

    /** What this want says of a device. */
    Verdict verdict(Slot slot) {
        for (Selector filter : filters) {
            switch (filter.test(slot.driver(), slot.device())) {
                case Selector.Match.Yes yes -> {}
                case Selector.Match.No no -> {
                    return Verdict.NO;
                }
                case Selector.Match.Failed failed -> {
                    return Verdict.FAILED;
                }
            }
        }
        if (!slot.reached() || !isServed(slot)) {
            return Verdict.NO;
        }
        return Toleration.firstUntolerated(slot.device().taints(), spec.tolerations())
                        .isPresent()
                ? Verdict.TAINTED
                : Verdict.YES;
    }

    /** Devices that take shared counters are not given out yet, as with the gate of partitionable devices off. */
    static boolean isServed(Slot slot) {
        return slot.device().consumesCounters().isEmpty();
    }

    /** How many of the filters, in their order, this device passes before the first that it does not. */
    int passed(String driver, Device device) {
        int passed = 0;
        while (passed < filters.size() && filters.get(passed).test(driver, device) instanceof Selector.Match.Yes) {
            passed++;
        }
        return passed;
    }

    /** Why a selector failed on this device, in upstream's words, where one did. */
    Optional<String> failure(Slot slot) {
        int passed = passed(slot.driver(), slot.device());
        if (passed == filters.size()
                || !(filters.get(passed).test(slot.driver(), slot.device()) instanceof Selector.Match.Failed failed)) {
            return Optional.empty();
        }
        int ofClass = deviceClass.selectors().size();
        String device = slot.holding().device().toString();
        return Optional.of(
                passed < ofClass
                        ? "class %s: selector #%d on device %s: %s"
                                .formatted(deviceClass.meta().name(), passed, device, failed.message())
                        : "request %s: selector #%d on device %s: %s"
                                .formatted(resultName, passed - ofClass, device, failed.message()));
    }
}
