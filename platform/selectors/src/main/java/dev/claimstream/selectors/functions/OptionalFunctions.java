package dev.claimstream.selectors.functions;

import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.TypeParamType;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What CEL's optionals of version 2 have in Go and not in Java. */
final class OptionalFunctions {
    private OptionalFunctions() {}

    static void addTo(Functions functions) {
        TypeParamType element = TypeParamType.create("T");
        functions.member(
                "unwrapOpt",
                "optional_unwrapOpt",
                ListType.create(element),
                List.of(ListType.create(OptionalType.create(element))),
                a -> unwrap((List<?>) a[0]));
    }

    private static List<Object> unwrap(List<?> list) {
        return list.stream().flatMap(OptionalFunctions::present).toList();
    }

    private static Stream<Object> present(Object value) {
        if (!(value instanceof Optional<?> optional)) {
            throw new IllegalArgumentException("value %s is not optional".formatted(value));
        }
        return optional.stream().map(inner -> (Object) inner);
    }
}
