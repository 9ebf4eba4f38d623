package dev.claimstream.kubernetes.status;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.write.ManifestWriter;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Compares the status that was decided for a claim with the status that the server stored.
 *
 * <p>Every decided field must be stored with its value. Quantities and timestamps are compared by value. Opaque driver configuration is
 * compared by the presence of its fields. Additional stored fields are a difference only in the device results, because these fields define
 * how a device is allocated.
 */
public final class StatusComparison {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> RESULT_FIELDS = List.of(
            "shareID",
            "consumedCapacity",
            "adminAccess",
            "tolerations",
            "bindingConditions",
            "bindingFailureConditions",
            "skipNodeOperations");
    private static final int TEXT_MAX = 80;

    private final List<Difference> differences = new ArrayList<>();

    private StatusComparison() {}

    /**
     * Compares the status in a patch with the status in the response.
     *
     * <p>An allocation that the patch does not contain is not compared. An allocation that the patch sets to null must be absent.
     * Additional stored consumers are no difference.
     */
    public static List<Difference> of(JsonNode decided, JsonNode stored) {
        var comparison = new StatusComparison();
        if (decided.path("allocation").isNull()) {
            comparison.requireAbsent("allocation", stored.path("allocation"));
        } else if (decided.has("allocation")) {
            comparison.compareAllocation(decided.path("allocation"), stored.path("allocation"));
        }
        decided.path("reservedFor")
                .forEach(consumer -> comparison.compareConsumer(consumer, stored.path("reservedFor")));
        return comparison.differences;
    }

    /** Compares two allocations. */
    public static List<Difference> of(Allocation decided, Allocation stored) {
        var comparison = new StatusComparison();
        comparison.compareAllocation(json(decided), json(stored));
        return comparison.differences;
    }

    private static JsonNode json(Allocation allocation) {
        var spec = new ClaimSpec(List.of(), List.of(), List.of());
        var claim = new ResourceClaim(ObjectMeta.of("any", "any", ""), spec, Optional.of(allocation), List.of());
        try {
            return JSON.readTree(ManifestWriter.tree(claim).json())
                    .path("status")
                    .path("allocation");
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("what we write is no JSON", e);
        }
    }

    private void compareAllocation(JsonNode decided, JsonNode stored) {
        compare("allocation", decided, stored);
        JsonNode storedResults = stored.path("devices").path("results");
        for (int i = 0; i < Math.min(decided.path("devices").path("results").size(), storedResults.size()); i++) {
            JsonNode decidedResult = decided.path("devices").path("results").path(i);
            for (String field : RESULT_FIELDS) {
                if (isAbsent(decidedResult.path(field))) {
                    requireAbsent(
                            "allocation.devices.results[%d].%s".formatted(i, field),
                            storedResults.path(i).path(field));
                }
            }
        }
    }

    private void compareConsumer(JsonNode decided, JsonNode consumers) {
        JsonNode stored = consumers
                .valueStream()
                .filter(each -> each.path("uid").equals(decided.path("uid")))
                .findFirst()
                .orElse(MissingNode.getInstance());
        compare("reservedFor[uid=%s]".formatted(decided.path("uid").asText()), decided, stored);
    }

    /** How a value is compared. */
    private enum ComparisonMode {
        /** The values are equal. */
        WHOLE,
        /** By presence: the server may change the format of the value and add fields. */
        PRESENCE
    }

    private void compare(String path, JsonNode decided, JsonNode stored) {
        compare(path, decided, stored, ComparisonMode.WHOLE);
    }

    private void compare(String path, JsonNode decided, JsonNode stored, ComparisonMode above) {
        ComparisonMode rule = path.endsWith(".config") ? ComparisonMode.PRESENCE : above;
        if (isAbsent(decided) || isAbsent(stored)) {
            if (!isAbsent(decided)) {
                addDifference(path, decided, stored);
            }
        } else if (rule == ComparisonMode.WHOLE && path.endsWith(".consumedCapacity")) {
            compareCapacity(path, decided, stored);
        } else if (decided.isArray()) {
            for (int i = 0; i < decided.size(); i++) {
                compare("%s[%d]".formatted(path, i), decided.path(i), stored.path(i), rule);
            }
            for (int i = decided.size(); rule == ComparisonMode.WHOLE && i < stored.size(); i++) {
                addDifference("%s[%d]".formatted(path, i), MissingNode.getInstance(), stored.path(i));
            }
        } else if (decided.isObject()) {
            decided.properties()
                    .forEach(field ->
                            compare(path + "." + field.getKey(), field.getValue(), stored.path(field.getKey()), rule));
        } else if (rule == ComparisonMode.WHOLE && !isSame(path, decided, stored)) {
            addDifference(path, decided, stored);
        }
    }

    private void compareCapacity(String path, JsonNode decided, JsonNode stored) {
        Set<String> names = new LinkedHashSet<>();
        decided.fieldNames().forEachRemaining(names::add);
        stored.fieldNames().forEachRemaining(names::add);
        for (String name : names) {
            if (!isSameCapacity(decided.path(name), stored.path(name))) {
                addDifference(path + "." + name, decided.path(name), stored.path(name));
            }
        }
    }

    private static boolean isSameCapacity(JsonNode decided, JsonNode stored) {
        try {
            return !isAbsent(decided)
                    && !isAbsent(stored)
                    && Quantity.parse(decided.asText()).equals(Quantity.parse(stored.asText()));
        } catch (IllegalArgumentException _) {
            return decided.equals(stored);
        }
    }

    private static boolean isSame(String path, JsonNode decided, JsonNode stored) {
        if (!path.endsWith(".allocationTimestamp")) {
            return decided.equals(stored);
        }
        try {
            return Instant.parse(decided.asText()).equals(Instant.parse(stored.asText()));
        } catch (DateTimeException _) {
            return decided.equals(stored);
        }
    }

    private void requireAbsent(String path, JsonNode stored) {
        if (!isAbsent(stored)) {
            addDifference(path, MissingNode.getInstance(), stored);
        }
    }

    private void addDifference(String path, JsonNode decided, JsonNode stored) {
        differences.add(new Difference(path, text(decided), text(stored)));
    }

    private static Optional<String> text(JsonNode node) {
        if (isAbsent(node)) {
            return Optional.empty();
        }
        String text = node.isValueNode() ? node.asText() : node.toString();
        return Optional.of(text.length() > TEXT_MAX ? text.substring(0, TEXT_MAX) + "…" : text);
    }

    /** Returns whether the API server would omit this value: null, empty or false. */
    private static boolean isAbsent(JsonNode node) {
        return node.isMissingNode()
                || node.isNull()
                || (node.isContainerNode() && node.isEmpty())
                || (node.isTextual() && node.textValue().isEmpty())
                || (node.isBoolean() && !node.booleanValue());
    }
}
