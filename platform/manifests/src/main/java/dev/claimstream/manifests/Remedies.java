package dev.claimstream.manifests;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The advice in findings: the replacement for outdated or mistaken fields and kinds. */
final class Remedies {
    private static final Set<String> REQUEST_FIELDS = Set.of(
            "deviceClassName",
            "selectors",
            "allocationMode",
            "count",
            "adminAccess",
            "tolerations",
            "capacity",
            "derivedAttributes");
    private static final Set<String> DEVICE_FIELDS =
            Set.of("attributes", "capacity", "consumesCounters", "taints", "nodeName", "nodeSelector", "allNodes");

    /** The fields of {@code devices} and of the items of its lists. */
    private static final Set<String> CLAIM_FIELDS =
            Set.of("requests", "constraints", "config", "matchAttribute", "distinctAttribute", "opaque");

    private static final String CONSTRAINT = "one of matchAttribute: domain/name and distinctAttribute: domain/name";

    /** The advice for objects whose pods count. */
    static final String PODS_OF_WORKLOAD = "pass the pods that it creates: kubectl get pods,resourceclaims -A -o yaml";

    private Remedies() {}

    /** Returns the advice for a field that the API does not have at this path. */
    static String forUnknown(FieldPath parent, String name, ApiVersion version, Collection<String> known) {
        return movedField(generic(parent), name, version)
                .orElseGet(() -> ClosestName.ofField(name, known)
                        .map(other -> "did you mean " + other + "?")
                        .or(() -> misspeltRequestField(generic(parent), name))
                        .orElse("leave it out"));
    }

    /** Returns the advice for a misspelt field of a request that is outside the requests. */
    private static Optional<String> misspeltRequestField(String parent, String name) {
        return Optional.of(parent)
                .filter(path -> path.equals("spec.devices") || path.equals("spec.spec.devices"))
                .flatMap(_ -> ClosestName.of(name, REQUEST_FIELDS))
                .map("did you mean %s? Put it into a request of a claim, under exactly:"::formatted);
    }

    /** Returns the path without list indices and map keys. */
    private static String generic(FieldPath path) {
        return path.text().replaceAll("\\[[^]]*]", "");
    }

    private static Optional<String> movedField(String parent, String name, ApiVersion version) {
        if (parent.endsWith("devices.requests")) {
            return inRequest(name, version);
        }
        if (parent.endsWith("devices.requests.exactly") || parent.endsWith("devices.requests.firstAvailable")) {
            return inSpec(name);
        }
        boolean isOfClaim = parent.equals("spec") || parent.equals("spec.spec") || parent.endsWith("spec.devices");
        if (isOfClaim && REQUEST_FIELDS.contains(name) && !name.equals("allocationMode")) {
            return Optional.of("put it into a request of a claim, under exactly:");
        }
        if (isOfClaim && CLAIM_FIELDS.contains(name)) {
            return inDevices(parent, name);
        }
        if (parent.endsWith("devices.constraints")) {
            return inSpec(name); // anyOf between requests
        }
        if (parent.endsWith("spec.devices") && DEVICE_FIELDS.contains(name) && version.isFlat()) {
            return Optional.of("put it under basic:, or write apiVersion " + ApiVersion.RESOURCE_V1.text());
        }
        return Optional.ofNullable(
                switch (parent + "." + name) {
                    case ".devices" -> "put it under spec: (in a template under spec.spec:)";
                    case "spec.devices.basic" -> "basic is the v1beta1 form: move its fields up to the device itself";
                    case "spec.suitableNodes" ->
                        "it was removed in 1.32: nodes come from the ResourceSlice (nodeName, nodeSelector), the pod's"
                                + " node affinity, or a selector on a device attribute";
                    case ".parametersRef", ".structuredParameters" ->
                        "a ResourceClass had it: write spec.config[].opaque.parameters of the DeviceClass";
                    case ".suitableNodes" ->
                        "a ResourceClass had it: nodes come from the ResourceSlice (nodeName, nodeSelector), the pod's"
                                + " node affinity, or a selector on a device attribute";
                    case "spec.resourceClaims.source" ->
                        "it was removed in 1.31: write resourceClaimName or resourceClaimTemplateName directly";
                    case "spec.resourceClassName", "spec.spec.resourceClassName" ->
                        "it is the v1alpha2 form: write devices.requests[].exactly.deviceClassName";
                    case "spec.parametersRef", "spec.spec.parametersRef", "spec.parameters", "spec.spec.parameters" ->
                        "it is the v1alpha2 form: write devices.config[].opaque.parameters";
                    case "spec.allocationMode", "spec.spec.allocationMode" ->
                        "it is the v1alpha2 form: allocation always waits for the first consumer";
                    case "spec.devices.attributes.quantity" ->
                        "quantities are capacities: write capacity: {name: {value: 40Gi}} beside attributes";
                    case "spec.devices.attributes.value" -> "name the type: one of int, bool, string, version";
                    default -> null;
                });
    }

