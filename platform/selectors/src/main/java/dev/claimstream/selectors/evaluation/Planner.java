package dev.claimstream.selectors.evaluation;

import com.google.common.collect.ImmutableSet;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelComprehension;
import dev.cel.common.ast.CelExpr.CelMap;
import dev.cel.common.ast.CelReference;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.NullValue;
import dev.claimstream.selectors.evaluation.Call.Strictness;
import dev.claimstream.selectors.functions.Functions.Body;
import dev.claimstream.selectors.functions.Kinds;
import dev.claimstream.selectors.functions.Messages;
import dev.claimstream.selectors.functions.Patterns;
import dev.claimstream.selectors.values.KubernetesTypes;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Creates the steps of an expression.
 *
 * <p>Constants, lists and maps of constants, conversions of constants and membership in an empty list are computed at planning time,
 * because upstream does not charge for them.
 */
final class Planner {
    private static final Set<String> CONVERSIONS =
            ImmutableSet.of("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint");

    private static final Set<String> WITH_PATTERN = ImmutableSet.of("matches", "find", "findAll");

    /** Functions that inspect no more of their arguments than they cost, or nothing inside them. */
    private static final Set<String> BLIND = ImmutableSet.of(
            "_+_",
            "_-_",
            "_*_",
            "_/_",
            "_%_",
            "-_",
            "!_",
            "@not_strictly_false",
            "cel.@mapInsert",
            "dyn",
            "first",
            "hasValue",
            "last",
            "lists.range",
            "optional.none",
            "optional.of",
            "optional.ofNonZeroValue",
            "size",
            "slice",
            "type",
            "value");

    private final CelAbstractSyntaxTree tree;
    private final BiFunction<String, String, Optional<Body>> functions;
    private final Deque<Map<String, Function<Frame, Object>>> scopes = new ArrayDeque<>();
    private int variables;
    private int idsMax;

    Planner(CelAbstractSyntaxTree tree, BiFunction<String, String, Optional<Body>> functions) {
        this.tree = tree;
        this.functions = functions;
    }

    Plan plan(CelExpr root) throws PlanException {
        Trees.walk(root, each -> idsMax = Math.max(idsMax, id(each)));
        return new Plan(step(root), idsMax, variables);
    }

    private static int id(CelExpr expression) {
        return Math.toIntExact(expression.id());
    }

    private Step step(CelExpr expression) throws PlanException {
        return switch (expression.getKind()) {
            case CONSTANT -> new Step.Constant(id(expression), value(expression.constant()));
            case IDENT -> name(expression, expression.ident().name());
            case SELECT -> selection(expression);
            case CALL -> call(expression);
            case LIST -> list(expression);
            case MAP -> map(expression);
            case COMPREHENSION -> fold(id(expression), expression.comprehension());
            case STRUCT -> new Step.NewMessage(id(expression), expression.struct(), steps(Trees.children(expression)));
            case NOT_SET -> throw new PlanException("unsupported expr: " + expression);
        };
    }

    private Step[] steps(List<CelExpr> expressions) throws PlanException {
        Step[] steps = new Step[expressions.size()];
        for (int i = 0; i < steps.length; i++) {
            steps[i] = step(expressions.get(i));
        }
        return steps;
    }

    private static Object value(CelConstant constant) {
        return switch (constant.getKind()) {
            case NULL_VALUE -> NullValue.NULL_VALUE;
            case BOOLEAN_VALUE -> constant.booleanValue();
            case INT64_VALUE -> constant.int64Value();
            case UINT64_VALUE -> constant.uint64Value();
            case DOUBLE_VALUE -> constant.doubleValue();
            case STRING_VALUE -> constant.stringValue();
            case BYTES_VALUE -> constant.bytesValue();
            default -> throw new IllegalStateException("a constant of kind " + constant.getKind());
        };
    }

    // ---- names and qualifiers

