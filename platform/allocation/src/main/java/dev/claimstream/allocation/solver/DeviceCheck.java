package dev.claimstream.allocation.solver;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ObjectKey;
import java.util.List;

/**
 * The first requirement of a request that one device fails.
 *
 * @param node the node on which the device was checked; empty if no node has it
 * @param request the request, or {@code request/alternative}
 * @param required what the request needs, such as a selector or an amount; empty for {@link DeviceRequirement#NONE}
 * @param found what the device has instead; empty for a selector that does not match
 * @param holders the claims that hold the device, for {@link DeviceRequirement#FREE}
 */
public record DeviceCheck(
        DeviceId device,
        String node,
        ObjectKey claim,
        String request,
        DeviceRequirement requirement,
        String required,
        String found,
        List<AllocationPlan.DeviceHolder> holders) {
    public DeviceCheck {
        holders = List.copyOf(holders);
    }

    /** The requirements in the order in which they are checked. Names are part of the JSON output. */
    public enum DeviceRequirement {
        /** The class selects the device. */
        CLASS("class"),
        /** A selector of the request matches the device. */
        SELECTOR("selector"),
        /** The unallocated device has the requested capacity. */
        CAPACITY("capacity"),
        /** The pool is complete and consistent. */
        POOL("pool"),
        /** A usable node that the item may use has the device. */
        NODE("node"),
        /** The request tolerates the taints of the device. */
        TAINT("taint"),
        /** The feature gates of the cluster allow the device. */
        FEATURE("feature gate"),
        /** No other claim holds the device, or enough of its capacity or counters is left. */
        FREE("free"),
        /** The device fails nothing: it fits alone. */
        NONE("none");

        private final String text;

        DeviceRequirement(String text) {
            this.text = text;
        }

        /** The name for people. */
        public String text() {
            return text;
        }
    }

    /** Whether the device passes every requirement, considered alone. */
    public boolean isUsable() {
        return requirement == DeviceRequirement.NONE;
    }
}
