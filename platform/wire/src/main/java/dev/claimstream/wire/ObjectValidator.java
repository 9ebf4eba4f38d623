package dev.claimstream.wire;

import dev.claimstream.dra.AllocationMode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeAllocatable;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.RequestSpec;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceSlice;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Validates objects by rules that an API server enforces and the core relies on.
 *
 * <p>The rules cover unique identities and size limits that bound the work. Clients other than the watcher can write the public topics, so
 * the intake validates a record before it enters a cell's input.
 */
final class ObjectValidator {
    private static final int DEVICES_MAX = 128;
    private static final int REQUESTS_MAX = 32;
    private static final int CONSTRAINTS_MAX = 32;
    private static final int SELECTORS_MAX = 32;
    private static final int DERIVED_ATTRIBUTES_MAX = 32;
    private static final int ALTERNATIVES_MAX = 8;
    private static final int POD_CLAIMS_MAX = 32;
    private static final int POD_GATES_MAX = 256;

    private ObjectValidator() {}

    /** Returns the first violated rule in one line that names the object; absent if the object is valid. */
    static Optional<String> violation(ClusterObject object) {
        return identity(object)
                .or(() -> content(object))
                .map(broken -> "%s %s: %s".formatted(object.kind().apiName(), object.key(), broken));
    }

    private static Optional<String> identity(ClusterObject object) {
        ObjectMeta meta = object.meta();
        return violationIf(meta.name().isEmpty(), "the name is empty")
                .or(() -> violationIf(
                        meta.name().contains("/") || meta.namespace().contains("/"),
                        "a name or namespace contains a slash"))
                .or(() -> isNamespaced(object)
                        ? violationIf(meta.namespace().isEmpty(), "the namespace is empty")
                                .or(() -> violationIf(meta.uid().isEmpty(), "the uid is empty"))
                        : violationIf(!meta.namespace().isEmpty(), "a cluster-scoped object has no namespace"));
    }

    private static boolean isNamespaced(ClusterObject object) {
        return switch (object) {
            case ResourceClaim claim -> true;
            case ResourceClaimTemplate template -> true;
            case Pod pod -> true;
            case PodGroup group -> true;
            case ResourceSlice slice -> false;
            case DeviceClass each -> false;
            case DeviceTaintRule rule -> false;
            case Node node -> false;
            case Namespace namespace -> false;
        };
    }

    private static Optional<String> content(ClusterObject object) {
        return switch (object) {
            case ResourceSlice slice ->
                tooMany("devices", slice.devices().size(), DEVICES_MAX)
                        .or(() -> slice.devices().stream()
                                .flatMap(device -> negativeNodeResource(device).stream())
                                .findFirst());
            case DeviceClass each -> tooMany("selectors", each.selectors().size(), SELECTORS_MAX);
            case ResourceClaim claim -> spec(claim.spec());
            case ResourceClaimTemplate template -> spec(template.spec());
            case Pod pod ->
                tooMany("resource claims", pod.resourceClaims().size(), POD_CLAIMS_MAX)
                        .or(() -> violationIf(
                                pod.resourceClaims().stream().anyMatch(claim -> claim.containers() < 0),
                                "a claim has a negative number of containers"))
                        .or(() -> tooMany(
                                "scheduling gates", pod.schedulingGates().size(), POD_GATES_MAX));
            case PodGroup group ->
                tooMany("resource claims", group.resourceClaims().size(), POD_CLAIMS_MAX);
            case DeviceTaintRule rule -> Optional.empty();
            case Node node -> Optional.empty();
            case Namespace namespace -> Optional.empty();
        };
    }

    /** A negative amount would free resources of the node. */
    private static Optional<String> negativeNodeResource(Device device) {
        return device.nodeAllocatable().entrySet().stream()
                .filter(each -> amounts(each.getValue()).anyMatch(amount -> amount.signum() < 0))
                .findFirst()
                .map(each -> "device %s consumes a negative amount of %s".formatted(device.name(), each.getKey()));
    }

    private static Stream<Quantity> amounts(NodeAllocatable allocatable) {
        Stream<Quantity> overhead =
                Stream.of(allocatable.perPod(), allocatable.perContainer()).flatMap(Optional::stream);
        Stream<Quantity> mapping = allocatable.mapping().stream().map(each -> switch (each) {
            case NodeAllocatable.ResourceMapping.CapacityMapping(String _, Quantity multiplier) -> multiplier;
            case NodeAllocatable.ResourceMapping.DeviceMapping(Quantity multiplier) -> multiplier;
        });
        return Stream.concat(overhead, mapping);
    }

    private static Optional<String> spec(ClaimSpec spec) {
        return tooMany("requests", spec.requests().size(), REQUESTS_MAX)
                .or(() -> tooMany("constraints", spec.constraints().size(), CONSTRAINTS_MAX))
                .or(() -> spec.requests().stream()
                        .flatMap(request -> request(request).stream())
                        .findFirst());
    }

    private static Optional<String> request(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> requestSpec(request.name(), exactly.spec());
            case DeviceRequest.FirstAvailable first ->
                tooMany("alternatives", first.alternatives().size(), ALTERNATIVES_MAX)
                        .or(() -> first.alternatives().stream()
                                .flatMap(each -> requestSpec(each.name(), each.spec()).stream())
                                .findFirst());
            case DeviceRequest.UnknownRequest unsupported -> Optional.empty();
        };
    }

    private static Optional<String> requestSpec(String name, RequestSpec spec) {
        return tooMany("selectors", spec.selectors().size(), SELECTORS_MAX)
                .or(() -> tooMany("derived attributes", spec.derivedAttributes().size(), DERIVED_ATTRIBUTES_MAX))
                .or(() -> violationIf(
                        spec.allocationMode().equals(AllocationMode.EXACT_COUNT) && spec.count() < 1,
                        "request %s: count %d is not positive".formatted(name, spec.count())));
    }

    private static Optional<String> tooMany(String what, int size, int most) {
        return violationIf(size > most, "%d %s, at most %d".formatted(size, what, most));
    }

    private static Optional<String> violationIf(boolean isBroken, String message) {
        return Stream.of(message).filter(each -> isBroken).findFirst();
    }
}
