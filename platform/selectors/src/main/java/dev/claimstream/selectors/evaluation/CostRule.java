package dev.claimstream.selectors.evaluation;

import dev.cel.common.values.CelByteString;
import dev.claimstream.selectors.functions.FormatValue;
import dev.claimstream.selectors.functions.ValueTypes;
import dev.claimstream.selectors.values.AddressValue;
import dev.claimstream.selectors.values.KubernetesValue;
import dev.claimstream.selectors.values.NetworkValue;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The cost of a call, in the units of upstream's runtime cost model.
 *
 * <p>Sources: {@code runtimecost.go} of cel-go for the standard functions, the API server for those that Kubernetes adds.
 */
enum CostRule {
    ONE,
    FIRST,
    FIRST_TWICE,
    SECOND,
    RESULT_TWICE,
    TRAVERSAL,
    SECOND_SIZE,
    SMALLER,
    EQUALITY,
    BOTH,
    PRODUCT,
    PATTERN,
    FORMAT,
    NETWORK_ADDRESS,
    NETWORK_ADDRESS_TEXT,
    NETWORK_NETWORK,
    NETWORK_NETWORK_TEXT,
    LIST_RESULT,
    LIST_DEPTH,
    LIST_PAIRS,
    LIST_KEY_PAIRS,
    SET_PAIRS,
    SET_PAIRS_TWICE;

    private static final double TRAVERSAL_FACTOR = 0.1;
    private static final double PATTERN_FACTOR = 0.25;
    private static final long NEW_LIST = 10;

    private static final double TWO_TO_63 = 0x1p63;

    private static final Set<String> PRICED_BY_OVERLOAD = Set.of(
            "less_string",
            "greater_string",
            "less_equals_string",
            "greater_equals_string",
            "less_bytes",
            "greater_bytes",
            "less_equals_bytes",
            "greater_equals_bytes",
            "not_equals");

    /**
     * Returns the cost rule of a function.
     *
     * @param overload empty if it is chosen at run time
     */
    static CostRule of(String function, String overload) {
        return switch (function) {
            case "isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes" -> TRAVERSAL;
            case "url",
                    "lowerAscii",
                    "upperAscii",
                    "substring",
                    "trim",
                    "cidr",
                    "isIP",
                    "isCIDR",
                    "quantity",
                    "isQuantity",
                    "semver",
                    "isSemver" -> FIRST;
            case "ip" -> overload.equals("cidr_ip") ? ONE : FIRST;
            case "replace", "split", "ip.isCanonical" -> FIRST_TWICE;
            case "join" -> RESULT_TWICE;
            case "find", "findAll" -> PATTERN;
            case "containsIP" -> overload.equals("cidr_contains_ip_string") ? NETWORK_ADDRESS_TEXT : NETWORK_ADDRESS;
            case "containsCIDR" ->
                overload.equals("cidr_contains_cidr_string") ? NETWORK_NETWORK_TEXT : NETWORK_NETWORK;
            case "validate" -> FORMAT;
            case "_==_" -> EQUALITY;
            default -> ofOverload(overload);
        };
    }

    private static CostRule ofOverload(String overload) {
        return switch (overload) {
            case "starts_with_string", "ends_with_string" -> SECOND;
            case "string_to_bytes", "bytes_to_string", "strings_quote", "string_format" -> FIRST;
            case "in_list" -> SECOND_SIZE;
            case "add_string", "add_bytes" -> BOTH;
            case "matches", "matches_string" -> PATTERN;
            case "contains_string" -> PRODUCT;
            case "list_slice", "lists_range", "list_reverse" -> LIST_RESULT;
            case "list_flatten", "list_flatten_int" -> LIST_DEPTH;
            case "list_distinct" -> LIST_PAIRS;
            case "list_sets_contains_list", "list_sets_intersects_list" -> SET_PAIRS;
            case "list_sets_equivalent_list" -> SET_PAIRS_TWICE;
            default -> ofPattern(overload);
        };
    }

    private static CostRule ofPattern(String overload) {
        if (PRICED_BY_OVERLOAD.contains(overload)) {
            return SMALLER;
        }
        if (overload.endsWith("_sortByAssociatedKeys")) {
            return LIST_KEY_PAIRS;
        }
        return overload.startsWith("list_") && overload.endsWith("_sort") ? LIST_PAIRS : ONE;
    }

    /** Returns whether the cost depends on the result, so that it is known only after the call. */
    boolean needsResult() {
        return this == RESULT_TWICE || this == LIST_RESULT;
    }