    private Step name(CelExpr expression, String name) throws PlanException {
        boolean isGlobal = name.startsWith(".");
        String plain = isGlobal ? name.substring(1) : name;
        CelType type = tree.getType(expression.id()).orElse(SimpleType.DYN);
        Function<Frame, Object> variable = isGlobal ? null : local(plain);
        if (type.kind() == CelKind.TYPE) {
            if (variable != null || Messages.isNoType(plain) || plain.equals(KubernetesTypes.DEVICE.name())) {
                throw new PlanException("reference to undefined type: " + plain);
            }
            return new Step.Constant(id(expression), type);
        }
        if (variable == null && plain.equals(Messages.NULL)) {
            return new Step.Constant(id(expression), 0L);
        }
        return new Path(new Attribute.OfVariable(id(expression), variable == null ? Frame::device : variable));
    }

    private @Nullable Function<Frame, Object> local(String name) {
        for (Map<String, Function<Frame, Object>> scope : scopes) {
            Function<Frame, Object> variable = scope.get(name);
            if (variable != null) {
                return variable;
            }
        }
        return null;
    }

    private Step selection(CelExpr expression) throws PlanException {
        Map<Long, CelReference> references = tree.getReferenceMap();
        CelReference reference = references.get(expression.id());
        if (reference != null) {
            return name(expression, reference.name());
        }
        Path path = path(step(expression.select().operand()));
        String field = expression.select().field();
        if (expression.select().testOnly()) {
            path.test(new Key.Tested(id(expression), field));
        } else {
            path.add(new Key.Known(id(expression), false, field));
        }
        return path;
    }

    /** Returns a chain that starts at a step; an existing chain is extended. */
    private static Path path(Step start) {
        return start instanceof Path path ? path : new Path(new Attribute.OfStep(start.id(), start));
    }

    private static Attribute attribute(Step step) {
        return step instanceof Path path ? path.attribute() : new Attribute.OfStep(step.id(), step);
    }

    private Step index(int id, Step container, Step index, boolean optional) throws PlanException {
        Path path = path(container);
        path.add(
                switch (index) {
                    case Step.Constant constant -> known(id, constant.value, optional);
                    case Path key -> new Key.OfAttribute(id, optional, key.attribute());
                    default -> new Key.OfStep(id, optional, index);
                });
        return path;
    }

    private static Key known(int id, Object key, boolean optional) throws PlanException {
        if (!Access.isKey(key)) {
            throw new PlanException("invalid qualifier type: " + Kinds.goTypeOf(key));
        }
        return new Key.Known(id, optional, key);
    }

    // ---- calls

    private Step call(CelExpr expression) throws PlanException {
        int id = id(expression);
        String function = expression.call().function();
        Step[] arguments = steps(Trees.arguments(expression));
        return switch (function) {
            case "_&&_" -> new Step.Logic(id, arguments, false);
            case "_||_" -> new Step.Logic(id, arguments, true);
            case "_?_:_" ->
                new Path(new Attribute.Choice(id, arguments[0], attribute(arguments[1]), attribute(arguments[2])));
            case "_[_]" -> index(id, arguments[0], arguments[1], false);
            case "_[?_]", "_?._" -> index(id, arguments[0], arguments[1], true);
            case "or" -> new Step.Or(id, arguments[0], arguments[1], false);
            case "orValue" -> new Step.Or(id, arguments[0], arguments[1], true);
            case "@in" -> membership(expression, arguments);
            default -> function(expression, arguments);
        };
    }

    private Step membership(CelExpr expression, Step[] arguments) throws PlanException {
        if (overload(expression).equals("in_list")
                && arguments[1] instanceof Step.Constant list
                && list.value instanceof List<?> members) {
            if (members.isEmpty()) {
                return new Step.Constant(id(expression), false);
            }
            if (members.stream().allMatch(Access::isKey)) {
                return new Step.Membership(id(expression), arguments[0], members);
            }
        }
        return function(expression, arguments);
    }

    private Step function(CelExpr expression, Step[] arguments) throws PlanException {
        String function = expression.call().function();
        Charge charge = Charge.of(function, overload(expression));
        Call call = new Call(
                id(expression),
                arguments,
                strictness(expression, arguments),
                charge,
                !BLIND.contains(function),
                body(function, overload(expression)));
        boolean isConversion = arguments.length == 1 && CONVERSIONS.contains(function);
        return isConversion && arguments[0] instanceof Step.Constant ? computed(call) : call;
    }

