package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;

/**
 * A label selector of Kubernetes. An empty selector selects everything.
 *
 * @param selector as JSON
 */
record NamespaceSelector(JsonNode selector) {
    static NamespaceSelector of(JsonNode selector) {
        return new NamespaceSelector(selector);
    }

    /** Returns whether the selector matches these labels. */
    boolean includes(JsonNode labels) {
        boolean hasLabels = selector.path("matchLabels").properties().stream()
                .allMatch(each -> labels.path(each.getKey())
                                .asText("")
                                .equals(each.getValue().asText())
                        && labels.has(each.getKey()));
        return hasLabels && selector.path("matchExpressions").valueStream().allMatch(each -> isMet(each, labels));
    }

    private static boolean isMet(JsonNode requirement, JsonNode labels) {
        String key = requirement.path("key").asText();
        List<String> values =
                requirement.path("values").valueStream().map(JsonNode::asText).toList();
        boolean isIn = labels.has(key) && values.contains(labels.path(key).asText());
        return switch (requirement.path("operator").asText()) {
            case "In" -> isIn;
            case "NotIn" -> !isIn;
            case "Exists" -> labels.has(key);
            case "DoesNotExist" -> !labels.has(key);
            default -> false;
        };
    }
}
