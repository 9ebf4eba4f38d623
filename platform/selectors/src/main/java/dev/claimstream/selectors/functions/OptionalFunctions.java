package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.BOOL;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.TypeParamType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.NullValue;
import dev.claimstream.selectors.functions.FunctionRegistry.FunctionBody;
import dev.claimstream.selectors.values.EmptyMessage;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Functions on optionals: those of CEL's library, and those that exist only in Go. */
final class OptionalFunctions {
    /** The zero time of Go. */
    private static final Instant NO_TIME = Instant.parse("0001-01-01T00:00:00Z");

    private OptionalFunctions() {}

    static void addTo(FunctionRegistry functions) {
        TypeParamType element = TypeParamType.create("T");
        functions.member(
                "unwrapOpt",
                "optional_unwrapOpt",
                ListType.create(element),
                List.of(ListType.create(OptionalType.create(element))),
                a -> unwrap((List<?>) a[0]));
    }

    /** Returns the implementations of functions that CEL for Java declares. */
    static Map<String, FunctionBody> bodies() {
        CelType any = SimpleType.DYN;
        CelType optional = OptionalType.create(any);
        CelType list = ListType.create(any);
        return new FunctionRegistry(FunctionRegistry.MismatchWording.FULL)
                .global("optional.none", "optional_none", optional, List.of(), _ -> Optional.empty())
                .global("optional.of", "optional_of", optional, List.of(any), a -> Optional.of(a[0]))
                .global(
                        "optional.ofNonZeroValue",
                        "optional_ofNonZeroValue",
                        optional,
                        List.of(any),
                        a -> isZero(a[0]) ? Optional.empty() : Optional.of(a[0]))
                .global("optional.unwrap", "optional_unwrap_list", list, List.of(list), a -> unwrap((List<?>) a[0]))
                .member("hasValue", "optional_hasValue", BOOL, List.of(optional), a -> ((Optional<?>) a[0]).isPresent())
                .member("value", "optional_value", any, List.of(optional), a -> value((Optional<?>) a[0]))
                .member(
                        "first",
                        "list_first",
                        optional,
                        List.of(list),
                        a -> ((List<?>) a[0]).stream().findFirst())
                .member("last", "list_last", optional, List.of(list), a -> last((List<?>) a[0]))
                .bodies();
    }

    private static Object value(Optional<?> optional) {
        return optional.map(inner -> (Object) inner)
                .orElseThrow(() -> new CallException("optional.none() dereference"));
    }

    private static Optional<?> last(List<?> list) {
        return list.isEmpty() ? Optional.empty() : Optional.of(list.getLast());
    }

    private static boolean isZero(Object value) {
        return switch (value) {
            case NullValue _ -> true;
            case Boolean bool -> !bool;
            case Number number -> number.doubleValue() == 0;
            case String text -> text.isEmpty();
            case CelByteString bytes -> bytes.isEmpty();
            case Duration duration -> duration.isZero();
            case Instant instant -> instant.equals(NO_TIME);
            case Collection<?> list -> list.isEmpty();
            case Map<?, ?> map -> map.isEmpty();
            case EmptyMessage _ -> true;
            default -> false;
        };
    }

    private static List<Object> unwrap(List<?> list) {
        return list.stream().flatMap(OptionalFunctions::present).toList();
    }

    private static Stream<Object> present(Object value) {
        if (!(value instanceof Optional<?> optional)) {
            throw new CallException("value %s is not optional".formatted(value));
        }
        return optional.stream().map(inner -> (Object) inner);
    }
}
