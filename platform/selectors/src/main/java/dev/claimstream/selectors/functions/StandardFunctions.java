package dev.claimstream.selectors.functions;

import com.google.common.collect.ImmutableMap;
import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.cel.common.CelOptions;
import dev.cel.common.exceptions.CelDivideByZeroException;
import dev.cel.common.exceptions.CelOverloadNotFoundException;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelStandardFunctions;
import dev.cel.runtime.RuntimeEquality;
import dev.cel.runtime.RuntimeHelpers;
import dev.claimstream.selectors.functions.FunctionRegistry.FunctionBody;
import java.math.BigInteger;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The standard functions of CEL for Java, with the value ranges and error messages of Go.
 *
 * <p>A duration has 64 bits of nanoseconds, a timestamp is in the years 1 to 9999, and numbers are parsed like Go does.
 */
final class StandardFunctions {
    private record RuntimeMessagePattern(Pattern java, String go) {
        static RuntimeMessagePattern of(String java, String go) {
            return new RuntimeMessagePattern(Pattern.compile(java), go);
        }
    }

    private static final List<RuntimeMessagePattern> WORDINGS = List.of(
            RuntimeMessagePattern.of("/ by zero", "division by zero"),
            RuntimeMessagePattern.of("(long|integer) overflow", "integer overflow"),
            RuntimeMessagePattern.of("(?i)unsigned .*(over|under)flow.*|range overflow.*", "unsigned integer overflow"),
            RuntimeMessagePattern.of("Unknown time-zone ID: (.*)", "unknown time zone $1"),
            RuntimeMessagePattern.of("Timestamp is not valid.*", "timestamp overflow"));

    /** Conversion functions with their result types. */
    private static final Map<String, String> CONVERSIONS = ImmutableMap.<String, String>builder()
            .put("bool", "bool")
            .put("bytes", "bytes")
            .put("double", "double")
            .put("duration", "google.protobuf.Duration")
            .put("int", "int")
            .put("string", "string")
            .put("timestamp", "google.protobuf.Timestamp")
            .put("uint", "uint")
            .buildOrThrow();

    private static final BigInteger NANOS_PER_SECOND = BigInteger.valueOf(1_000_000_000);
    private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T23:59:59.999999999Z");

    private static final Set<CelFunctionBinding> BINDINGS = bindings();

    private StandardFunctions() {}

    private static Set<CelFunctionBinding> bindings() {
        CelOptions options =
                CelOptions.current().enableHeterogeneousNumericComparisons(true).build();
        RuntimeEquality equality = RuntimeEquality.create(RuntimeHelpers.create(), options);
        return CelStandardFunctions.newBuilder().build().newFunctionBindings(equality, options);
    }

    /** Returns the implementations by name; each selects its overload by the arguments. */
    static Map<String, FunctionBody> bodies() {
        Map<String, FunctionBody> bodies = new HashMap<>();
        // The bindings contain one for each function, under its name, in addition to those of the overloads.
        BINDINGS.forEach(binding -> bodies.put(binding.getOverloadId(), arguments -> call(binding, arguments)));
        return bodies;
    }

    /** Returns the argument check of each overload by its id. */
    static Map<String, Predicate<Object[]>> argumentChecks() {
        Map<String, Predicate<Object[]>> guards = new HashMap<>();
        BINDINGS.forEach(
                binding -> guards.put(binding.getOverloadId(), arguments -> accepts(binding.getArgTypes(), arguments)));
        return guards;
    }

    private static boolean accepts(List<Class<?>> types, Object[] arguments) {
        boolean accepts = types.size() == arguments.length;
        for (int i = 0; accepts && i < arguments.length; i++) {
            accepts = types.get(i).isInstance(arguments[i]);
        }
        return accepts;
    }

    private static Object call(CelFunctionBinding binding, Object[] arguments) {
        String function = binding.getOverloadId();
        try {
            Object result = arguments.length == 1
                    ? switch (arguments[0]) {
                        case String text -> ofText(binding, function, text);
                        case Duration duration -> ofDuration(binding, function, duration);
                        default -> binding.getDefinition().apply(arguments);
                    }
                    : ofSeveral(binding, function, arguments);
            checkRange(result);
            return result;
        } catch (CelEvaluationException | RuntimeException e) {
            throw new CallException(message(function, arguments, e), e);
        }
    }

