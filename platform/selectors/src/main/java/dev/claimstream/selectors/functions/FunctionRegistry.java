package dev.claimstream.selectors.functions;

import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Functions by name, each with its overloads.
 *
 * <p>A call selects the overload by the types of its arguments and reports a mismatch in the words of Kubernetes.
 */
public final class FunctionRegistry {
    private final Map<String, List<Overload>> byName = new LinkedHashMap<>();
    private final MismatchWording mismatch;

    /** The message of a call that matches no overload. */
    enum MismatchWording {
        /** As the functions of CEL itself. */
        BRIEF,
        /** With the function and the types of its arguments. */
        FULL
    }

    FunctionRegistry(MismatchWording mismatch) {
        this.mismatch = mismatch;
    }

    /**
     * The implementation of an overload for arguments of the declared types. An {@link IllegalArgumentException} has the error's message.
     */
    @FunctionalInterface
    public interface FunctionBody {
        /** Returns the value of the call, in CEL's runtime types. */
        Object call(Object[] arguments);
    }

    /**
     * One signature of a function.
     *
     * @param accepted the types accepted at run time; they can differ from the parameters if {@code dyn} hid the type from the checker
     */
    public record Overload(
            String id,
            boolean member,
            CelType result,
            List<CelType> parameters,
            List<CelType> accepted,
            FunctionBody body) {
        boolean accepts(Object[] arguments) {
            if (arguments.length != accepted.size()) {
                return false;
            }
            for (int i = 0; i < arguments.length; i++) {
                if (!ValueTypes.accepts(accepted.get(i), arguments[i])) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Adds {@code name(...)}. */
    public FunctionRegistry global(
            String name, String id, CelType result, List<CelType> parameters, FunctionBody body) {
        return add(name, new Overload(id, false, result, parameters, parameters, body));
    }

    /** Adds {@code target.name(...)}; the first parameter is the target. */
    public FunctionRegistry member(
            String name, String id, CelType result, List<CelType> parameters, FunctionBody body) {
        return add(name, new Overload(id, true, result, parameters, parameters, body));
    }

    /** Adds a member function on lists that accepts every list at run time and checks the elements itself. */
    FunctionRegistry listMember(String name, String id, CelType result, List<CelType> parameters, FunctionBody body) {
        List<CelType> accepted =
                parameters.stream().map(FunctionRegistry::withoutElement).toList();
        return add(name, new Overload(id, true, result, parameters, accepted, body));
    }

    private static CelType withoutElement(CelType type) {
        return type instanceof ListType ? ListType.create(SimpleType.DYN) : type;
    }

    private FunctionRegistry add(String name, Overload overload) {
        byName.computeIfAbsent(name, n -> new ArrayList<>()).add(overload);
        return this;
    }

    /** Returns all overloads by function name. */
    public Map<String, List<Overload>> all() {
        return Collections.unmodifiableMap(byName);
    }

    /** Returns the declarations for the type checker. */
    public List<CelFunctionDecl> declarations() {
        return byName.entrySet().stream()
                .map(function -> CelFunctionDecl.newFunctionDeclaration(
                        function.getKey(),
                        function.getValue().stream()
                                .map(FunctionRegistry::declaration)
                                .toList()))
                .toList();
    }

    private static CelOverloadDecl declaration(Overload overload) {
        return overload.member
                ? CelOverloadDecl.newMemberOverload(overload.id, overload.result, overload.parameters)
                : CelOverloadDecl.newGlobalOverload(overload.id, overload.result, overload.parameters);
    }

    /** Returns the implementation of each function: the first overload that accepts the arguments. */
    Map<String, FunctionBody> bodies() {
        Map<String, FunctionBody> bodies = new HashMap<>();
        byName.forEach((name, overloads) -> bodies.put(name, arguments -> dispatch(name, overloads, arguments)));
        return bodies;
    }

    /** Returns the argument check of each overload by its id. */
    Map<String, Predicate<Object[]>> argumentChecks() {
        Map<String, Predicate<Object[]>> guards = new HashMap<>();
        byName.values().forEach(overloads -> overloads.forEach(each -> guards.put(each.id, each::accepts)));
        return guards;
    }

    private Object dispatch(String name, List<Overload> candidates, Object[] arguments) {
        for (Overload overload : candidates) {
            if (overload.accepts(arguments)) {
                return overload.body.call(arguments);
            }
        }
        throw new CallException(
                mismatch == MismatchWording.BRIEF ? "no such overload" : ValueTypes.noSuchOverload(name, arguments));
    }
}
