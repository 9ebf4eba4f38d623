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
import dev.claimstream.selectors.evaluation.FunctionCall.ArgumentStrictness;
import dev.claimstream.selectors.functions.FunctionRegistry.FunctionBody;
import dev.claimstream.selectors.functions.ProtobufMessages;
import dev.claimstream.selectors.functions.RegexCache;
import dev.claimstream.selectors.functions.ValueTypes;
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
final class ExpressionPlanner {
    private static final Set<String> CONVERSIONS =
            ImmutableSet.of("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint");

    private static final Set<String> WITH_PATTERN = ImmutableSet.of("matches", "find", "findAll");

    /** Functions that inspect no more of their arguments than they cost, or nothing inside them. */
    private static final Set<String> NON_INSPECTING = ImmutableSet.of(
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
    private final BiFunction<String, String, Optional<FunctionBody>> functions;
    private final Deque<Map<String, Function<EvaluationFrame, Object>>> scopes = new ArrayDeque<>();
    private int variables;
    private int idsMax;

    ExpressionPlanner(CelAbstractSyntaxTree tree, BiFunction<String, String, Optional<FunctionBody>> functions) {
        this.tree = tree;
        this.functions = functions;
    }

    EvaluationPlan plan(CelExpr root) throws PlanException {
        ExpressionTrees.walk(root, each -> idsMax = Math.max(idsMax, id(each)));
        return new EvaluationPlan(step(root), idsMax, variables);
    }

    private static int id(CelExpr expression) {
        return Math.toIntExact(expression.id());
    }

    private PlanStep step(CelExpr expression) throws PlanException {
        return switch (expression.getKind()) {
            case CONSTANT -> new PlanStep.Constant(id(expression), value(expression.constant()));
            case IDENT -> name(expression, expression.ident().name());
            case SELECT -> selection(expression);
            case CALL -> call(expression);
            case LIST -> list(expression);
            case MAP -> map(expression);
            case COMPREHENSION -> fold(id(expression), expression.comprehension());
            case STRUCT ->
                new PlanStep.NewMessage(
                        id(expression), expression.struct(), steps(ExpressionTrees.children(expression)));
            case NOT_SET -> throw new PlanException("unsupported expr: " + expression);
        };
    }

    private PlanStep[] steps(List<CelExpr> expressions) throws PlanException {
        PlanStep[] steps = new PlanStep[expressions.size()];
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

    private PlanStep name(CelExpr expression, String name) throws PlanException {
        boolean isGlobal = name.startsWith(".");
        String plain = isGlobal ? name.substring(1) : name;
        CelType type = tree.getType(expression.id()).orElse(SimpleType.DYN);
        Function<EvaluationFrame, Object> variable = isGlobal ? null : local(plain);
        if (type.kind() == CelKind.TYPE) {
            if (variable != null || ProtobufMessages.isNoType(plain) || plain.equals(KubernetesTypes.DEVICE.name())) {
                throw new PlanException("reference to undefined type: " + plain);
            }
            return new PlanStep.Constant(id(expression), type);
        }
        if (variable == null && plain.equals(ProtobufMessages.NULL)) {
            return new PlanStep.Constant(id(expression), 0L);
        }
        return new AttributeStep(
                new Attribute.VariableChain(id(expression), variable == null ? EvaluationFrame::device : variable));
    }

    private @Nullable Function<EvaluationFrame, Object> local(String name) {
        for (Map<String, Function<EvaluationFrame, Object>> scope : scopes) {
            Function<EvaluationFrame, Object> variable = scope.get(name);
            if (variable != null) {
                return variable;
            }
        }
        return null;
    }

    private PlanStep selection(CelExpr expression) throws PlanException {
        Map<Long, CelReference> references = tree.getReferenceMap();
        CelReference reference = references.get(expression.id());
        if (reference != null) {
            return name(expression, reference.name());
        }
        AttributeStep path = path(step(expression.select().operand()));
        String field = expression.select().field();
        if (expression.select().testOnly()) {
            path.addPresenceTest(new Qualifier.PresenceQualifier(id(expression), field));
        } else {
            path.add(new Qualifier.ConstantQualifier(id(expression), false, field));
        }
        return path;
    }

    /** Returns a chain that starts at a step; an existing chain is extended. */
    private static AttributeStep path(PlanStep start) {
        return start instanceof AttributeStep path
                ? path
                : new AttributeStep(new Attribute.StepChain(start.id(), start));
    }

    private static Attribute attribute(PlanStep step) {
        return step instanceof AttributeStep path ? path.attribute() : new Attribute.StepChain(step.id(), step);
    }

    private PlanStep index(int id, PlanStep container, PlanStep index, boolean optional) throws PlanException {
        AttributeStep path = path(container);
        path.add(
                switch (index) {
                    case PlanStep.Constant constant -> known(id, constant.value, optional);
                    case AttributeStep key -> new Qualifier.AttributeQualifier(id, optional, key.attribute());
                    default -> new Qualifier.StepQualifier(id, optional, index);
                });
        return path;
    }

    private static Qualifier known(int id, Object key, boolean optional) throws PlanException {
        if (!ContainerAccess.isKey(key)) {
            throw new PlanException("invalid qualifier type: " + ValueTypes.goTypeOf(key));
        }
        return new Qualifier.ConstantQualifier(id, optional, key);
    }

    // ---- calls

    private PlanStep call(CelExpr expression) throws PlanException {
        int id = id(expression);
        String function = expression.call().function();
        PlanStep[] arguments = steps(ExpressionTrees.arguments(expression));
        return switch (function) {
            case "_&&_" -> new PlanStep.LogicalOperator(id, arguments, false);
            case "_||_" -> new PlanStep.LogicalOperator(id, arguments, true);
            case "_?_:_" ->
                new AttributeStep(new Attribute.ConditionalAttribute(
                        id, arguments[0], attribute(arguments[1]), attribute(arguments[2])));
            case "_[_]" -> index(id, arguments[0], arguments[1], false);
            case "_[?_]", "_?._" -> index(id, arguments[0], arguments[1], true);
            case "or" -> new PlanStep.OptionalAlternative(id, arguments[0], arguments[1], false);
            case "orValue" -> new PlanStep.OptionalAlternative(id, arguments[0], arguments[1], true);
            case "@in" -> membership(expression, arguments);
            default -> function(expression, arguments);
        };
    }

    private PlanStep membership(CelExpr expression, PlanStep[] arguments) throws PlanException {
        if (overload(expression).equals("in_list")
                && arguments[1] instanceof PlanStep.Constant list
                && list.value instanceof List<?> members) {
            if (members.isEmpty()) {
                return new PlanStep.Constant(id(expression), false);
            }
            if (members.stream().allMatch(ContainerAccess::isKey)) {
                return new PlanStep.Membership(id(expression), arguments[0], members);
            }
        }
        return function(expression, arguments);
    }

    private PlanStep function(CelExpr expression, PlanStep[] arguments) throws PlanException {
        String function = expression.call().function();
        CostRule charge = CostRule.of(function, overload(expression));
        FunctionCall call = new FunctionCall(
                id(expression),
                arguments,
                strictness(expression, arguments),
                charge,
                !NON_INSPECTING.contains(function),
                body(function, overload(expression)));
        boolean isConversion = arguments.length == 1 && CONVERSIONS.contains(function);
        return isConversion && arguments[0] instanceof PlanStep.Constant ? constantOf(call) : call;
    }

    private FunctionBody body(String function, String overload) throws PlanException {
        return functions
                .apply(function, overload)
                .orElseThrow(() -> new PlanException("no such overload: " + function));
    }

    /** Computes the value of a step without variables. */
    private PlanStep constantOf(PlanStep step) throws PlanException {
        Object value = new EvaluationPlan(step, idsMax, 0)
                .evaluate(NullValue.NULL_VALUE, Long.MAX_VALUE)
                .value();
        if (value instanceof EvaluationFailure failure) {
            throw new PlanException(failure.message());
        }
        return new PlanStep.Constant(step.id(), value);
    }

    private String overload(CelExpr call) {
        CelReference reference = tree.getReferenceMap().get(call.id());
        return reference != null && reference.overloadIds().size() == 1
                ? reference.overloadIds().getFirst()
                : "";
    }

    /** Returns the treatment of errors. Upstream calls functions with two arguments in one of two ways, which only differ for errors. */
    private ArgumentStrictness strictness(CelExpr expression, PlanStep[] arguments) throws PlanException {
        String function = expression.call().function();
        if (function.equals("@not_strictly_false")) {
            return ArgumentStrictness.LENIENT;
        }
        boolean isOperator = function.startsWith("_") || function.startsWith("@");
        boolean isChosenByArguments = !isOperator && overload(expression).isEmpty();
        return arguments.length > 2
                        || function.equals("format")
                        || hasKnownPattern(function, arguments)
                        || isChosenByArguments
                ? ArgumentStrictness.STOP_AT_FIRST_ERROR
                : ArgumentStrictness.STRICT;
    }

    /** Returns whether the pattern is constant, so that it is compiled once. */
    private static boolean hasKnownPattern(String function, PlanStep[] arguments) throws PlanException {
        if (arguments.length < 2
                || !WITH_PATTERN.contains(function)
                || !(arguments[1] instanceof PlanStep.Constant constant)
                || !(constant.value instanceof String pattern)) {
            return false;
        }
        try {
            var _ = RegexCache.of(pattern);
            return true;
        } catch (IllegalArgumentException e) {
            throw new PlanException(String.valueOf(e.getMessage()));
        }
    }

    // ---- lists, maps and comprehensions

    private PlanStep list(CelExpr expression) throws PlanException {
        PlanStep[] elements = steps(expression.list().elements());
        PlanStep planned = new PlanStep.NewList(
                id(expression), elements, ImmutableSet.copyOf(expression.list().optionalIndices()));
        return folded(planned, elements);
    }

    private PlanStep map(CelExpr expression) throws PlanException {
        PlanStep[] parts = steps(ExpressionTrees.children(expression));
        List<CelMap.Entry> entries = expression.map().entries();
        ImmutableSet.Builder<Integer> optional = ImmutableSet.builder();
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i).optionalEntry()) {
                optional.add(i);
            }
        }
        return folded(new PlanStep.NewMap(id(expression), parts, optional.build()), parts);
    }

    private PlanStep folded(PlanStep planned, PlanStep[] parts) throws PlanException {
        for (PlanStep part : parts) {
            if (!(part instanceof PlanStep.Constant)) {
                return planned;
            }
        }
        return constantOf(planned);
    }

    private PlanStep fold(int id, CelComprehension fold) throws PlanException {
        PlanStep start = step(fold.accuInit());
        PlanStep range = step(fold.iterRange());
        int accumulator = variables++;
        int first = variables++;
        int second = fold.iterVar2().isEmpty() ? -1 : variables++;
        Map<String, Function<EvaluationFrame, Object>> outer =
                Map.of(fold.accuVar(), frame -> Comprehension.accumulated(frame, accumulator, start));
        scopes.push(second < 0 ? Map.of() : Map.of(fold.iterVar2(), frame -> set(frame.variables()[second])));
        scopes.push(Map.of(fold.iterVar(), frame -> set(frame.variables()[first])));
        scopes.push(outer);
        PlanStep condition = step(fold.loopCondition());
        PlanStep step = step(fold.loopStep());
        scopes.pop();
        scopes.pop();
        scopes.pop();
        scopes.push(outer);
        PlanStep result = step(fold.result());
        scopes.pop();
        return new Comprehension(
                id,
                range,
                new Comprehension.LoopVariables(accumulator, first, second),
                new Comprehension.LoopParts(condition, step, result));
    }

    private static Object set(@Nullable Object variable) {
        if (variable == null) {
            throw new IllegalStateException("a loop variable is read outside its loop");
        }
        return variable;
    }
}