    private static Object ofText(CelFunctionBinding binding, String function, String text)
            throws CelEvaluationException {
        return switch (function) {
            case "bool" -> GoParser.bool(text);
            case "int" -> GoParser.integer(text);
            case "uint" -> GoParser.unsigned(text);
            case "double" -> GoParser.number(text);
            case "duration" -> GoParser.duration(text);
            case "timestamp" -> GoParser.timestamp(text);
            default -> binding.getDefinition().apply(new Object[] {text});
        };
    }

    private static Object ofSeveral(CelFunctionBinding binding, String function, Object[] arguments)
            throws CelEvaluationException {
        Object ofTimes = switch (function) {
            case "_+_" -> sum(arguments[0], arguments[1]);
            case "_-_" -> difference(arguments[0], arguments[1]);
            default -> null;
        };
        return ofTimes == null ? binding.getDefinition().apply(inKnownZone(arguments)) : ofTimes;
    }

    /** Adds times. The library has no result if seconds and fraction have different signs. */
    private static @Nullable Object sum(Object left, Object right) {
        return switch (left) {
            case Instant time when right instanceof Duration more -> time.plus(more);
            case Duration duration when right instanceof Instant time -> time.plus(duration);
            case Duration duration when right instanceof Duration more -> duration.plus(more);
            default -> null;
        };
    }

    private static @Nullable Object difference(Object left, Object right) {
        return switch (left) {
            case Instant time
            when right instanceof Duration less -> {
                checkRange(less.negated());
                yield time.minus(less);
            }
            case Instant time when right instanceof Instant before -> Duration.between(before, time);
            case Duration duration when right instanceof Duration less -> duration.minus(less);
            default -> null;
        };
    }

    /** Replaces two zone names that Go knows: the empty one is UTC, and the local zone is UTC in a scheduler's container. */
    private static Object[] inKnownZone(Object[] arguments) {
        boolean isZone = arguments.length == 2 && arguments[0] instanceof Instant;
        return isZone && (arguments[1].equals("") || arguments[1].equals("Local"))
                ? new Object[] {arguments[0], "UTC"}
                : arguments;
    }

    private static Object ofDuration(CelFunctionBinding binding, String function, Duration duration)
            throws CelEvaluationException {
        return switch (function) {
            case "int" -> duration.toNanos();
            case "getMilliseconds" -> duration.toMillis();
            default -> binding.getDefinition().apply(new Object[] {duration});
        };
    }

    private static void checkRange(Object result) {
        switch (result) {
            case Duration duration -> {
                BigInteger nanos = BigInteger.valueOf(duration.getSeconds())
                        .multiply(NANOS_PER_SECOND)
                        .add(BigInteger.valueOf(duration.getNano()));
                if (nanos.bitLength() >= Long.SIZE) {
                    throw new ArithmeticException("integer overflow");
                }
            }
            case Instant instant -> {
                if (instant.isBefore(FIRST) || instant.isAfter(LAST)) {
                    throw new ArithmeticException("timestamp overflow");
                }
            }
            default -> {}
        }
    }

    private static String message(String function, Object[] arguments, Exception failure) {
        String type = arguments.length == 1 ? CONVERSIONS.get(function) : null;
        if (type != null && arguments[0] instanceof String) {
            return "type conversion error from 'string' to '%s'".formatted(type);
        }
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return switch (root) {
            case CelDivideByZeroException _ -> "division by zero";
            // The JIT compiler omits the message of a frequent division by zero; other exceptions have a message.
            case ArithmeticException e when e.getMessage() == null -> "division by zero";
            case CelOverloadNotFoundException _, ClassCastException _ ->
                type == null ? "no such overload" : ValueTypes.noSuchOverload(function, arguments);
            default ->
                "int".equals(type)
                        ? "integer overflow"
                        : "uint".equals(type)
                                ? "unsigned integer overflow"
                                : goWords(String.valueOf(root.getMessage()));
        };
    }

    private static String goWords(String message) {
        for (RuntimeMessagePattern wording : WORDINGS) {
            Matcher matcher = wording.java.matcher(message);
            if (matcher.matches()) {
                return matcher.replaceFirst(wording.go);
            }
        }
        return message;
    }
}
