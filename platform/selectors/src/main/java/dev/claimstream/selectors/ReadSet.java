package dev.claimstream.selectors;

import com.google.common.collect.ImmutableSet;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.claimstream.dra.Device;
import dev.claimstream.selectors.Reading.Side;
import dev.claimstream.selectors.evaluation.Trees;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds the parts of a device that an expression can read.
 *
 * <p>A map that is used in an unknown way counts as read completely: the set may be too large, but never too small.
 */
final class ReadSet {
    /** The part of the device that an expression denotes. */
    private sealed interface Part {
        record Whole() implements Part {}

        record ByDomain(Side side) implements Part {}

        record ById(Side side, String domain) implements Part {}

        /** A value that is not a map of the device. */
        record Value() implements Part {}
    }

    private static final Part VALUE = new Part.Value();

    private final Set<Reading> readings = new LinkedHashSet<>();
    private final Deque<Map<String, Part>> scopes = new ArrayDeque<>();

    private ReadSet() {}

    /** Returns all parts that an expression can read. */
    static ImmutableSet<Reading> of(CelExpr expression) {
        ReadSet set = new ReadSet();
        set.use(expression);
        return ImmutableSet.copyOf(set.readings);
    }

    /** Returns the values of a device for the parts that an expression reads. */
    static List<Object> project(List<Reading> readings, String driver, Device device) {
        List<Object> values = new ArrayList<>(readings.size());
        for (Reading reading : readings) {
            values.add(reading.of(driver, device));
        }
        return values;
    }

    /** Marks the value of an expression as used, so that all of it may be read. */
    private void use(CelExpr expression) {
        switch (visit(expression)) {
            case Part.Whole whole -> {
                readings.add(new Reading.Driver());
                readings.add(new Reading.Shared());
                readings.add(new Reading.All(Side.ATTRIBUTES));
                readings.add(new Reading.All(Side.CAPACITY));
            }
            case Part.ByDomain domains -> readings.add(new Reading.All(domains.side));
            case Part.ById ids -> readings.add(new Reading.Contents(ids.side, ids.domain));
            case Part.Value value -> {}
        }
    }

    private Part visit(CelExpr expression) {
        return switch (expression.getKind()) {
            case IDENT -> variable(expression.ident().name());
            case SELECT ->
                select(visit(expression.select().operand()), expression.select().field());
            case CALL -> call(expression);
            case COMPREHENSION -> fold(expression.comprehension());
            case LIST, MAP, STRUCT, CONSTANT, NOT_SET -> parts(expression);
        };
    }

    private Part parts(CelExpr expression) {
        Trees.children(expression).forEach(this::use);
        return VALUE;
    }

    private Part variable(String name) {
        for (Map<String, Part> scope : scopes) {
            Part part = scope.get(name);
            if (part != null) {
                return part;
            }
        }
        return name.equals(Environment.VARIABLE) || name.equals("." + Environment.VARIABLE) ? new Part.Whole() : VALUE;
    }

    private Part select(Part part, String name) {
        return switch (part) {
            case Part.Whole whole ->
                switch (name) {
                    case "attributes" -> new Part.ByDomain(Side.ATTRIBUTES);
                    case "capacity" -> new Part.ByDomain(Side.CAPACITY);
                    case "driver" -> read(new Reading.Driver());
                    default -> read(new Reading.Shared());
                };
            case Part.ByDomain domains -> new Part.ById(domains.side, name);
            case Part.ById ids -> read(Reading.Entry.of(ids.side, ids.domain, name));
            case Part.Value value -> value;
        };
    }

    private Part read(Reading reading) {
        readings.add(reading);
        return VALUE;
    }

    private Part call(CelExpr expression) {
        List<CelExpr> arguments = Trees.arguments(expression);
        return switch (expression.call().function()) {
            case "_[_]", "_[?_]", "_?._" -> index(arguments);
            case "@in" -> membership(arguments);
            default -> parts(expression);
        };
    }

    private Part index(List<CelExpr> arguments) {
        Optional<String> name = literal(arguments.get(1));
        if (name.isPresent()) {
            return select(visit(arguments.get(0)), name.get());
        }
        arguments.forEach(this::use);
        return VALUE;
    }

    private Part membership(List<CelExpr> arguments) {
        Optional<String> name = literal(arguments.get(0));
        if (name.isEmpty()) {
            arguments.forEach(this::use);
            return VALUE;
        }
        return switch (visit(arguments.get(1))) {
            case Part.ByDomain domains -> read(new Reading.Domains(domains.side));
            case Part.ById ids -> read(Reading.Entry.of(ids.side, ids.domain, name.get()));
            case Part.Whole whole -> read(new Reading.Driver());
            case Part.Value value -> value;
        };
    }

    private static Optional<String> literal(CelExpr expression) {
        return expression.getKind() == Kind.CONSTANT && expression.constant().getKind() == CelConstant.Kind.STRING_VALUE
                ? Optional.of(expression.constant().stringValue())
                : Optional.empty();
    }

    /**
     * Visits a comprehension. A binding is a comprehension over an empty list, and the variable denotes the same part as its value. A map
     * by domain loses its default for unknown domains there.
     */
    private Part fold(CelExpr.CelComprehension fold) {
        boolean binds = fold.iterRange().getKind() == Kind.LIST
                && fold.iterRange().list().elements().isEmpty();
        Part start = visit(fold.accuInit());
        if (start instanceof Part.ByDomain domains) {
            readings.add(new Reading.Any(domains.side));
        }
        if (!binds) {
            range(fold);
        }
        scopes.push(binds ? Map.of(fold.accuVar(), start) : locals(fold));
        if (!binds) {
            use(fold.loopCondition());
            use(fold.loopStep());
        }
        Part result = visit(fold.result());
        scopes.pop();
        return result;
    }

    private static Map<String, Part> locals(CelExpr.CelComprehension fold) {
        Map<String, Part> locals = new LinkedHashMap<>();
        locals.put(fold.accuVar(), VALUE);
        locals.put(fold.iterVar(), VALUE);
        if (!fold.iterVar2().isEmpty()) {
            locals.put(fold.iterVar2(), VALUE);
        }
        return locals;
    }

    /** Visits the range of a comprehension; with one variable it reads only the keys of a map. */
    private void range(CelExpr.CelComprehension fold) {
        if (!fold.iterVar2().isEmpty()) {
            use(fold.iterRange());
            return;
        }
        switch (visit(fold.iterRange())) {
            case Part.ByDomain domains -> readings.add(new Reading.Domains(domains.side));
            case Part.ById ids -> readings.add(new Reading.Ids(ids.side, ids.domain));
            case Part.Whole whole -> use(fold.iterRange());
            case Part.Value value -> {}
        }
    }
}
