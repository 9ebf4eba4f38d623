package dev.claimstream.selectors.functions;

import static dev.cel.common.types.SimpleType.BOOL;
import static dev.cel.common.types.SimpleType.BYTES;
import static dev.cel.common.types.SimpleType.DOUBLE;
import static dev.cel.common.types.SimpleType.DURATION;
import static dev.cel.common.types.SimpleType.DYN;
import static dev.cel.common.types.SimpleType.INT;
import static dev.cel.common.types.SimpleType.STRING;
import static dev.cel.common.types.SimpleType.TIMESTAMP;
import static dev.cel.common.types.SimpleType.UINT;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.TypeParamType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** The list functions of Kubernetes (version 1) and of CEL's list extension (version 3). */
final class ListFunctions {
    private static final CelType ELEMENT = TypeParamType.create("T");
    private static final CelType LIST = ListType.create(ELEMENT);
    private static final List<CelType> ORDERED = List.of(INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES);

    private ListFunctions() {}

    static void addTo(FunctionRegistry functions) {
        ORDERED.forEach(type -> addOrdered(functions, type, name(type)));
        addSums(functions);
        addSearches(functions);
        addParts(functions);
    }

    private static String name(CelType type) {
        return type.kind().name().toLowerCase(Locale.ROOT);
    }

    private static void addOrdered(FunctionRegistry functions, CelType element, String name) {
        CelType list = ListType.create(element);
        functions
                .member(
                        "isSorted",
                        "list_%s_is_sorted_bool".formatted(name),
                        BOOL,
                        List.of(list),
                        a -> isSorted(list(a[0])))
                .member(
                        "max",
                        "list_%s_max_%s".formatted(name, name),
                        element,
                        List.of(list),
                        a -> extreme("max", list(a[0]), 1))
                .member(
                        "min",
                        "list_%s_min_%s".formatted(name, name),
                        element,
                        List.of(list),
                        a -> extreme("min", list(a[0]), -1))
                .listMember(
                        "sort",
                        "list_%s_sort".formatted(name),
                        list,
                        List.of(list),
                        a -> sorted(list(a[0]), list(a[0])))
                .listMember(
                        "@sortByAssociatedKeys",
                        "list_%s_sortByAssociatedKeys".formatted(name),
                        LIST,
                        List.of(LIST, list),
                        a -> sorted(list(a[0]), list(a[1])));
    }

    private static void addSums(FunctionRegistry functions) {
        functions
                .member("sum", "list_int_sum_int", INT, List.of(ListType.create(INT)), a -> sum(list(a[0])))
                .member("sum", "list_uint_sum_uint", UINT, List.of(ListType.create(UINT)), a -> unsignedSum(list(a[0])))
                .member(
                        "sum",
                        "list_double_sum_double",
                        DOUBLE,
                        List.of(ListType.create(DOUBLE)),
                        a -> doubleSum(list(a[0])))
                .member(
                        "sum",
                        "list_duration_sum_duration",
                        DURATION,
                        List.of(ListType.create(DURATION)),
                        a -> durationSum(list(a[0])));
    }

    private static void addSearches(FunctionRegistry functions) {
        functions
                .member("indexOf", "list_a_index_of_int", INT, List.of(LIST, ELEMENT), a -> indexOf(list(a[0]), a[1]))
                .member(
                        "lastIndexOf",
                        "list_a_last_index_of_int",
                        INT,
                        List.of(LIST, ELEMENT),
                        a -> lastIndexOf(list(a[0]), a[1]));
    }

    static void addIncludes(FunctionRegistry functions) {
        functions.member("includes", "list_includes_dyn_dyn", BOOL, List.of(DYN, DYN), a -> includes(a[0], a[1]));
    }