    private Body body(String function, String overload) throws PlanException {
        return functions
                .apply(function, overload)
                .orElseThrow(() -> new PlanException("no such overload: " + function));
    }

    /** Computes the value of a step without variables. */
    private Step computed(Step step) throws PlanException {
        Object value = new Plan(step, idsMax, 0)
                .evaluate(NullValue.NULL_VALUE, Long.MAX_VALUE)
                .value();
        if (value instanceof Failure failure) {
            throw new PlanException(failure.message());
        }
        return new Step.Constant(step.id(), value);
    }

    private String overload(CelExpr call) {
        CelReference reference = tree.getReferenceMap().get(call.id());
        return reference != null && reference.overloadIds().size() == 1
                ? reference.overloadIds().getFirst()
                : "";
    }

    /** Returns the treatment of errors. Upstream calls functions with two arguments in one of two ways, which only differ for errors. */
    private Strictness strictness(CelExpr expression, Step[] arguments) throws PlanException {
        String function = expression.call().function();
        if (function.equals("@not_strictly_false")) {
            return Strictness.LENIENT;
        }
        boolean isOperator = function.startsWith("_") || function.startsWith("@");
        boolean isChosenByArguments = !isOperator && overload(expression).isEmpty();
        return arguments.length > 2
                        || function.equals("format")
                        || hasKnownPattern(function, arguments)
                        || isChosenByArguments
                ? Strictness.UP_TO_THE_FIRST_ERROR
                : Strictness.STRICT;
    }

    /** Returns whether the pattern is constant, so that it is compiled once. */
    private static boolean hasKnownPattern(String function, Step[] arguments) throws PlanException {
        if (arguments.length < 2
                || !WITH_PATTERN.contains(function)
                || !(arguments[1] instanceof Step.Constant constant)
                || !(constant.value instanceof String pattern)) {
            return false;
        }
        try {
            var _ = Patterns.of(pattern);
            return true;
        } catch (IllegalArgumentException e) {
            throw new PlanException(String.valueOf(e.getMessage()));
        }
    }

    // ---- lists, maps and comprehensions

    private Step list(CelExpr expression) throws PlanException {
        Step[] elements = steps(expression.list().elements());
        Step made = new Step.NewList(
                id(expression), elements, ImmutableSet.copyOf(expression.list().optionalIndices()));
        return folded(made, elements);
    }

    private Step map(CelExpr expression) throws PlanException {
        Step[] parts = steps(Trees.children(expression));
        List<CelMap.Entry> entries = expression.map().entries();
        ImmutableSet.Builder<Integer> optional = ImmutableSet.builder();
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).optionalEntry()) {
                optional.add(i);
            }
        }
        return folded(new Step.NewMap(id(expression), parts, optional.build()), parts);
    }

    private Step folded(Step made, Step[] parts) throws PlanException {
        for (Step part : parts) {
            if (!(part instanceof Step.Constant)) {
                return made;
            }
        }
        return computed(made);
    }

    private Step fold(int id, CelComprehension fold) throws PlanException {
        Step start = step(fold.accuInit());
        Step range = step(fold.iterRange());
        int accumulator = variables++;
        int first = variables++;
        int second = fold.iterVar2().isEmpty() ? -1 : variables++;
        Map<String, Function<Frame, Object>> outer =
                Map.of(fold.accuVar(), frame -> Fold.accumulated(frame, accumulator, start));
        scopes.push(second < 0 ? Map.of() : Map.of(fold.iterVar2(), frame -> set(frame.variables()[second])));
        scopes.push(Map.of(fold.iterVar(), frame -> set(frame.variables()[first])));
        scopes.push(outer);
        Step condition = step(fold.loopCondition());
        Step step = step(fold.loopStep());
        scopes.pop();
        scopes.pop();
        scopes.pop();
        scopes.push(outer);
        Step result = step(fold.result());
        scopes.pop();
        return new Fold(
                id, range, new Fold.Variables(accumulator, first, second), new Fold.Body(condition, step, result));
    }

    private static Object set(@Nullable Object variable) {
        if (variable == null) {
            throw new IllegalStateException("a loop variable is read outside its loop");
        }
        return variable;
    }
}
