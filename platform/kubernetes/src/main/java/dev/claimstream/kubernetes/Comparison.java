package dev.claimstream.kubernetes;

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
public final class Comparison {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<String> OF_A_RESULT = List.of(
            "shareID",
            "consumedCapacity",
            "adminAccess",
            "tolerations",
            "bindingConditions",
            "bindingFailureConditions",
            "skipNodeOperations");
    private static final int TEXT_MAX = 80;

    private final List<Difference> differences = new ArrayList<>();

    private Comparison() {}

    /**
     * Compares the status in a patch with the status in the response.
     *
     * <p>An allocation that the patch does not contain is not compared. An allocation that the patch sets to null must be absent.
     * Additional stored consumers are no difference.
     */
    public static List<Difference> of(JsonNode decided, JsonNode stored) {
        var comparison = new Comparison();
        if (decided.path("allocation").isNull()) {
            comparison.nothing("allocation", stored.path("allocation"));
        } else if (decided.has("allocation")) {
            comparison.allocation(decided.path("allocation"), stored.path("allocation"));
        }
        decided.path("reservedFor").forEach(consumer -> comparison.consumer(consumer, stored.path("reservedFor")));
        return comparison.differences;
    }

    /** Compares two allocations. */
    public static List<Difference> of(Allocation decided, Allocation stored) {
        var comparison = new Comparison();
        comparison.allocation(json(decided), json(stored));
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

    private void allocation(JsonNode decided, JsonNode stored) {
        look("allocation", decided, stored);
        JsonNode theirs = stored.path("devices").path("results");
        for (int i = 0; i < Math.min(decided.path("devices").path("results").size(), theirs.size()); i++) {
            JsonNode ours = decided.path("devices").path("results").path(i);
            for (String field : OF_A_RESULT) {
                if (isAbsent(ours.path(field))) {
                    nothing(
                            "allocation.devices.results[%d].%s".formatted(i, field),
                            theirs.path(i).path(field));
                }
            }
        }
    }

    private void consumer(JsonNode decided, JsonNode consumers) {
        JsonNode stored = consumers
                .valueStream()
                .filter(each -> each.path("uid").equals(decided.path("uid")))
                .findFirst()
                .orElse(MissingNode.getInstance());
        look("reservedFor[uid=%s]".formatted(decided.path("uid").asText()), decided, stored);
    }

    /** How a value is compared. */
    private enum Rule {
        /** By value. */
        WHOLE,
        /** By presence: the server may change the format of the value and add fields. */
        PRESENCE
    }

    private void look(String path, JsonNode decided, JsonNode stored) {
        look(path, decided, stored, Rule.WHOLE);
    }

    private void look(String path, JsonNode decided, JsonNode stored, Rule above) {
        Rule rule = path.endsWith(".config") ? Rule.PRESENCE : above;
        if (isAbsent(decided) || isAbsent(stored)) {
            if (!isAbsent(decided)) {
                add(path, decided, stored);
            }
        } else if (rule == Rule.WHOLE && path.endsWith(".consumedCapacity")) {
            amounts(path, decided, stored);
        } else if (decided.isArray()) {
            for (int i = 0; i < decided.size(); i++) {
                look("%s[%d]".formatted(path, i), decided.path(i), stored.path(i), rule);
            }
            for (int i = decided.size(); rule == Rule.WHOLE && i < stored.size(); i++) {
                add("%s[%d]".formatted(path, i), MissingNode.getInstance(), stored.path(i));
            }
        } else if (decided.isObject()) {
            decided.properties()
                    .forEach(field ->
                            look(path + "." + field.getKey(), field.getValue(), stored.path(field.getKey()), rule));
        } else if (rule == Rule.WHOLE && !isSame(path, decided, stored)) {
            add(path, decided, stored);
        }
    }

    private void amounts(String path, JsonNode decided, JsonNode stored) {
        Set<String> names = new LinkedHashSet<>();
        decided.fieldNames().forEachRemaining(names::add);
        stored.fieldNames().forEachRemaining(names::add);
        for (String name : names) {
            if (!isSameAmount(decided.path(name), stored.path(name))) {
                add(path + "." + name, decided.path(name), stored.path(name));
            }
        }
    }

    private static boolean isSameAmount(JsonNode decided, JsonNode stored) {
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

    private void nothing(String path, JsonNode stored) {
        if (!isAbsent(stored)) {
            add(path, MissingNode.getInstance(), stored);
        }
    }

    private void add(String path, JsonNode decided, JsonNode stored) {
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
