package dev.claimstream.selectors;

import com.google.common.collect.ImmutableMap;
import dev.claimstream.selectors.functions.ValueTypes;
import dev.claimstream.selectors.values.KubernetesValue;
import java.util.Map;

/** The error of a selector whose result is not a bool, in upstream's words. */
final class NonBoolResult {
    private static final Map<String, String> REASONS = ImmutableMap.<String, String>builder()
            .put("string", "unsupported native conversion from string to 'bool'")
            .put("int", "unsupported type conversion from 'int' to bool")
            .put("uint", "unsupported type conversion from 'uint' to bool")
            .put("type", "type conversion not supported for 'type'")
            .put("list", "type conversion error from list to 'bool'")
            .put("map", "type conversion error from map to 'bool'")
            .put("double", "type conversion error from Double to 'bool'")
            .put("bytes", "type conversion error from Bytes to 'bool'")
            .put("null_type", "type conversion error from 'null_type' to 'bool'")
            .buildOrThrow();

    private NonBoolResult() {}

    static String message(Object result) {
        String type = ValueTypes.typeName(result);
        String simple =
                result instanceof KubernetesValue known ? known.goName() : type.substring(type.lastIndexOf('.') + 1);
        String reason = REASONS.getOrDefault(type, "type conversion error from '%s' to 'bool'".formatted(simple));
        return "CEL result of type %s could not be converted to bool: %s".formatted(type, reason);
    }
}
