package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A claim with its new allocation. */
record Answered(ResourceClaim claim, Allocation allocation) {
    /**
     * A request or an alternative, as results name it.
     *
     * @param request the whole request of the claim
     * @param name the value in {@code result.request}
     */
    record Wish(DeviceRequest request, String name, RequestSpec spec, boolean isAdmin) {
        /** Returns whether the request list of a constraint or configuration selects this request. */
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

    /** Returns the results for a request or an alternative. */
    List<DeviceResult> given(Wish wish) {
        return results().stream()
                .filter(result -> result.request().equals(wish.name()))
                .toList();
    }

    /** Returns the requests with results; of a list of alternatives only the chosen one. */
    List<Wish> chosen() {
        return wishes().filter(wish -> !given(wish).isEmpty()).toList();
    }
}
