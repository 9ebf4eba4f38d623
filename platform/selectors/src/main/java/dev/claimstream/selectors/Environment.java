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
import dev.claimstream.selectors.evaluation.Failure;
import dev.claimstream.selectors.evaluation.Plan;
import dev.claimstream.selectors.evaluation.PlanException;
import dev.claimstream.selectors.functions.Functions;
import dev.claimstream.selectors.functions.Functions.Body;
import dev.claimstream.selectors.functions.Library;
import dev.claimstream.selectors.functions.Macros;
import dev.claimstream.selectors.functions.Messages;
import dev.claimstream.selectors.functions.Negation;
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

    private static final DeviceValue BARE = DeviceValue.of("", Device.of("", new TreeMap<>(), new TreeMap<>()));
    private static final int NODES_MAX = 20_000;

    private static final CelOptions OPTIONS = CelOptions.current()
            .enableHeterogeneousNumericComparisons(true)
            .maxExpressionCodePointSize(LENGTH_MAX)
            .maxParseExpressionNodeCount(NODES_MAX)
            .build();

    private final CelCompiler compiler;
    private final Library library;
    private final BiFunction<String, String, Optional<Body>> functions;
    private final boolean hasLists;

    Environment(Features features) {
        this(features, function -> true);
    }

    /** Creates an environment without the implementation of some functions, to test the verification of functions. */
    Environment(Features features, Predicate<String> isKept) {
        hasLists = features.listTypeAttributes();
        library = new Library(hasLists);
        functions = (name, overload) -> library.body(name, overload).filter(_ -> isKept.test(name));
        CelType attribute = Purpose.attribute(hasLists);
        compiler = CelCompilerFactory.standardCelCompilerBuilder()
                .setOptions(OPTIONS)
                .setStandardMacros(CelStandardMacro.STANDARD_MACROS)
                .setStandardEnvironmentEnabled(false)
                .setStandardDeclarations(Library.STANDARD_DECLARATIONS)
                .addMessageTypes(Messages.descriptors())
                .setTypeProvider(KubernetesTypes.provider(attribute, features.consumableCapacity()))
                .addVar(VARIABLE, KubernetesTypes.DEVICE)
                .addFunctionDeclarations(library.declarations())
                .addFunctionDeclarations(Library.reordered())
                .addLibraries(CelExtensions.optional(), CelExtensions.comprehensions(), new Macros(), new Negation())
                .build();
    }

    /** An expression that passed all checks; its static result type serves the purpose, or is dynamic. */
    record Compiled(CelExpr expression, Plan plan) {}

    /**
     * Compiles an expression.
     *
     * @throws InvalidExpression if it does not compile or has another result type, in upstream's words
     */
    Compiled compile(String expression, Purpose purpose) throws InvalidExpression {
        int length = expression.getBytes(StandardCharsets.UTF_8).length;
        if (length > LENGTH_MAX) {
            throw new InvalidExpression(
                    "expression of %d bytes exceeds the limit of %d bytes".formatted(length, LENGTH_MAX));
        }
        CelAbstractSyntaxTree tree = check(expression);
        purpose.check(tree.getResultType(), hasLists);
        return new Compiled(tree.getExpr(), plan(tree));
    }

    /** Parses and checks an expression, without its literals. */
    CelAbstractSyntaxTree parseAndCheck(String expression) throws InvalidExpression {
        CelValidationResult result = compiler.compile(expression);
        try {
            return result.getAst();
        } catch (CelValidationException e) {
            throw new InvalidExpression(CompileMessages.of(e.getErrors(), e.getSource(), parsed(expression)));
        }
    }

    private Optional<CelAbstractSyntaxTree> parsed(String expression) {
        try {
            return Optional.of(compiler.parse(expression).getAst());
        } catch (CelValidationException e) {
            return Optional.empty();
        }
    }

    private CelAbstractSyntaxTree check(String expression) throws InvalidExpression {
        CelAbstractSyntaxTree tree = parseAndCheck(expression);
        List<CelIssue> issues = LiteralChecks.issues(tree, call -> computes(tree, call));
        if (!issues.isEmpty()) {
            throw new InvalidExpression(CompileMessages.of(issues, tree.getSource(), Optional.empty()));
        }
        return tree;
    }

    private boolean computes(CelAbstractSyntaxTree tree, CelExpr call) {
        try {
            var _ = Plan.of(tree, call, functions);
            return true;
        } catch (PlanException e) {
            return false;
        }
    }

    /** Plans a checked expression. */
    private Plan plan(CelAbstractSyntaxTree tree) throws InvalidExpression {
        try {
            return Plan.of(tree, tree.getExpr(), functions);
        } catch (PlanException e) {
            throw new InvalidExpression("program instantiation failed: " + e.text());
        }
    }

    /** Evaluates a part of a checked expression for a device without attributes. */
    Object evaluate(CelAbstractSyntaxTree tree, CelExpr part) {
        try {
            return Plan.of(tree, part, functions).evaluate(BARE, Long.MAX_VALUE).value();
        } catch (PlanException e) {
            return new Failure(e.text());
        }
    }

    /** Returns the declared functions. */
    Functions functions() {
        return library.functions();
    }
}
