package dev.claimstream.selectors;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelOptions;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.types.CelType;
import dev.cel.compiler.CelCompiler;
import dev.cel.compiler.CelCompilerFactory;
import dev.cel.extensions.CelExtensions;
import dev.cel.parser.CelStandardMacro;
import dev.claimstream.dra.Device;
import dev.claimstream.selectors.evaluation.EvaluationFailure;
import dev.claimstream.selectors.evaluation.EvaluationPlan;
import dev.claimstream.selectors.evaluation.PlanException;
import dev.claimstream.selectors.functions.FunctionLibrary;
import dev.claimstream.selectors.functions.FunctionRegistry;
import dev.claimstream.selectors.functions.FunctionRegistry.FunctionBody;
import dev.claimstream.selectors.functions.MacroLibrary;
import dev.claimstream.selectors.functions.NegationLibrary;
import dev.claimstream.selectors.functions.ProtobufMessages;
import dev.claimstream.selectors.values.DeviceValue;
import dev.claimstream.selectors.values.KubernetesTypes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;

/** The CEL environment of device selectors and derived attributes: parses, checks, validates and plans expressions. */
final class Environment {
    /** {@code CELSelectorExpressionMaxLength} of the API. */
    static final int LENGTH_MAX = 10 * 1024;

    static final String VARIABLE = "device";

    private static final DeviceValue EMPTY_DEVICE = DeviceValue.of("", Device.of("", new TreeMap<>(), new TreeMap<>()));
    private static final int NODES_MAX = 20_000;

    private static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .maxExpressionCodePointSize(LENGTH_MAX)
            .maxParseExpressionNodeCount(NODES_MAX)
            .build();

    private final CelCompiler compiler;
    private final FunctionLibrary library;
    private final BiFunction<String, String, Optional<FunctionBody>> functions;
    private final boolean hasLists;

    Environment(Features features) {
        this(features, function -> true);
    }

    /** Creates an environment without the implementation of some functions, to test the verification of functions. */
    Environment(Features features, Predicate<String> isKept) {
        hasLists = features.listTypeAttributes();
        library = new FunctionLibrary(hasLists);
        functions = (name, overload) -> library.body(name, overload).filter(_ -> isKept.test(name));
        CelType attribute = ExpressionPurpose.attribute(hasLists);
        compiler = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(FunctionLibrary.STANDARD_DECLARATIONS)
                .addMessageTypes(ProtobufMessages.descriptors())
                .setTypeProvider(KubernetesTypes.provider(attribute, features.consumableCapacity()))
                .addVar(VARIABLE, KubernetesTypes.DEVICE)
                .addFunctionDeclarations(library.declarations())
                .addFunctionDeclarations(FunctionLibrary.reordered())
                .addLibraries(
                        CelExtensions.optional(),
                        CelExtensions.comprehensions(),
                        new MacroLibrary(),
                        new NegationLibrary())
                .build();
    }

    /** An expression that passed all checks; its static result type serves the purpose, or is dynamic. */
    record CompiledProgram(CelExpr expression, EvaluationPlan plan) {}

    /**
     * Compiles an expression.
     *
     * @throws InvalidExpressionException if it does not compile or has another result type, in upstream's words
     */
    CompiledProgram compile(String expression, ExpressionPurpose purpose) throws InvalidExpressionException {
        int length = expression.getBytes(StandardCharsets.UTF_8).length;
        if (length > LENGTH_MAX) {
            throw new InvalidExpressionException(
                    "expression of %d bytes exceeds the limit of %d bytes".formatted(length, LENGTH_MAX));
        }
        CelAbstractSyntaxTree tree = check(expression);
        purpose.check(tree.getResultType(), hasLists);
        return new CompiledProgram(tree.getExpr(), plan(tree));
    }

    /** Parses and checks an expression, without its literals. */
    CelAbstractSyntaxTree parseAndCheck(String expression) throws InvalidExpressionException {
        CelValidationResult result = compiler.compile(expression);
        try {
            return result.getAst();
        } catch (CelValidationException e) {
            throw new InvalidExpressionException(CompileMessages.of(e.getErrors(), e.getSource(), parsed(expression)));
        }
    }

    private Optional<CelAbstractSyntaxTree> parsed(String expression) {
        try {
            return Optional.of(compiler.parse(expression).getAst());
        } catch (CelValidationException e) {
            return Optional.empty();
        }
    }

    private CelAbstractSyntaxTree check(String expression) throws InvalidExpressionException {
        CelAbstractSyntaxTree tree = parseAndCheck(expression);
        List<CelIssue> issues = LiteralChecks.issues(tree, call -> computes(tree, call));
        if (!issues.isEmpty()) {
            throw new InvalidExpressionException(CompileMessages.of(issues, tree.getSource(), Optional.empty()));
        }
        return tree;
    }

    private boolean computes(CelAbstractSyntaxTree tree, CelExpr call) {
        try {
            var _ = EvaluationPlan.of(tree, call, functions);
            return true;
        } catch (PlanException e) {
            return false;
        }
    }

    /** Plans a checked expression. */
    private EvaluationPlan plan(CelAbstractSyntaxTree tree) throws InvalidExpressionException {
        try {
            return EvaluationPlan.of(tree, tree.getExpr(), functions);
        } catch (PlanException e) {
            throw new InvalidExpressionException("program instantiation failed: " + e.text());
        }
    }

    /** Evaluates a part of a checked expression for a device without attributes. */
    Object evaluate(CelAbstractSyntaxTree tree, CelExpr part) {
        try {
            return EvaluationPlan.of(tree, part, functions)
                    .evaluate(EMPTY_DEVICE, Long.MAX_VALUE)
                    .value();
        } catch (PlanException e) {
            return new EvaluationFailure(e.text());
        }
    }

    /** Returns the declared functions. */
    FunctionRegistry functions() {
        return library.functions();
    }
}
