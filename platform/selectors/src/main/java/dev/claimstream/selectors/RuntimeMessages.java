package dev.claimstream.selectors;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.cel.common.exceptions.CelDivideByZeroException;
import dev.cel.common.exceptions.CelIterationLimitExceededException;
import dev.cel.common.exceptions.CelOverloadNotFoundException;
import dev.cel.runtime.CelEvaluationException;
import java.util.List;
import java.util.NoSuchElementException;

/** What the evaluator of CEL for Java says, in the words of CEL for Go. Our own functions speak Go already. */
final class RuntimeMessages {
    private record Wording(Pattern java, String go) {
        static Wording of(String java, String go) {
            return new Wording(Pattern.compile(java), go);
        }
    }

    private static final List<Wording> WORDINGS = List.of(
            Wording.of("(?s)key '(.*)' is not present in map\\.", "no such key: $1"),
            Wording.of("Error resolving field '(.*)'\\. Field selections must.*", "no such key: $1"),
            Wording.of("Unexpected iter_range type: class .*\\.(\\w+)", "got '$1', expected iterable type"),
            Wording.of("(?s)Expected boolean value, found ?: ?.*", "no such overload"),
            Wording.of("(?s)insert failed: key '(.*)' already exists", "insert failed: key $1 already exists"),
            Wording.of("Index out of bounds: (.*)", "index out of bounds: $1"),
            Wording.of("(long|integer) overflow", "integer overflow"),
            Wording.of("uint overflow|range overflow.*", "unsigned integer overflow"),
            Wording.of("No value present", "optional.none() dereference"),
            Wording.of("duplicate map key \\[(.*)\\]", "duplicate map key $1"));

    private RuntimeMessages() {}

    static String of(CelEvaluationException failure) {
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return switch (root) {
            case CelDivideByZeroException e -> "division by zero";
            case CelOverloadNotFoundException e -> "no such overload";
            case ClassCastException e -> "no such overload";
            case CelIterationLimitExceededException e -> CostLimitExceeded.MESSAGE;
            case NoSuchElementException e -> "optional.none() dereference";
            default -> goWords(String.valueOf(root.getMessage()));
        };
    }

    private static String goWords(String message) {
        for (Wording wording : WORDINGS) {
            Matcher matcher = wording.java.matcher(message);
            if (matcher.matches()) {
                return matcher.replaceFirst(wording.go);
            }
        }
        return message;
    }
}
