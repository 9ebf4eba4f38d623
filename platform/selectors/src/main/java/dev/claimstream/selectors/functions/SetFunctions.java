package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.BOOL;

import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.TypeParamType;
import java.util.List;

/** CEL's set extension: functions on lists as sets. */
final class SetFunctions {
    private static final CelType LIST = ListType.create(TypeParamType.create("T"));
    private static final List<CelType> TWO = List.of(LIST, LIST);

    private SetFunctions() {}

    static void addTo(FunctionRegistry functions) {
        functions
                .global("sets.contains", "list_sets_contains_list", BOOL, TWO, a -> contains(a[0], a[1]))
                .global(
                        "sets.equivalent",
                        "list_sets_equivalent_list",
                        BOOL,
                        TWO,
                        a -> contains(a[0], a[1]) && contains(a[1], a[0]))
                .global("sets.intersects", "list_sets_intersects_list", BOOL, TWO, a -> intersects(a[0], a[1]));
    }

    private static boolean contains(Object list, Object sublist) {
        return ((List<?>) sublist).stream().allMatch(element -> Equality.contains((List<?>) list, element));
    }

    private static boolean intersects(Object a, Object b) {
        return ((List<?>) b).stream().anyMatch(element -> Equality.contains((List<?>) a, element));
    }
}
