package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.DOUBLE;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.claimstream.selectors.values.KubernetesTypes.QUANTITY;

import dev.claimstream.dra.Quantity;
import dev.claimstream.selectors.values.QuantityValue;
import java.util.List;

/** {@code quantity(...)} and its member functions. */
final class QuantityFunctions {
    private QuantityFunctions() {}

    static void addTo(FunctionRegistry functions) {
        functions
                .global("quantity", "string_to_quantity", QUANTITY, List.of(STRING), a -> parsed(a[0]))
                .global("isQuantity", "is_quantity_string", BOOL, List.of(STRING), a -> isQuantity((String) a[0]))
                .global("sign", "quantity_sign", INT, List.of(QUANTITY), a -> (long) of(a[0]).signum())
                .member(
                        "isInteger",
                        "quantity_is_integer",
                        BOOL,
                        List.of(QUANTITY),
                        a -> of(a[0]).asInt64().isPresent())
                .member("asInteger", "quantity_get_int", INT, List.of(QUANTITY), a -> integer(of(a[0])))
                .member(
                        "asApproximateFloat",
                        "quantity_get_float",
                        DOUBLE,
                        List.of(QUANTITY),
                        a -> of(a[0]).approximate());
        addComparisons(functions);
        addArithmetic(functions);
    }

    private static void addComparisons(FunctionRegistry functions) {
        List<dev.cel.common.types.CelType> two = List.of(QUANTITY, QUANTITY);
        functions
                .member("isGreaterThan", "quantity_is_greater_than", BOOL, two, a -> compare(a) > 0)
                .member("isLessThan", "quantity_is_less_than", BOOL, two, a -> compare(a) < 0)
                .member("compareTo", "quantity_compare_to", INT, two, a -> (long) compare(a));
    }

    private static void addArithmetic(FunctionRegistry functions) {
        functions
                .member("add", "quantity_add", QUANTITY, List.of(QUANTITY, QUANTITY), a -> sum(of(a[0]), of(a[1])))
                .member("add", "quantity_add_int", QUANTITY, List.of(QUANTITY, INT), a -> sum(of(a[0]), whole(a[1])))
                .member(
                        "sub",
                        "quantity_sub",
                        QUANTITY,
                        List.of(QUANTITY, QUANTITY),
                        a -> difference(of(a[0]), of(a[1])))
                .member(
                        "sub",
                        "quantity_sub_int",
                        QUANTITY,
                        List.of(QUANTITY, INT),
                        a -> differenceOfWhole(of(a[0]), (Long) a[1]));
    }

    private static Quantity of(Object value) {
        return ((QuantityValue) value).quantity();
    }

    private static Quantity whole(Object value) {
        return Quantity.of((Long) value);
    }

    private static QuantityValue parsed(Object text) {
        return new QuantityValue(Quantity.parse((String) text));
    }

    private static boolean isQuantity(String text) {
        try {
            Quantity.parse(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    private static long integer(Quantity quantity) {
        return quantity.asInt64().orElseThrow(() -> new CallException("cannot convert value to integer"));
    }

    private static int compare(Object[] arguments) {
        return of(arguments[0]).compareTo(of(arguments[1]));
    }

    private static QuantityValue sum(Quantity a, Quantity b) {
        return QuantityValue.computed(a.plus(b));
    }

    /** Subtracts an int. Go negates the smallest int to itself, so that it is added, as long as the sum fits into 64 bits. */
    private static QuantityValue differenceOfWhole(Quantity a, long b) {
        boolean isAdded = b == Long.MIN_VALUE && a.signum() >= 0 && a.asInt64().isPresent();
        return isAdded ? sum(a, Quantity.of(b)) : difference(a, Quantity.of(b));
    }

    private static QuantityValue difference(Quantity a, Quantity b) {
        return QuantityValue.computed(a.minus(b));
    }
}
