package dev.claimstream.allocation.solver;

import dev.claimstream.dra.DeviceId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;

/**
 * Names the shares that claims get of devices: always the same name for the same request of the same claim, so that a replay gives
 * what was given before, and never one name for two shares of a device.
 */
@FunctionalInterface
public interface ShareNames {
    /**
     * The name of a share.
     *
     * @param claim the place of the claim among those asked for
     */
    String of(int claim, String request, DeviceId device);

    /** Names made of the claims' uids; in the form of a UUID, as Kubernetes wants it. */
    static ShareNames ofUids(List<String> uids) {
        return (claim, request, device) -> name(uids.get(claim), request, device);
    }

    /** Names made of the places of the claims. */
    static ShareNames ofPlaces() {
        return (claim, request, device) -> name(Integer.toString(claim), request, device);
    }

    private static String name(String claim, String request, DeviceId device) {
        return UUID.nameUUIDFromBytes(
                        "%s/%s/%s".formatted(claim, request, device).getBytes(StandardCharsets.UTF_8))
                .toString();
    }
}