    /** Returns the cost of a call; errors among the arguments count as values without a size. */
    long cost(Object[] arguments, Object result) {
        return switch (this) {
            case ONE -> 1;
            case FIRST -> scanned(size(arguments[0]));
            case FIRST_TWICE -> scanned(2 * size(arguments[0]));
            case SECOND -> scanned(size(arguments[1]));
            case RESULT_TWICE -> scanned(2 * size(result));
            case TRAVERSAL -> traversal(arguments[0]);
            case SECOND_SIZE -> size(arguments[1]);
            case SMALLER -> scanned(Math.min(size(arguments[0]), size(arguments[1])));
            case EQUALITY ->
                arguments[0] instanceof KubernetesValue ? 1 : scanned(Math.min(size(arguments[0]), size(arguments[1])));
            case BOTH -> scanned(size(arguments[0]) + size(arguments[1]));
            case PRODUCT -> scanned(size(arguments[0])) * scanned(size(arguments[1]));
            case PATTERN -> pattern(size(arguments[0]), size(arguments[1]));
            case FORMAT ->
                arguments[0] instanceof FormatValue format
                        ? pattern(size(arguments[1]), format.format().regexSize())
                        : 1;
            case NETWORK_ADDRESS -> scanned(2 * size(arguments[0]));
            case NETWORK_ADDRESS_TEXT -> scanned(2 * size(arguments[0])) + scanned(size(arguments[1]));
            case NETWORK_NETWORK -> networks(size(arguments[0]));
            case NETWORK_NETWORK_TEXT -> networks(size(arguments[0])) + scanned(size(arguments[1]));
            case LIST_RESULT -> newList(size(result));
            case LIST_DEPTH -> flattened(size(arguments[0]), arguments.length > 1 ? depth(arguments[1]) : 1);
            case LIST_PAIRS -> pairs(arguments[0]);
            case LIST_KEY_PAIRS -> pairs(arguments[1]);
            case SET_PAIRS -> 1 + size(arguments[0]) * size(arguments[1]);
            case SET_PAIRS_TWICE -> 1 + 2 * size(arguments[0]) * size(arguments[1]);
        };
    }

    private static long depth(Object value) {
        if (value instanceof Long depth) {
            return depth;
        }
        throw EvaluationAbortException.byPanic(
                "interface conversion: ref.Val is %s, not types.Int".formatted(ValueTypes.goTypeOf(value)));
    }

    /** Returns the cost of {@code flatten}; a negative depth counts as one. */
    private static long flattened(long size, long depth) {
        return newList(unsigned((double) size * (depth < 0 ? 1 : depth)));
    }

    /** Converts to an unsigned number as Go does on amd64. A value too large for 64 unsigned bits becomes 2^63. */
    private static long unsigned(double amount) {
        if (amount < TWO_TO_63) {
            return (long) amount;
        }
        return amount < 2 * TWO_TO_63 ? (long) (amount - TWO_TO_63) ^ Long.MIN_VALUE : Long.MIN_VALUE;
    }

    private static long scanned(long size) {
        return (long) Math.ceil(size * TRAVERSAL_FACTOR);
    }

    private static long pattern(long text, long pattern) {
        return scanned(1 + text) * (long) Math.ceil(pattern * PATTERN_FACTOR);
    }

    private static long networks(long size) {
        return scanned(2 * size) + scanned(size) + 1;
    }

    private static long newList(long work) {
        return work + 1 + NEW_LIST;
    }

    private static long pairs(Object value) {
        if (!(value instanceof List<?> list)) {
            throw EvaluationAbortException.byPanic("interface conversion: %s is not traits.Lister: missing method Add"
                    .formatted(ValueTypes.goTypeOf(value)));
        }
        if (list.isEmpty()) {
            return newList(0);
        }
        boolean isText = list.getFirst() instanceof String || list.getFirst() instanceof CelByteString;
        return newList((long) ((double) list.size() * list.size() * (isText ? 2 + TRAVERSAL_FACTOR : 2)));
    }

    private static long traversal(Object value) {
        return switch (value) {
            case String text -> (long) (text.getBytes(StandardCharsets.UTF_8).length * TRAVERSAL_FACTOR);
            case CelByteString bytes -> (long) (bytes.size() * TRAVERSAL_FACTOR);
            case Map<?, ?> map ->
                map.entrySet().stream()
                        .mapToLong(entry -> traversal(entry.getKey()) + traversal(entry.getValue()))
                        .sum();
            case Collection<?> list ->
                list.stream().mapToLong(CostRule::traversal).sum();
            default -> 1;
        };
    }

    /** Returns the size of a value; 1 if it has none. */
    static long size(Object value) {
        return switch (value) {
            case String text -> text.codePointCount(0, text.length());
            case CelByteString bytes -> bytes.size();
            case Map<?, ?> map -> map.size();
            case Collection<?> list -> list.size();
            case Optional<?> optional when optional.isPresent() -> size(optional.get());
            case AddressValue address -> address.length();
            case NetworkValue network -> (network.prefix() + 7) / 8;
            default -> 1;
        };
    }
}
