package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.doctor.DryRunResult;
import java.net.HttpURLConnection;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Finds out by dry runs which feature gates are on. A server silently drops the fields of a disabled gate. */
final class FeatureGateDryRuns {
    private static final String DRY_RUN = "?dryRun=All&fieldManager=claimstream-doctor";

    private static final int UNPROCESSABLE = 422;

    /** How the API servers of 1.36 and of 1.37 say that an attribute has no value. */
    private static final List<String> NO_VALUE = List.of("exactly one value must be specified", "must specify one of");

    private final ApiHttpClient server;
    private final ServedApis served;

    FeatureGateDryRuns(ApiHttpClient server, ServedApis served) {
        this.server = server;
        this.served = served;
    }

    Map<Feature, DryRunResult> runAll() {
        Map<Feature, DryRunResult> trials = new EnumMap<>(Feature.class);
        trials.put(
                Feature.PARTITIONABLE_DEVICES,
                slice(
                        "{\"sharedCounters\":[{\"name\":\"memory\",\"counters\":{\"memory\":{\"value\":\"1\"}}}]}",
                        "/spec/sharedCounters"));
        trials.put(
                Feature.CONSUMABLE_CAPACITY, device("\"allowMultipleAllocations\":true", "allowMultipleAllocations"));
        trials.put(
                Feature.DEVICE_TAINTS,
                device("\"taints\":[{\"key\":\"claimstream.dev/doctor\",\"effect\":\"NoSchedule\"}]", "taints"));
        trials.put(
                Feature.DEVICE_BINDING_CONDITIONS,
                device(
                        "\"bindingConditions\":[\"claimstream.dev/there\"],\"bindingFailureConditions\":[\"claimstream.dev/broken\"]",
                        "bindingConditions"));
        trials.put(Feature.LIST_TYPE_ATTRIBUTES, listTypeAttribute());
        trials.put(Feature.NODE_ALLOCATABLE_RESOURCES, nodeAllocatableResources());
        trials.put(Feature.EXTENDED_RESOURCE, extendedResource());
        trials.put(Feature.DEVICE_TAINT_RULES, served(Kind.DEVICE_TAINT_RULE));
        trials.put(Feature.WORKLOAD_RESOURCE_CLAIMS, served(Kind.POD_GROUP));
        return trials;
    }

    private DryRunResult device(String field, String name) {
        return slice("{\"devices\":[{\"name\":\"none\",%s}]}".formatted(field), "/spec/devices/0/" + name);
    }

    /** The field has another name and form since 1.37. A server drops the form that it does not know, so both are in one object. */
    private DryRunResult nodeAllocatableResources() {
        String since137 = "nodeAllocatableResources";
        String until136 = "nodeAllocatableResourceMappings";
        return slice(
                "{\"devices\":[{\"name\":\"none\",\"%s\":{\"cpu\":{\"mapping\":{\"deviceMultiplier\":\"1\"}}},\"%s\":{\"cpu\":{\"allocationMultiplier\":\"1\"}}}]}"
                        .formatted(since137, until136),
                "/spec/devices/0/" + since137,
                "/spec/devices/0/" + until136);
    }

    /** Without its only value an attribute is invalid, so a 422 with one of these messages means that the gate is off. */
    private DryRunResult listTypeAttribute() {
        DryRunResult trial = device("\"attributes\":{\"names\":{\"strings\":[\"one\"]}}", "attributes/names/strings");
        return trial instanceof DryRunResult.Response(int code, String message, var _)
                        && code == UNPROCESSABLE
                        && NO_VALUE.stream().anyMatch(message::contains)
                ? new DryRunResult.Response(HttpURLConnection.HTTP_OK, "", List.of())
                : trial;
    }

    /** @param pointers JSON pointers to the fields (RFC 6901), of which a server knows one */
    private DryRunResult slice(String more, String... pointers) {
        JsonNode spec = ApiHttpClient.json(more.getBytes(StandardCharsets.UTF_8));
        var body = ApiHttpClient.JSON
                .createObjectNode()
                .put("apiVersion", "resource.k8s.io/v1")
                .put("kind", "ResourceSlice");
        body.putObject("metadata").put("generateName", "claimstream-doctor-");
        var all = body.putObject("spec")
                .put("driver", PolicyDryRuns.DOCTOR_DOMAIN)
                .put("allNodes", true);
        all.putObject("pool").put("name", "none").put("generation", 1).put("resourceSliceCount", 1);
        spec.properties().forEach(each -> all.set(each.getKey(), each.getValue()));
        return toResult(
                server.post(Paths.api(Kind.RESOURCE_SLICE) + "/resourceslices" + DRY_RUN, body.toString()), pointers);
    }

    private DryRunResult extendedResource() {
        return toResult(
                server.post(Paths.api(Kind.DEVICE_CLASS) + "/deviceclasses" + DRY_RUN, """
                        {"apiVersion":"resource.k8s.io/v1","kind":"DeviceClass","metadata":{"generateName":"claimstream-doctor-"},
                         "spec":{"extendedResourceName":"claimstream.dev/doctor"}}"""),
                "/spec/extendedResourceName");
    }

    private static DryRunResult toResult(Reply reply, String... pointers) {
        List<String> kept = reply.isSuccess()
                ? Arrays.stream(pointers)
                        .filter(each -> !reply.body().at(each).isMissingNode())
                        .toList()
                : List.of();
        return new DryRunResult.Response(reply.code(), reply.isSuccess() ? "" : reply.message(), kept);
    }

    private DryRunResult served(Kind kind) {
        return new DryRunResult.Response(
                HttpURLConnection.HTTP_OK, "", served.api(kind).stream().toList());
    }
}