    private static void addParts(FunctionRegistry functions) {
        CelType anything = ListType.create(DYN);
        functions
                .member(
                        "slice",
                        "list_slice",
                        LIST,
                        List.of(LIST, INT, INT),
                        a -> slice(list(a[0]), (Long) a[1], (Long) a[2]))
                .listMember(
                        "flatten", "list_flatten", LIST, List.of(ListType.create(LIST)), a -> flatten(list(a[0]), 1))
                .listMember(
                        "flatten",
                        "list_flatten_int",
                        anything,
                        List.of(anything, INT),
                        a -> flatten(list(a[0]), (Long) a[1]))
                .member("reverse", "list_reverse", LIST, List.of(LIST), a -> reversed(list(a[0])))
                .member("distinct", "list_distinct", LIST, List.of(LIST), a -> distinct(list(a[0])))
                .global("lists.range", "lists_range", ListType.create(INT), List.of(INT), a -> range((Long) a[0]));
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(Object value) {
        return (List<Object>) value;
    }

    private static boolean isSorted(List<Object> list) {
        for (int i = 1; i < list.size(); i++) {
            if (ValueOrder.compare(list.get(i - 1), list.get(i)).orElse(0) > 0) {
                return false;
            }
        }
        return true;
    }

    private static Object extreme(String name, List<Object> list, int sign) {
        if (list.isEmpty()) {
            throw new CallException(name + " called on empty list");
        }
        Object best = list.getFirst();
        for (Object element : list) {
            if (ValueOrder.compare(element, best).orElse(0) * sign > 0) {
                best = element;
            }
        }
        return best;
    }

    private static long sum(List<Object> list) {
        long sum = 0;
        for (Object element : list) {
            try {
                sum = Math.addExact(sum, (Long) typed(element, Long.class));
            } catch (ArithmeticException e) {
                throw new CallException("integer overflow", e);
            }
        }
        return sum;
    }

    private static UnsignedLong unsignedSum(List<Object> list) {
        UnsignedLong sum = UnsignedLong.ZERO;
        for (Object element : list) {
            UnsignedLong next = sum.plus((UnsignedLong) typed(element, UnsignedLong.class));
            if (next.compareTo(sum) < 0) {
                throw new CallException("unsigned integer overflow");
            }
            sum = next;
        }
        return sum;
    }

    private static double doubleSum(List<Object> list) {
        double sum = 0;
        for (Object element : list) {
            sum += (Double) typed(element, Double.class);
        }
        return sum;
    }

    private static Duration durationSum(List<Object> list) {
        Duration sum = Duration.ZERO;
        for (Object element : list) {
            sum = sum.plus((Duration) typed(element, Duration.class));
        }
        return sum;
    }

    private static Object typed(Object element, Class<?> type) {
        if (!type.isInstance(element)) {
            throw new CallException("no such overload");
        }
        return element;
    }

    private static long indexOf(List<Object> list, Object element) {
        return IntStream.range(0, list.size())
                .filter(i -> Equality.test(list.get(i), element))
                .findFirst()
                .orElse(-1);
    }

    private static long lastIndexOf(List<Object> list, Object element) {
        int fromEnd = (int) indexOf(list.reversed(), element);
        return fromEnd < 0 ? -1 : list.size() - 1 - fromEnd;
    }

    /** Tests membership in a list, or equality with any other value. */
    private static boolean includes(Object target, Object element) {
        return target instanceof List<?> list ? Equality.contains(list, element) : Equality.test(target, element);
    }

    private static List<Object> slice(List<Object> list, long start, long end) {
        String problem = null;
        if (start < 0 || end < 0) {
            problem = "negative indexes not supported";
        } else if (start > end) {
            problem = "start index must be less than or equal to end index";
        } else if (end > list.size()) {
            problem = "list is length " + list.size();
        }
        if (problem != null) {
            throw new CallException("cannot slice(%d, %d), %s".formatted(start, end, problem));
        }
        return list.subList((int) start, (int) end);
    }

    private static List<Object> flatten(List<Object> list, long depth) {
        if (depth < 0) {
            throw new CallException("level must be non-negative");
        }
        List<Object> flat = new ArrayList<>();
        for (Object element : list) {
            if (depth > 0 && element instanceof List<?>) {
                flat.addAll(flatten(list(element), depth - 1));
            } else {
                flat.add(element);
            }
            ResultSizeLimit.check("flatten", flat.size());
        }
        return flat;
    }

    private static List<Object> reversed(List<Object> list) {
        List<Object> copy = new ArrayList<>(list);
        Collections.reverse(copy);
        return copy;
    }

    private static List<Object> distinct(List<Object> list) {
        List<Object> seen = new ArrayList<>();
        list.stream().filter(element -> !Equality.contains(seen, element)).forEach(seen::add);
        return seen;
    }

    private static List<Long> range(long size) {
        if (size < 0) {
            throw new CallException("lists.range: size must be non-negative, got " + size);
        }
        return LongStream.range(0, ResultSizeLimit.check("lists.range", size))
                .boxed()
                .toList();
    }

    private static List<Object> sorted(List<Object> list, List<Object> keys) {
        if (list.size() != keys.size()) {
            throw new CallException(
                    "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got %d and %d elements"
                                    .formatted(list.size(), keys.size())
                            + " respectively");
        }
        if (keys.isEmpty()) {
            return list;
        }
        if (!ValueOrder.isOrdered(keys.getFirst())) {
            throw new CallException("list elements must be comparable");
        }
        if (keys.stream().anyMatch(key -> key.getClass() != keys.getFirst().getClass())) {
            throw new CallException("list elements must have the same type");
        }
        return IntStream.range(0, list.size())
                .boxed()
                .sorted((i, j) -> ValueOrder.compare(keys.get(i), keys.get(j)).orElse(0))
                .map(list::get)
                .toList();
    }
}
