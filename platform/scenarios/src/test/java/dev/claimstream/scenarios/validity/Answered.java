package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A claim and what it was given. */
record Answered(ResourceClaim claim, Allocation allocation) {
    /**
     * A request or an alternative that results may name.
     *
     * @param request of the claim, the whole of it
     * @param name as results write it
     */
    record Wish(DeviceRequest request, String name, RequestSpec spec, boolean isAdmin) {
        /** Whether a list of names, as constraints and parameters have them, means it. */
        boolean isIn(List<String> names) {
            return names.isEmpty() || isNamed(names);
        }

        boolean isNamed(List<String> names) {
            return names.contains(name) || names.contains(request.name());
        }
    }

    List<DeviceRequest> requests() {
        return claim.spec().requests();
    }

    List<DeviceResult> results() {
        return allocation.results();
    }

    Stream<Wish> wishes() {
        return requests().stream().flatMap(Answered::wishes);
    }

    static Stream<Wish> wishes(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly one ->
                Stream.of(
                        new Wish(one, one.name(), one.spec(), one.adminAccess().orElse(false)));
            case DeviceRequest.FirstAvailable list ->
                list.alternatives().stream()
                        .map(each -> new Wish(list, list.name() + "/" + each.name(), each.spec(), false));
            case DeviceRequest.UnknownRequest _ -> Stream.empty();
        };
    }

    Optional<Wish> wish(DeviceResult result) {
        return wishes().filter(wish -> wish.name().equals(result.request())).findFirst();
    }

    /** What was given for a request or an alternative. */
    List<DeviceResult> given(Wish wish) {
        return results().stream()
                .filter(result -> result.request().equals(wish.name()))
                .toList();
    }

    /** The wishes that were met: each request, with the alternative that was taken. */
    List<Wish> chosen() {
        return wishes().filter(wish -> !given(wish).isEmpty()).toList();
    }
}
