package dev.claimstream.selectors;

import dev.cel.bundle.Cel;
import dev.cel.bundle.CelFactory;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelSource;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.ExprKind.Kind;
import dev.cel.common.types.CelType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.cel.runtime.CelEvaluationException;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelRuntime.Program;
import dev.claimstream.dra.Device;
import dev.claimstream.selectors.functions.Functions;
import dev.claimstream.selectors.functions.Library;
import dev.claimstream.selectors.functions.Macros;
import dev.claimstream.selectors.functions.Negation;
import dev.claimstream.selectors.functions.Patterns;
import dev.claimstream.selectors.values.DeviceValue;
import dev.claimstream.selectors.values.KubernetesTypes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The CEL environment of device selectors and derived attributes: parses, checks, validates and plans expressions. */
final class Environment {
    /** {@code CELSelectorExpressionMaxLength} of the API. */
    static final int LENGTH_MAX = 10 * 1024;

    static final String VARIABLE = "device";

    private static final DeviceValue BARE = DeviceValue.of("", Device.of("", new TreeMap<>(), new TreeMap<>()));
    private static final Set<String> PATTERN_FUNCTIONS = Set.of("matches", "find", "findAll");
    private static final int NODES_MAX = 20_000;
    /** Behind the cost limit: each iteration costs at least one. */
    private static final int ITERATIONS_MAX = 1_000_000;

    private static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .maxExpressionCodePointSize(LENGTH_MAX)
            .maxParseExpressionNodeCount(NODES_MAX)
            .comprehensionMaxIterations(ITERATIONS_MAX)
            .errorOnDuplicateMapKeys(false)
            .build();

    private final Cel cel;
    /** Declares arithmetic in upstream's order, which the evaluator's builder does not let one do. */
    private final CelCompiler compiler;

    private final Library library;
    private final boolean hasLists;

    Environment(Features features) {
        this(features, binding -> true);
    }

    /** An environment that lacks some bindings, as a library that has dropped them would. */
    Environment(Features features, Predicate<CelFunctionBinding> kept) {
        hasLists = features.listTypeAttributes();
        library = new Library(hasLists);
        CelType attribute = Purpose.attribute(hasLists);
        cel = CelFactory.plannerCelBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .setStandardFunctions(Library.STANDARD)
                .setTypeProvider(KubernetesTypes.provider(attribute, features.consumableCapacity()))
                .addVar(VARIABLE, KubernetesTypes.DEVICE)
                .addFunctionDeclarations(library.declarations())
                .addFunctionBindings(library.bindings().stream().filter(kept).toList())
                .addCompilerLibraries(
                        CelExtensions.optional(), CelExtensions.comprehensions(), new Macros(), new Negation())
                .addRuntimeLibraries(CelExtensions.optional(), CelExtensions.comprehensions())
                .build();
        compiler = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(Library.STANDARD_DECLARATIONS)
                .setTypeProvider(KubernetesTypes.provider(attribute, features.consumableCapacity()))
                .addVar(VARIABLE, KubernetesTypes.DEVICE)
                .addFunctionDeclarations(library.declarations())
                .addFunctionDeclarations(Library.arithmetic())
                .addLibraries(CelExtensions.optional(), CelExtensions.comprehensions(), new Macros(), new Negation())
                .build();
    }

    /** An expression whose parts are known and whose result is what was asked for, or may turn out to be. */
    record Compiled(CelAbstractSyntaxTree tree, Program program) {}

    /**
     * Compiles an expression.
     *
     * @throws InvalidExpression in upstream's words where it is none, or one with another result
     */
    Compiled compile(String expression, Purpose purpose) throws InvalidExpression {
        int length = expression.getBytes(StandardCharsets.UTF_8).length;
        if (length > LENGTH_MAX) {
            throw new InvalidExpression(
                    "expression of %d bytes exceeds the limit of %d bytes".formatted(length, LENGTH_MAX));
        }
        CelAbstractSyntaxTree tree = check(expression);
        purpose.check(tree.getResultType(), hasLists);
        checkConstants(tree.getExpr());
        CelAbstractSyntaxTree folded = Folding.fold(tree);
        return new Compiled(folded, plan(folded));
    }

