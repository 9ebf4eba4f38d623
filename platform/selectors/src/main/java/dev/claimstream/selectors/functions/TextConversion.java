package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.STRING;
import static dev.claimstream.selectors.values.KubernetesTypes.ADDRESS;
import static dev.claimstream.selectors.values.KubernetesTypes.NETWORK;

import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import java.util.List;

/** {@code string(...)} for all types with a text form; numbers are formatted like Go does. */
final class TextConversion {
    private TextConversion() {}

    /** Adds the conversions of Kubernetes, which are declared here. */
    static void addTo(FunctionRegistry functions) {
        functions
                .global("string", "ip_to_string", STRING, List.of(ADDRESS), a -> a[0].toString())
                .global("string", "cidr_to_string", STRING, List.of(NETWORK), a -> a[0].toString());
    }

    /** Adds the standard conversions, which CEL itself declares. */
    static void addStandard(FunctionRegistry functions) {
        addStandard(functions, "string_to_string", SimpleType.STRING);
        addStandard(functions, "bool_to_string", SimpleType.BOOL);
        addStandard(functions, "int64_to_string", SimpleType.INT);
        addStandard(functions, "uint64_to_string", SimpleType.UINT);
        addStandard(functions, "double_to_string", SimpleType.DOUBLE);
        addStandard(functions, "bytes_to_string", SimpleType.BYTES);
        addStandard(functions, "timestamp_to_string", SimpleType.TIMESTAMP);
        addStandard(functions, "duration_to_string", SimpleType.DURATION);
    }

    private static void addStandard(FunctionRegistry functions, String id, CelType from) {
        functions.global("string", id, STRING, List.of(from), a -> ValueFormatter.text(a[0]));
    }
}
