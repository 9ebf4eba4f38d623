package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;

/** What of a JSON value is not in another one: a server leaves out fields, without a word, whose feature gate is off. */
final class Missing {
    private final List<String> paths = new ArrayList<>();

    private Missing() {}

    /** The paths of the fields that were wanted and are not there. Values are not compared: a server may write them in another way. */
    static List<String> of(String path, JsonNode wanted, JsonNode there) {
        Missing missing = new Missing();
        missing.look(path, wanted, there);
        return missing.paths;
    }

    private void look(String path, JsonNode wanted, JsonNode there) {
        if (there.isMissingNode() || there.isNull()) {
            if (!isEmpty(wanted)) {
                paths.add(path);
            }
        } else if (wanted.isArray()) {
            for (int i = 0; i < wanted.size(); i++) {
                look("%s[%d]".formatted(path, i), wanted.get(i), there.path(i));
            }
        } else if (wanted.isObject()) {
            wanted.properties()
                    .forEach(field -> look(path + "." + field.getKey(), field.getValue(), there.path(field.getKey())));
        }
    }

    private static boolean isEmpty(JsonNode node) {
        return node.isNull() || (node.isContainerNode() && node.isEmpty());
    }
}
