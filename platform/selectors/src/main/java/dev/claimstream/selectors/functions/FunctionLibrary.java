package dev.claimstream.selectors.functions;

import dev.cel.checker.CelStandardDeclarations;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.SimpleType;
import dev.claimstream.selectors.functions.FunctionRegistry.FunctionBody;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** All functions of device selectors. */
public final class FunctionLibrary {
    /**
     * Standard functions whose overloads are sorted by id, as upstream does.
     *
     * <p>The type checker gives an argument without a type the type of the first overload: {@code [].all(x, x + dyn(1) > 0)} adds bytes.
     */
    private static final List<CelStandardDeclarations.StandardFunction> REORDERED = List.of(
            CelStandardDeclarations.StandardFunction.ADD,
            CelStandardDeclarations.StandardFunction.SUBTRACT,
            CelStandardDeclarations.StandardFunction.MULTIPLY,
            CelStandardDeclarations.StandardFunction.DIVIDE,
            CelStandardDeclarations.StandardFunction.MODULO,
            CelStandardDeclarations.StandardFunction.BOOL,
            CelStandardDeclarations.StandardFunction.BYTES,
            CelStandardDeclarations.StandardFunction.DOUBLE,
            CelStandardDeclarations.StandardFunction.DURATION,
            CelStandardDeclarations.StandardFunction.INT,
            CelStandardDeclarations.StandardFunction.STRING,
            CelStandardDeclarations.StandardFunction.TIMESTAMP,
            CelStandardDeclarations.StandardFunction.UINT);

    /** An overload that CEL for Java lacks. */
    private static final CelOverloadDecl DURATION_TO_INT =
            CelOverloadDecl.newGlobalOverload("duration_to_int64", SimpleType.INT, SimpleType.DURATION);

    /** Functions whose overload upstream selects by the values alone, as it does for operators. */
    private static final Set<String> BY_VALUE =
            Set.of("contains", "dyn", "endsWith", "matches", "size", "startsWith", "type");

    /** The standard declarations without those of {@link #reordered}. */
    public static final CelStandardDeclarations STANDARD_DECLARATIONS =
            CelStandardDeclarations.newBuilder().excludeFunctions(REORDERED).build();

    private final FunctionRegistry declared = new FunctionRegistry(FunctionRegistry.MismatchWording.FULL);
    private final Map<String, FunctionBody> bodies = new HashMap<>(StandardFunctions.bodies());
    private final Map<String, Predicate<Object[]>> argumentChecks = new HashMap<>(StandardFunctions.argumentChecks());

    /**
     * Creates the library.
     *
     * @param withIncludes whether {@code includes} is declared, which belongs to list attributes
     */
    public FunctionLibrary(boolean withIncludes) {
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
        Operators.addTo(bodies);
        bodies.putAll(declared.bodies());
        var matching = new FunctionRegistry(FunctionRegistry.MismatchWording.BRIEF);
        RegexFunctions.addMatches(matching);
        bodies.putAll(matching.bodies());
        var texts = new FunctionRegistry(FunctionRegistry.MismatchWording.FULL);
        TextConversion.addStandard(texts);
        TextConversion.addTo(texts);
        bodies.putAll(texts.bodies());
        argumentChecks.putAll(declared.argumentChecks());
        argumentChecks.put(DURATION_TO_INT.overloadId(), a -> a[0] instanceof Duration);
        bodies.putAll(OptionalFunctions.bodies());
    }

    /** Returns the declarations of functions that the type checker does not know. */
    public List<CelFunctionDecl> declarations() {
        return declared.declarations();
    }

    /** Returns standard functions with their overloads in upstream's order. */
    public static List<CelFunctionDecl> reordered() {
        return REORDERED.stream().map(each -> byOverloadId(each.functionDecl())).toList();
    }

    private static CelFunctionDecl byOverloadId(CelFunctionDecl function) {
        Stream<CelOverloadDecl> more = function.name().equals("int") ? Stream.of(DURATION_TO_INT) : Stream.empty();
        return CelFunctionDecl.newFunctionDeclaration(
                function.name(),
                Stream.concat(function.overloads().stream(), more)
                        .sorted(Comparator.comparing(CelOverloadDecl::overloadId))
                        .toList());
    }

    /**
     * Returns the implementation of a function or operator, except {@code &&}, {@code ||}, {@code ?:}, indexes, {@code or},
     * {@code orValue}.
     *
     * @param overload the overload selected by the type checker, whose argument types are then required; empty if it is selected at run
     *     time
     */
    public Optional<FunctionBody> body(String function, String overload) {
        FunctionBody body = bodies.get(function);
        Predicate<Object[]> guard = argumentChecks.get(overload);
        if (body == null || guard == null || BY_VALUE.contains(function) || !Character.isLetter(function.charAt(0))) {
            return Optional.ofNullable(body);
        }
        return Optional.of(arguments -> {
            if (!guard.test(arguments)) {
                throw new CallException(ValueTypes.noSuchOverload(function, arguments));
            }
            return body.call(arguments);
        });
    }

    /** Returns the declared functions. */
    public FunctionRegistry functions() {
        return declared;
    }
}
