package dev.claimstream.selectors;

import com.google.common.collect.ImmutableList;
import com.google.common.primitives.ImmutableIntArray;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.ast.CelReference;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.cel.common.types.OptionalType;
import dev.cel.common.types.SimpleType;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What each node of an expression costs when it is evaluated, indexed by its id. The evaluator reports a chain of selections once, as a
 * whole, while upstream charges every link; the plan accounts for that.
 */
final class CostPlan {
    private static final long NEW_LIST = 10;
    private static final long NEW_MAP = 30;
    private static final long NEW_STRUCT = 40;
    private static final Set<String> SIMPLE_TYPES = Set.of("bool", "int", "uint", "double", "string");

    /** The cost of a node. */
    private record Node(long fixed, Charge charge, ImmutableIntArray arguments, boolean twice, long again) {
        static final Node FREE = fixed(0);

        static Node fixed(long cost) {
            return new Node(cost, Charge.NOTHING, ImmutableIntArray.of(), false, 0);
        }

        Node plus(long cost) {
            return new Node(fixed + cost, charge, arguments, twice, again);
        }
    }

    private final CelAbstractSyntaxTree tree;
    private final Node[] nodes;
    private final boolean[] kept;
    private final Terms terms;

    CostPlan(CelAbstractSyntaxTree tree) {
        this.tree = tree;
        int[] last = {0};
        Trees.walk(tree.getExpr(), e -> last[0] = Math.max(last[0], (int) e.id()));
        nodes = new Node[last[0] + 1];
        kept = new boolean[last[0] + 1];
        Arrays.fill(nodes, Node.FREE);
        plan(tree.getExpr());
        terms = new Terms(tree.getExpr(), nodes.length);
    }

    Terms terms() {
        return terms;
    }

    int size() {
        return nodes.length;
    }

    /** Whether the value of a node is needed to charge for a call. */
    boolean isKept(int id) {
        return kept[id];
    }

    /** The cost of a node that has just been evaluated; {@code values} are those of the nodes that are kept. */
    long cost(int id, Object result, Object[] values, boolean[] reported) {
        Node node = nodes[id];
        if (node.twice) {
            return costOfTwo(node, id, result, reported);
        }
        if (node.charge == Charge.NOTHING) {
            return node.fixed;
        }
        Object[] arguments = new Object[node.arguments.length()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = values[node.arguments.get(i)] == null ? 0L : values[node.arguments.get(i)];
        }
        return node.fixed + node.charge.cost(arguments, result);
    }

    /** Presence tests and optional selections are reported twice, unless there is nothing; the first report is charged. */
    private static long costOfTwo(Node node, int id, Object result, boolean[] reported) {
        if (result instanceof Optional<?> found && found.isEmpty()) {
            return node.fixed - 1;
        }
        reported[id] = !reported[id];
        return reported[id] ? node.fixed - node.again : 0;
    }

    private void plan(CelExpr expression) {
        if (Constants.isFolded(expression)) {
            return;
        }
        Trees.children(expression).forEach(this::plan);
        switch (expression.getKind()) {
            case IDENT -> set(expression, Node.fixed(isType(expression) ? 0 : 1));
            case SELECT -> set(expression, selection(expression));
            case LIST -> set(expression, Node.fixed(NEW_LIST));
            case MAP -> set(expression, Node.fixed(NEW_MAP));
            case STRUCT -> set(expression, Node.fixed(NEW_STRUCT));
            case CALL -> set(expression, call(expression));
            case CONSTANT, COMPREHENSION, NOT_SET -> {}
        }
        if (isChoice(expression)) {
            expression.call().args().stream()
                    .skip(1)
                    .filter(branch -> isPath(branch) && !isChoice(branch))
                    .forEach(branch -> add(branch, -1));
        }
    }

    private void set(CelExpr expression, Node node) {
        nodes[(int) expression.id()] = node;
    }

    private void add(CelExpr expression, long cost) {
        nodes[(int) expression.id()] = nodes[(int) expression.id()].plus(cost);
    }

    /** A type's name is a constant. */
    private boolean isType(CelExpr identifier) {
        return type(identifier).kind() == CelKind.TYPE;
    }

    private CelType type(CelExpr expression) {
        return tree.getType(expression.id()).orElse(SimpleType.DYN);
    }

    private Node selection(CelExpr expression) {
        CelExpr operand = expression.select().operand();
        long cost = 1 + rootCost(operand);
        if (type(operand) instanceof OptionalType) {
            return new Node(cost - 1, Charge.PRESENT, ImmutableIntArray.of(), false, 0);
        }
        return expression.select().testOnly()
                ? new Node(cost - 1, Charge.NOTHING, ImmutableIntArray.of(), true, 0)
                : Node.fixed(cost);
    }