    /** Returns the place of a field that belongs to the devices of a claim. */
    private static Optional<String> inDevices(String parent, String name) {
        boolean isTooLow = parent.endsWith("spec.devices");
        return Optional.ofNullable(
                switch (name) {
                    case "matchAttribute", "distinctAttribute" ->
                        "put it into a constraint: devices.constraints[]: {requests: [a, b], %s: domain/name}"
                                .formatted(name);
                    case "opaque" -> "put it into a configuration: devices.config[]: {requests: [a], opaque: ...}";
                    default ->
                        isTooLow ? null : "put it under devices: (in spec of a claim, in spec.spec of a template)";
                });
    }

    private static Optional<String> inRequest(String name, ApiVersion version) {
        if (REQUEST_FIELDS.contains(name)) {
            return Optional.of("put it under exactly: (flat requests are the v1beta1 form)");
        }
        if (name.equals("exactly") && version.isFlat()) {
            return Optional.of("v1beta1 has no exactly: write apiVersion " + ApiVersion.RESOURCE_V1.text());
        }
        return inSpec(name)
                .or(() -> ClosestName.ofField(name, REQUEST_FIELDS).map(other -> "did you mean " + other + "?"));
    }

    private static Optional<String> inSpec(String name) {
        return Optional.ofNullable(
                switch (name) {
                    case "constraints" ->
                        "constraints stand beside requests: devices.constraints[]: {requests: [a, b], matchAttribute:"
                                + " domain/name}";
                    case "config" -> "config stands beside requests: devices.config[]: {requests: [a], opaque: ...}";
                    case "anyOf", "oneOf", "allOf" ->
                        "write firstAvailable: [{name, deviceClassName, selectors, count}], at most 8, in order of"
                                + " preference";
                    default -> null;
                });
    }

    /** Returns the advice for a missing required field. */
    static String forMissing(FieldPath path, String detail) {
        if (generic(path).endsWith("devices.constraints")) {
            return "write " + CONSTRAINT;
        }
        return detail.startsWith("exactly one of") ? "write one of them" : "write it";
    }

    /** Returns the advice for a scalar in the place of a mapping. */
    static String forShape(FieldPath path, String value) {
        String generic = generic(path);
        if (generic.endsWith("devices.attributes") || generic.endsWith("devices.basic.attributes")) {
            return "name the type, for example {string: %s}".formatted(value.isEmpty() ? "..." : value);
        }
        if (generic.endsWith("capacity") || generic.endsWith("counters")) {
            return "write {value: %s}".formatted(value.isEmpty() ? "..." : value);
        }
        return "write its fields below it, indented";
    }

    /** Returns the advice for an unserved kind, including kinds that resource.k8s.io had in earlier versions. */
    static String forKind(String apiVersion, String kind) {
        if (apiVersion.startsWith(ApiVersion.RESOURCE_GROUP)) {
            return forResourceKind(kind);
        }
        return switch (kind) {
            case "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "ReplicationController" ->
                PODS_OF_WORKLOAD;
            case "PriorityClass" -> "write its value into the pods: spec.priority, as an API server does";
            case "PodGroup" -> "it belongs to another scheduler; a native gang is spec.schedulingPolicy.gang.minCount";
            default ->
                kind.endsWith("Parameters")
                        ? "parameters go into spec.config[].opaque.parameters of the DeviceClass or devices.config[]"
                                + " of the claim"
                        : "leave it out, it does not influence allocation";
        };
    }

    private static String forResourceKind(String kind) {
        List<String> served = KindRegistry.resourceKinds();
        return switch (kind) {
            case "ResourceClass" ->
                "it was removed in 1.31: write a DeviceClass of resource.k8s.io/v1 with"
                        + " spec.selectors[].cel.expression and spec.config[].opaque";
            case "ResourceClaimParameters", "ResourceClassParameters" ->
                "it was removed in 1.31: write spec.config[].opaque.parameters of a DeviceClass, or devices.config[]"
                        + " of a claim";
            case "NodeResourceSlice" -> "it was removed in 1.31: write a ResourceSlice of resource.k8s.io/v1";
            case "PodSchedulingContext" -> "it was removed in 1.32: leave it out";
            default ->
                served.contains(kind)
                        ? "write apiVersion " + ApiVersion.RESOURCE_V1.text()
                        : ClosestName.of(kind, served)
                                .map(other -> "did you mean " + other + "?")
                                .orElse("the kinds are " + String.join(", ", served));
        };
    }
}