    /** Parses and checks an expression, but for its literals. */
    CelAbstractSyntaxTree parseAndCheck(String expression) throws InvalidExpression {
        CelValidationResult result = compiler.compile(expression);
        try {
            return result.getAst();
        } catch (CelValidationException e) {
            throw new InvalidExpression(CompileMessages.of(e.getErrors(), e.getSource()));
        }
    }

    private CelAbstractSyntaxTree check(String expression) throws InvalidExpression {
        CelAbstractSyntaxTree tree = parseAndCheck(expression);
        List<CelIssue> issues = LiteralChecks.issues(tree, this::computes);
        if (!issues.isEmpty()) {
            throw new InvalidExpression(CompileMessages.of(issues, tree.getSource()));
        }
        return tree;
    }

    /** Upstream computes conversions of literals and compiles literal patterns when it plans, whether or not they are ever reached. */
    private void checkConstants(CelExpr expression) throws InvalidExpression {
        for (CelExpr child : Trees.children(expression)) {
            checkConstants(child);
        }
        if (expression.getKind() == Kind.CALL && Constants.isConversion(expression) && Constants.isFolded(expression)) {
            try {
                var unused = compute(expression);
            } catch (CelEvaluationException e) {
                throw new InvalidExpression("program instantiation failed: " + ConversionMessages.of(expression, e));
            }
        }
        if (Trees.isCall(expression, "_[_]")
                && isNull(Trees.arguments(expression).get(1))) {
            throw new InvalidExpression("program instantiation failed: invalid qualifier type: types.Null");
        }
        if (PATTERN_FUNCTIONS.stream().anyMatch(function -> Trees.isCall(expression, function))) {
            checkPattern(Trees.arguments(expression));
        }
    }

    /** Upstream plans an index that it knows already. */
    private static boolean isNull(CelExpr index) {
        return Trees.isCall(index, "dyn")
                ? isNull(Trees.arguments(index).getFirst())
                : index.getKind() == Kind.CONSTANT && index.constant().getKind() == CelConstant.Kind.NULL_VALUE;
    }

    private static void checkPattern(List<CelExpr> arguments) throws InvalidExpression {
        Optional<String> pattern = arguments.size() < 2 ? Optional.empty() : Constants.text(arguments.get(1));
        try {
            pattern.ifPresent(Patterns::of);
        } catch (IllegalArgumentException e) {
            throw new InvalidExpression("program instantiation failed: " + e.getMessage());
        }
    }

    private boolean computes(CelExpr expression) {
        try {
            var unused = compute(expression);
            return true;
        } catch (CelEvaluationException e) {
            return false;
        }
    }

    private Object compute(CelExpr expression) throws CelEvaluationException {
        return cel.createProgram(CelAbstractSyntaxTree.newParsedAst(
                        expression, CelSource.newBuilder().build()))
                .eval();
    }

    /** Makes a checked expression runnable. */
    private Program plan(CelAbstractSyntaxTree tree) throws InvalidExpression {
        try {
            return cel.createProgram(Dispatch.byValue(tree));
        } catch (CelEvaluationException e) {
            throw new InvalidExpression("program instantiation failed: " + RuntimeMessages.of(e));
        }
    }

    /** The result of a part of a checked expression for a device that says nothing. */
    Object evaluate(CelAbstractSyntaxTree tree, CelExpr part) throws CelEvaluationException {
        CelAbstractSyntaxTree alone =
                CelAbstractSyntaxTree.newCheckedAst(part, tree.getSource(), tree.getReferenceMap(), tree.getTypeMap());
        return cel.createProgram(alone).eval(Map.of(VARIABLE, BARE));
    }

    /** The declared functions. */
    Functions functions() {
        return library.functions();
    }
}
