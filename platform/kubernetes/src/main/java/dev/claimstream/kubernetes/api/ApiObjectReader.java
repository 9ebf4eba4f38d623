package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads objects of the API server with the same reader as manifests. */
final class ApiObjectReader {
    private static final ReadOptions OPTIONS = ReadOptions.DEFAULT.with(ReadOptions.Strictness.SERVED);

    /** Prefixes of the annotations that Claimstream and the Kubernetes controllers of claims use. */
    private static final List<String> KEPT_ANNOTATIONS = List.of("claimstream.dev/", "resource.kubernetes.io/");

    private ApiObjectReader() {}

    sealed interface ObjectReadResult {
        record Success(VersionedObject object) implements ObjectReadResult {}

        /**
         * The object cannot be read.
         *
         * @param allocatedClaim an allocated claim with its devices only, so that they stay allocated; absent for other objects
         */
        record Failure(String name, String message, Optional<VersionedObject> allocatedClaim)
                implements ObjectReadResult {}
    }

    /**
     * Reads an object. Modifies the JSON tree: removes managedFields and annotations of others, sets apiVersion and kind.
     *
     * @param apiVersion version of the request, because the items of a list do not contain it
     */
    static ObjectReadResult read(Kind kind, String apiVersion, JsonNode json) {
        if (!(json instanceof ObjectNode object)) {
            return new ObjectReadResult.Failure("?", "it is not an object", Optional.empty());
        }
        long version = version(object);
        if (object.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
            removeAnnotations(metadata);
        }
        if (kind == Kind.RESOURCE_CLAIM_TEMPLATE
                && object.path("spec").path("metadata") instanceof ObjectNode metadata) {
            removeAnnotations(metadata);
        }
        object.put("apiVersion", apiVersion);
        object.put("kind", kind.apiName());
        ManifestReadResult reading;
        try {
            reading = Manifests.read(kind.apiName(), JsonDocument.of(object, OPTIONS.limits()), OPTIONS);
        } catch (JsonDocument.ObjectLimitException e) {
            return failure(kind, object, version, e.limit());
        }
        if (reading.manifests().size() == 1 && version > 0) {
            return new ObjectReadResult.Success(
                    new VersionedObject(reading.manifests().getFirst().object(), version));
        }
        String message = reading.findings().stream()
                .filter(ManifestFinding::isError)
                .findFirst()
                .map(ManifestFinding::toString)
                .orElse("it has no resourceVersion");
        return failure(kind, object, version, message);
    }

    /** Keeps the annotations that Claimstream reads. Others can contain whole manifests, and topics would keep them. */
    private static void removeAnnotations(ObjectNode metadata) {
        if (metadata.path("annotations") instanceof ObjectNode annotations) {
            annotations.retain(annotations
                    .propertyStream()
                    .map(Map.Entry::getKey)
                    .filter(key -> KEPT_ANNOTATIONS.stream().anyMatch(key::startsWith))
                    .toList());
        }
    }

    private static ObjectReadResult.Failure failure(Kind kind, JsonNode object, long version, String message) {
        return new ObjectReadResult.Failure(
                name(object),
                message,
                kind == Kind.RESOURCE_CLAIM && version > 0 ? allocatedClaim(object, version) : Optional.empty());
    }

    static String name(JsonNode object) {
        JsonNode meta = object.path("metadata");
        String namespace = meta.path("namespace").asText();
        return (namespace.isEmpty() ? "" : namespace + "/") + meta.path("name").asText();
    }

    /** Returns {@code metadata.resourceVersion}, which grows within a kind since Kubernetes 1.35; 0 if it is not a number. */
    static long version(JsonNode object) {
        String text = object.path("metadata").path("resourceVersion").asText();
        return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
    }

    /** Returns a claim with the ids of its devices and its consumers, so that its devices stay allocated. */
    private static Optional<VersionedObject> allocatedClaim(JsonNode claim, long version) {
        JsonNode status = claim.path("status");
        List<DeviceResult> results = new ArrayList<>();
        for (JsonNode each : status.path("allocation").path("devices").path("results")) {
            results.add(DeviceResult.of(
                    each.path("request").asText(),
                    new DeviceId(
                            each.path("driver").asText(),
                            each.path("pool").asText(),
                            each.path("device").asText())));
        }
        if (results.isEmpty()) {
            return Optional.empty();
        }
        List<ClaimConsumer> consumers = new ArrayList<>();
        for (JsonNode each : status.path("reservedFor")) {
            consumers.add(new ClaimConsumer(
                    each.path("apiGroup").asText(),
                    each.path("resource").asText(),
                    each.path("name").asText(),
                    each.path("uid").asText()));
        }
        JsonNode meta = claim.path("metadata");
        return Optional.of(new VersionedObject(
                new ResourceClaim(
                        ObjectMeta.of(
                                meta.path("namespace").asText(),
                                meta.path("name").asText(),
                                meta.path("uid").asText()),
                        new ClaimSpec(List.of(), List.of(), List.of()),
                        Optional.of(new Allocation(results, List.of(), Optional.empty(), Optional.empty())),
                        consumers),
                version));
    }
}
