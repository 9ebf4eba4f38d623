package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.Versioned;
import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.Reading;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads objects of the API server with the same reader as manifests. */
final class ApiObjects {
    private static final ReadOptions OPTIONS = ReadOptions.DEFAULT.with(ReadOptions.Strictness.SERVED);

    private ApiObjects() {}

    /** Result of reading an object. */
    sealed interface Read {
        record Taken(Versioned object) implements Read {}

        /**
         * The object cannot be read.
         *
         * @param held an allocated claim with its devices only, so that they stay allocated; absent for other objects
         */
        record NotTaken(String name, String why, Optional<Versioned> held) implements Read {}
    }

    /**
     * Reads an object. Modifies the JSON tree: removes managedFields, sets apiVersion and kind.
     *
     * @param apiVersion version of the request, because the items of a list do not contain it
     */
    static Read read(Kind kind, String apiVersion, JsonNode json) {
        if (!(json instanceof ObjectNode object)) {
            return new Read.NotTaken("?", "it is no object", Optional.empty());
        }
        long version = version(object);
        if (object.path("metadata") instanceof ObjectNode metadata) {
            metadata.remove("managedFields");
        }
        object.put("apiVersion", apiVersion);
        object.put("kind", kind.apiName());
        Reading reading = Manifests.read(kind.apiName(), new ByteArrayInputStream(bytes(object)), OPTIONS);
        if (reading.manifests().size() == 1 && version > 0) {
            return new Read.Taken(new Versioned(reading.manifests().getFirst().object(), version));
        }
        return new Read.NotTaken(
                name(object),
                reading.findings().stream()
                        .filter(Finding::isError)
                        .findFirst()
                        .map(Finding::toString)
                        .orElse("it has no resourceVersion"),
                kind == Kind.RESOURCE_CLAIM && version > 0 ? held(object, version) : Optional.empty());
    }

    private static byte[] bytes(JsonNode json) {
        try {
            return ApiServer.JSON.writeValueAsBytes(json);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("JSON that was read cannot be written", e);
        }
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
    private static Optional<Versioned> held(JsonNode claim, long version) {
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
        List<Consumer> consumers = new ArrayList<>();
        for (JsonNode each : status.path("reservedFor")) {
            consumers.add(new Consumer(
                    each.path("apiGroup").asText(),
                    each.path("resource").asText(),
                    each.path("name").asText(),
                    each.path("uid").asText()));
        }
        JsonNode meta = claim.path("metadata");
        return Optional.of(new Versioned(
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
