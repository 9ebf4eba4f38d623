package dev.claimstream.allocation.solver;

import dev.claimstream.dra.DeviceId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * Generates the share IDs ({@code status.allocation.devices.results[].shareID}) of shared devices. The same request of
 * the same claim always gets the same ID, so that a replay reproduces allocations. Two shares of a device never have
 * the same ID.
 */
@FunctionalInterface
public interface ShareIds {
    /**
     * Returns the ID of a share.
     *
     * @param claim index of the claim in the problem
     */
    String of(int claim, String request, DeviceId device);

    /** Derives the IDs from the uids of the claims; the format is a UUID, as the Kubernetes API requires. */
    static ShareIds fromClaimUids(List<String> uids) {
        return (claim, request, device) -> name(uids.get(claim), request, device);
    }

    /** Derives the IDs from the indexes of the claims. */
    static ShareIds fromClaimIndexes() {
        return (claim, request, device) -> name(Integer.toString(claim), request, device);
    }

    private static String name(String claim, String request, DeviceId device) {
        return UUID.nameUUIDFromBytes(
                        "%s/%s/%s".formatted(claim, request, device).getBytes(StandardCharsets.UTF_8))
                .toString();
    }
}