    /** What the operand of a selection costs that is not reported by itself: a chain down to its variable, or the start of a new chain. */
    private static long rootCost(CelExpr operand) {
        return switch (operand.getKind()) {
            case IDENT -> 1;
            case SELECT ->
                operand.select().testOnly() ? 1 : 1 + rootCost(operand.select().operand());
            default -> isPath(operand) ? 0 : 1;
        };
    }

    /** Whether upstream resolves an expression as one chain from a variable or a value. */
    private static boolean isPath(CelExpr expression) {
        return switch (expression.getKind()) {
            case IDENT -> true;
            case SELECT -> !expression.select().testOnly();
            case CALL -> isStep(expression) || isChoice(expression);
            default -> false;
        };
    }

    private static boolean isChoice(CelExpr call) {
        return Trees.isCall(call, "_?_:_");
    }

    private static boolean isStep(CelExpr call) {
        return isIndex(call) || Trees.isCall(call, "_?._");
    }

    private static boolean isIndex(CelExpr call) {
        return Trees.isCall(call, "_[_]") || Trees.isCall(call, "_[?_]");
    }

    private Node call(CelExpr expression) {
        List<CelExpr> arguments = Trees.arguments(expression);
        String function = expression.call().function();
        if (function.equals("_?._")) {
            return optionalSelection(arguments.getFirst());
        }
        if (isStep(expression)) {
            long start = isPath(arguments.getFirst()) ? 0 : 1;
            boolean isOptional = function.equals("_[?_]");
            boolean isPaid =
                    isPath(arguments.get(1)) && !isChoice(arguments.get(1)); // a chain as index pays for the link
            long counted = isPaid ? 1 : 0;
            return new Node(
                    start - counted, isOptional ? Charge.PRESENT : Charge.ONE, ImmutableIntArray.of(), false, 0);
        }
        if (isSetMembership(expression, arguments)) {
            return Node.FREE;
        }
        Charge charge = Charge.of(function, overload(expression));
        return new Node(0, charge, charge.needsArguments() ? keep(arguments) : ImmutableIntArray.of(), false, 0);
    }

    /** The evaluator reads the operand a second time where it is no plain chain; its cost is then taken back. */
    private Node optionalSelection(CelExpr operand) {
        long start = isPath(operand) ? 0 : 1;
        boolean isReadAgain = operand.getKind() == Kind.CALL;
        return new Node(1 + start, Charge.NOTHING, ImmutableIntArray.of(), true, isReadAgain ? pathCost(operand) : 0);
    }

    /** The cost of a chain with literal indexes, 0 for everything whose cost is not known beforehand. */
    private long pathCost(CelExpr expression) {
        return switch (expression.getKind()) {
            case IDENT, SELECT -> nodes[(int) expression.id()].fixed;
            case CALL ->
                isIndex(expression) && expression.call().args().get(1).getKind() == Kind.CONSTANT
                        ? 1
                                + nodes[(int) expression.id()].fixed
                                + pathCost(expression.call().args().getFirst())
                        : 0;
            default -> 0;
        };
    }

    /** Upstream turns a literal list of simple values into a set, and asking a set is free. */
    private boolean isSetMembership(CelExpr expression, List<CelExpr> arguments) {
        return overload(expression).equals("in_list")
                && arguments.get(1).getKind() == Kind.LIST
                && arguments.get(1).list().elements().stream().allMatch(CostPlan::isSimple);
    }

    private static boolean isSimple(CelExpr element) {
        if (element.getKind() == Kind.CALL && Constants.isFolded(element)) {
            CelExpr converted = element.call().args().getFirst();
            return Trees.isCall(element, "dyn")
                    ? isSimple(converted)
                    : SIMPLE_TYPES.contains(element.call().function());
        }
        return element.getKind() == Kind.CONSTANT
                && switch (element.constant().getKind()) {
                    case BOOLEAN_VALUE, INT64_VALUE, UINT64_VALUE, DOUBLE_VALUE, STRING_VALUE -> true;
                    default -> false;
                };
    }

    private ImmutableIntArray keep(List<CelExpr> arguments) {
        int[] ids = arguments.stream().mapToInt(argument -> (int) argument.id()).toArray();
        for (int id : ids) {
            kept[id] = true;
        }
        return ImmutableIntArray.copyOf(ids);
    }

    private String overload(CelExpr call) {
        ImmutableList<String> overloads =
                tree.getReference(call.id()).map(CelReference::overloadIds).orElse(ImmutableList.of());
        return overloads.size() == 1 ? overloads.getFirst() : "";
    }
}
