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
record ClaimWithAllocation(ResourceClaim claim, Allocation allocation) {
    /**
     * A request or an alternative, as results name it.
     *
     * @param request the whole request of the claim
     * @param name the value in {@code result.request}
     */
    record NamedRequest(DeviceRequest request, String name, RequestSpec spec, boolean isAdmin) {
        /** Returns whether the request list of a constraint or configuration selects this request. */
        boolean isSelectedBy(List<String> names) {
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

    Stream<NamedRequest> namedRequests() {
        return requests().stream().flatMap(ClaimWithAllocation::namedRequests);
    }

    static Stream<NamedRequest> namedRequests(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly one ->
                Stream.of(new NamedRequest(
                        one, one.name(), one.spec(), one.adminAccess().orElse(false)));
            case DeviceRequest.FirstAvailable list ->
                list.alternatives().stream()
                        .map(each -> new NamedRequest(list, list.name() + "/" + each.name(), each.spec(), false));
            case DeviceRequest.UnknownRequest _ -> Stream.empty();
        };
    }

    Optional<NamedRequest> namedRequest(DeviceResult result) {
        return namedRequests()
                .filter(wish -> wish.name().equals(result.request()))
                .findFirst();
    }

    /** Returns the results for a request or an alternative. */
    List<DeviceResult> resultsOf(NamedRequest wish) {
        return results().stream()
                .filter(result -> result.request().equals(wish.name()))
                .toList();
    }

    /** Returns the requests with results; of a list of alternatives only the chosen one. */
    List<NamedRequest> selectedRequests() {
        return namedRequests().filter(wish -> !resultsOf(wish).isEmpty()).toList();
    }
}
