package dev.claimstream.selectors;

import com.google.common.collect.ImmutableMap;
import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.cel.common.exceptions.CelDivideByZeroException;
import dev.cel.common.exceptions.CelIterationLimitExceededException;
import dev.cel.common.exceptions.CelOverloadNotFoundException;
import dev.cel.runtime.CelEvaluationException;
import dev.claimstream.selectors.functions.Kinds;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** What the evaluator of CEL for Java says, in the words of CEL for Go. Our own functions speak Go already. */
final class RuntimeMessages {
    private record Wording(Pattern java, String go) {
        static Wording of(String java, String go) {
            return new Wording(Pattern.compile(java), go);
        }
    }

    private static final String CONVERSION = "type conversion error from 'string'";

    private static final List<Wording> WORDINGS = List.of(
            Wording.of("(?s)key '(.*)' is not present in map\\.", "no such key: $1"),
            Wording.of("Error resolving field '(.*)'\\. Field selections must.*", "no such key: $1"),
            Wording.of("(?s)Expected boolean value, found ?: ?.*", "no such overload"),
            Wording.of("(?s)insert failed: key '(.*)' already exists", "insert failed: key $1 already exists"),
            Wording.of("/ by zero", "division by zero"),
            Wording.of("(long|integer) overflow", "integer overflow"),
            Wording.of("(?i)unsigned .*(over|under)flow.*|range overflow.*", "unsigned integer overflow"),
            Wording.of(
                    "(?s)Type conversion error from 'string' to 'bool': .*",
                    "type conversion error from 'string' to 'bool'"));

    private static final Pattern NO_RANGE = Pattern.compile("Unexpected iter_range type: class .*\\.(\\w+)");

    /** The names of Go's types where its error shows them. */
    private static final Map<String, String> GO_TYPES = ImmutableMap.<String, String>builder()
            .put("Boolean", "types.Bool")
            .put("Long", "types.Int")
            .put("UnsignedLong", "types.Uint")
            .put("Double", "types.Double")
            .put("String", "types.String")
            .put("NullValue", "types.Null")
            .put("Duration", "types.Duration")
            .put("Instant", "types.Timestamp")
            .put("QuantityValue", "cel.Quantity")
            .put("VersionValue", "cel.Semver")
            .put("UrlValue", "cel.URL")
            .put("AddressValue", "cel.IP")
            .put("NetworkValue", "cel.CIDR")
            .put("FormatValue", "cel.Format")
            .buildOrThrow();

    private static final Map<String, String> NO_BOOL = ImmutableMap.<String, String>builder()
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

    private RuntimeMessages() {}

    static String of(CelEvaluationException failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return switch (root) {
            case CelDivideByZeroException e -> "division by zero";
            // The optimizing compiler leaves out the message of a division that often fails, and of nothing else here.
            case ArithmeticException e when e.getMessage() == null -> "division by zero";
            case CelOverloadNotFoundException e -> "no such overload";
            case ClassCastException e -> "no such overload";
            case CelIterationLimitExceededException e -> CostLimitExceeded.MESSAGE;
            case DateTimeParseException e -> CONVERSION;
            case NumberFormatException e -> CONVERSION;
            case NoSuchElementException e -> "optional.none() dereference";
            default -> goWords(String.valueOf(root.getMessage()));
        };
    }

    private static String goWords(String message) {
        Matcher range = NO_RANGE.matcher(message);
        if (range.matches()) {
            return "got '%s', expected iterable type".formatted(GO_TYPES.getOrDefault(range.group(1), range.group(1)));
        }
        for (Wording wording : WORDINGS) {
            Matcher matcher = wording.java.matcher(message);
            if (matcher.matches()) {
                return matcher.replaceFirst(wording.go);
            }
        }
        return message;
    }

    /** That a result is no bool. */
    static String noBool(Object result) {
        String type = Kinds.nameOf(result);
        String simple = type.substring(type.lastIndexOf('.') + 1).replace("NamedFormat", "Format");
        String why = NO_BOOL.getOrDefault(type, "type conversion error from '%s' to 'bool'".formatted(simple));
        return "CEL result of type %s could not be converted to bool: %s".formatted(type, why);
    }
}
