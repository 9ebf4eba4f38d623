package dev.claimstream.selectors.functions;

import dev.cel.checker.CelStandardDeclarations;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.TypeParamType;
import dev.cel.runtime.CelFunctionBinding;
import dev.cel.runtime.CelStandardFunctions;
import dev.cel.runtime.CelStandardFunctions.StandardFunction;
import dev.claimstream.selectors.values.Held;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** All functions of device selectors. */
public final class Library {
    /** Standard functions that {@link #bindings} replaces. */
    public static final CelStandardFunctions STANDARD = CelStandardFunctions.newBuilder()
            .excludeFunctions(
                    StandardFunction.INDEX,
                    StandardFunction.EQUALS,
                    StandardFunction.NOT_EQUALS,
                    StandardFunction.LESS,
                    StandardFunction.LESS_EQUALS,
                    StandardFunction.GREATER,
                    StandardFunction.GREATER_EQUALS,
                    StandardFunction.MODULO,
                    StandardFunction.MATCHES,
                    StandardFunction.STRING)
            .build();

    /**
     * Arithmetic operators. Where an operand has no type yet, upstream's type checker gives it that of the first overload, and its
     * overloads are in the order of their ids: {@code [].all(x, x + dyn(1) > 0)} adds bytes there.
     */
    private static final List<CelStandardDeclarations.StandardFunction> ARITHMETIC = List.of(
            CelStandardDeclarations.StandardFunction.ADD,
            CelStandardDeclarations.StandardFunction.SUBTRACT,
            CelStandardDeclarations.StandardFunction.MULTIPLY,
            CelStandardDeclarations.StandardFunction.DIVIDE,
            CelStandardDeclarations.StandardFunction.MODULO);

    private static final List<CelStandardDeclarations.StandardFunction> ORDER = List.of(
            CelStandardDeclarations.StandardFunction.LESS,
            CelStandardDeclarations.StandardFunction.LESS_EQUALS,
            CelStandardDeclarations.StandardFunction.GREATER,
            CelStandardDeclarations.StandardFunction.GREATER_EQUALS);

    /** Standard declarations but for those of {@link #arithmetic}. */
    public static final CelStandardDeclarations STANDARD_DECLARATIONS =
            CelStandardDeclarations.newBuilder().excludeFunctions(ARITHMETIC).build();

    private final Functions declared = new Functions(Functions.Mismatch.FULL);
    private final Functions standard = new Functions(Functions.Mismatch.BRIEF);

    /** {@code includes} belongs to list attributes. */
    public Library(boolean withIncludes) {
        QuantityFunctions.addTo(declared);
        VersionFunctions.addTo(declared);
        StringFunctions.addTo(declared);
        ListFunctions.addTo(declared);
        if (withIncludes) {
            ListFunctions.addIncludes(declared);
        }
        SetFunctions.addTo(declared);
        RegexFunctions.addTo(declared);
        UrlFunctions.addTo(declared);
        AddressFunctions.addTo(declared);
        FormatFunctions.addTo(declared);
        TextConversion.addTo(declared);
        OptionalFunctions.addTo(declared);
        CelType any = TypeParamType.create("T");
        declared.global(Macros.HOLD, "cel_@hold", any, List.of(any), a -> Held.of(a[0]));
        RegexFunctions.addMatches(standard);
        TextConversion.addStandard(standard);
        TextConversion.addTo(standard);
    }

    /** The functions that the type checker does not know by itself. */
    public List<CelFunctionDecl> declarations() {
        return declared.declarations();
    }

    /** Arithmetic operators, with their overloads in upstream's order. */
    public static List<CelFunctionDecl> arithmetic() {
        return ARITHMETIC.stream()
                .map(each -> byOverloadId(each.functionDecl()))
                .toList();
    }

    /** Arithmetic operators and those of order. */
    public static List<CelFunctionDecl> operators() {
        return Stream.concat(ARITHMETIC.stream(), ORDER.stream())
                .map(CelStandardDeclarations.StandardFunction::functionDecl)
                .toList();
    }

    private static CelFunctionDecl byOverloadId(CelFunctionDecl function) {
        return CelFunctionDecl.newFunctionDeclaration(
                function.name(),
                function.overloads().stream()
                        .sorted(Comparator.comparing(CelOverloadDecl::overloadId))
                        .toList());
    }

    /** What the evaluator calls, one group for each name; earlier ones win. */
    public List<CelFunctionBinding> bindings() {
        List<CelFunctionBinding> bindings = new ArrayList<>(Operators.bindings());
        bindings.addAll(Comparisons.bindings());
        bindings.addAll(standard.bindings());
        bindings.addAll(declared.bindings());
        return bindings;
    }

    /** The declared functions. */
    public Functions functions() {
        return declared;
    }
}
