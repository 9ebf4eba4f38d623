package dev.claimstream.selectors;

import com.google.common.collect.ImmutableSet;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.claimstream.dra.Device;
import dev.claimstream.selectors.ReadPath.DeviceMap;
import dev.claimstream.selectors.evaluation.ExpressionTrees;
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
    private sealed interface DevicePart {
        record WholeDevice() implements DevicePart {}

        record MapByDomain(DeviceMap side) implements DevicePart {}

        record MapByName(DeviceMap side, String domain) implements DevicePart {}

        /** A value that is not a map of the device. */
        record OtherValue() implements DevicePart {}
    }

    private static final DevicePart VALUE = new DevicePart.OtherValue();

    private final Set<ReadPath> readPaths = new LinkedHashSet<>();
    private final Deque<Map<String, DevicePart>> scopes = new ArrayDeque<>();

    private ReadSet() {}

    /** Returns all parts that an expression can read. */
    static ImmutableSet<ReadPath> of(CelExpr expression) {
        ReadSet set = new ReadSet();
        set.use(expression);
        return ImmutableSet.copyOf(set.readPaths);
    }

    /** Returns the values of a device for the parts that an expression reads. */
    static List<Object> project(List<ReadPath> readings, String driver, Device device) {
        List<Object> values = new ArrayList<>(readings.size());
        for (ReadPath reading : readings) {
            values.add(reading.of(driver, device));
        }
        return values;
    }

    /** Marks the value of an expression as used, so that all of it may be read. */
    private void use(CelExpr expression) {
        switch (visit(expression)) {
            case DevicePart.WholeDevice whole -> {
                readPaths.add(new ReadPath.DriverName());
                readPaths.add(new ReadPath.MultipleAllocations());
                readPaths.add(new ReadPath.AllEntries(DeviceMap.ATTRIBUTES));
                readPaths.add(new ReadPath.AllEntries(DeviceMap.CAPACITY));
            }
            case DevicePart.MapByDomain domains -> readPaths.add(new ReadPath.AllEntries(domains.side));
            case DevicePart.MapByName ids -> readPaths.add(new ReadPath.DomainEntries(ids.side, ids.domain));
            case DevicePart.OtherValue value -> {}
        }
    }

    private DevicePart visit(CelExpr expression) {
        return switch (expression.getKind()) {
            case IDENT -> variable(expression.ident().name());
            case SELECT ->
                select(visit(expression.select().operand()), expression.select().field());
            case CALL -> call(expression);
            case COMPREHENSION -> fold(expression.comprehension());
            case LIST, MAP, STRUCT, CONSTANT, NOT_SET -> parts(expression);
        };
    }

    private DevicePart parts(CelExpr expression) {
        ExpressionTrees.children(expression).forEach(this::use);
        return VALUE;
    }

    private DevicePart variable(String name) {
        for (Map<String, DevicePart> scope : scopes) {
            DevicePart part = scope.get(name);
            if (part != null) {
                return part;
            }
        }
        return name.equals(Environment.VARIABLE) || name.equals("." + Environment.VARIABLE)
                ? new DevicePart.WholeDevice()
                : VALUE;
    }

    private DevicePart select(DevicePart part, String name) {
        return switch (part) {
            case DevicePart.WholeDevice whole ->
                switch (name) {
                    case "attributes" -> new DevicePart.MapByDomain(DeviceMap.ATTRIBUTES);
                    case "capacity" -> new DevicePart.MapByDomain(DeviceMap.CAPACITY);
                    case "driver" -> read(new ReadPath.DriverName());
                    default -> read(new ReadPath.MultipleAllocations());
                };
            case DevicePart.MapByDomain domains -> new DevicePart.MapByName(domains.side, name);
            case DevicePart.MapByName ids -> read(ReadPath.MapEntry.of(ids.side, ids.domain, name));
            case DevicePart.OtherValue value -> value;
        };
    }

    private DevicePart read(ReadPath reading) {
        readPaths.add(reading);
        return VALUE;
    }

    private DevicePart call(CelExpr expression) {
        List<CelExpr> arguments = ExpressionTrees.arguments(expression);
        return switch (expression.call().function()) {
            case "_[_]", "_[?_]", "_?._" -> index(arguments);
            case "@in" -> membership(arguments);
            default -> parts(expression);
        };
    }

    private DevicePart index(List<CelExpr> arguments) {
        Optional<String> name = literal(arguments.get(1));
        if (name.isPresent()) {
            return select(visit(arguments.get(0)), name.get());
        }
        arguments.forEach(this::use);
        return VALUE;
    }

    private DevicePart membership(List<CelExpr> arguments) {
        Optional<String> name = literal(arguments.get(0));
        if (name.isEmpty()) {
            arguments.forEach(this::use);
            return VALUE;
        }
        return switch (visit(arguments.get(1))) {
            case DevicePart.MapByDomain domains -> read(new ReadPath.DomainNames(domains.side));
            case DevicePart.MapByName ids -> read(ReadPath.MapEntry.of(ids.side, ids.domain, name.get()));
            case DevicePart.WholeDevice whole -> read(new ReadPath.DriverName());
            case DevicePart.OtherValue value -> value;
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
    private DevicePart fold(CelExpr.CelComprehension fold) {
        boolean binds = fold.iterRange().getKind() == Kind.LIST
                && fold.iterRange().list().elements().isEmpty();
        DevicePart start = visit(fold.accuInit());
        if (start instanceof DevicePart.MapByDomain domains) {
            readPaths.add(new ReadPath.EntryPresence(domains.side));
        }
        if (!binds) {
            range(fold);
        }
        scopes.push(binds ? Map.of(fold.accuVar(), start) : locals(fold));
        if (!binds) {
            use(fold.loopCondition());
            use(fold.loopStep());
        }
        DevicePart result = visit(fold.result());
        scopes.pop();
        return result;
    }

    private static Map<String, DevicePart> locals(CelExpr.CelComprehension fold) {
        Map<String, DevicePart> locals = new LinkedHashMap<>();
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
            case DevicePart.MapByDomain domains -> readPaths.add(new ReadPath.DomainNames(domains.side));
            case DevicePart.MapByName ids -> readPaths.add(new ReadPath.EntryNames(ids.side, ids.domain));
            case DevicePart.WholeDevice whole -> use(fold.iterRange());
            case DevicePart.OtherValue value -> {}
        }
    }
}
