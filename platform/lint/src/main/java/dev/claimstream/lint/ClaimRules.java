package dev.claimstream.lint;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.manifests.Manifest;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Checks claims and templates on their own. */
final class ClaimRules {
    /** {@code AllocationResultsMaxSize} of the API. */
    private static final int RESULTS_MAX = 32;

    private static final Pattern PUBLISHED = Pattern.compile("([-.a-z0-9]+/)?[A-Za-z_][A-Za-z0-9_]{0,31}");

    private ClaimRules() {}

    static List<LintFinding> findings(List<Manifest> manifests) {
        return manifests.stream()
                .flatMap(each -> Stream.concat(tooMany(each).stream(), impossibleNames(each)))
                .toList();
    }

    /**
     * Finds requests for capacities that no driver can publish: requests accept any name, published names are identifiers with an optional
     * domain.
     */
    private static Stream<LintFinding> impossibleNames(Manifest manifest) {
        List<DeviceRequest> requests =
                spec(manifest.object()).map(ClaimSpec::requests).orElse(List.of());
        return IntStream.range(0, requests.size())
                .boxed()
                .flatMap(i -> capacities(requests.get(i))
                        .filter(name -> !PUBLISHED.matcher(name).matches())
                        .map(name -> new LintFinding(
                                LintRule.IMPOSSIBLE_NAME,
                                manifest.error(
                                        devices(manifest.object()) + ".requests[%d]".formatted(i),
                                        name,
                                        "no driver can publish a capacity of this name",
                                        "write the name that the driver publishes"))));
    }

    private static Stream<String> capacities(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> exactly.spec().capacity().keySet().stream();
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream().flatMap(each -> each.spec().capacity().keySet().stream());
            case DeviceRequest.UnknownRequest _ -> Stream.empty();
        };
    }

    /** Returns the spec of a claim or of the claims of a template. */
    static Optional<ClaimSpec> spec(ClusterObject object) {
        return switch (object) {
            case ResourceClaim claim -> Optional.of(claim.spec());
            case ResourceClaimTemplate template -> Optional.of(template.spec());
            default -> Optional.empty();
        };
    }

    /** Returns the path of the requests' parent. */
    static String devices(ClusterObject object) {
        return object instanceof ResourceClaimTemplate ? "spec.spec.devices" : "spec.devices";
    }

    private static Optional<LintFinding> tooMany(Manifest manifest) {
        List<DeviceRequest> requests =
                spec(manifest.object()).map(ClaimSpec::requests).orElse(List.of());
        long least = requests.stream().mapToLong(ClaimRules::least).reduce(0, ClaimRules::sum);
        return least <= RESULTS_MAX
                ? Optional.empty()
                : Optional.of(new LintFinding(
                        LintRule.TOO_MANY_DEVICES,
                        manifest.error(
                                devices(manifest.object()) + ".requests[0]",
                                Long.toString(least),
                                "the claim requests more devices than an allocation holds: %d".formatted(RESULTS_MAX),
                                "spread them over several claims of the pod")));
    }

    private static long sum(long a, long b) {
        return Math.min(a + b, Integer.MAX_VALUE);
    }

    private static long least(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> least(exactly.spec());
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream()
                        .mapToLong(alternative -> least(alternative.spec()))
                        .min()
                        .orElse(0);
            case DeviceRequest.UnknownRequest _ -> 0;
        };
    }

    private static long least(RequestSpec spec) {
        return spec.allocationMode().equals(AllocationMode.ALL) ? 1 : Math.min(spec.count(), Integer.MAX_VALUE);
    }
}
