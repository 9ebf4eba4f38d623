package dev.claimstream.history;

import dev.claimstream.dra.DeviceId;
import java.util.Map;

/**
 * A device, or a share of it, in the allocation of a claim.
 *
 * @param request name of the request, or request/alternative
 * @param share the shareID; empty for a whole device
 * @param adminAccess whether the device may be in use by another claim
 * @param consumed consumed amount per capacity, as quantities
 */
public record HeldDevice(
        DeviceId device, String request, String share, boolean adminAccess, Map<String, String> consumed) {
    public HeldDevice {
        consumed = Map.copyOf(consumed);
    }

    /** A whole device. */
    public static HeldDevice whole(DeviceId device, String request) {
        return new HeldDevice(device, request, "", false, Map.of());
    }

    /** The device and the share as one text. Two devices of a claim never have the same. */
    String key() {
        return device + "/" + share;
    }
}
