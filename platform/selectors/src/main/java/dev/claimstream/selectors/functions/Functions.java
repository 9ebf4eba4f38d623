package dev.claimstream.selectors.functions;

import com.google.common.collect.ImmutableList;
import dev.cel.common.CelFunctionDecl;
import dev.cel.common.CelOverloadDecl;
import dev.cel.common.exceptions.CelInvalidArgumentException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.ListType;
import dev.cel.common.types.SimpleType;
import dev.cel.runtime.CelFunctionBinding;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The functions of an environment, by name. All overloads of one name are bound as one group: the evaluator drops a second group of the
 * same name without a word, and then a call on a {@code dyn} value finds nothing. Each group chooses by the kinds of its arguments and
 * words a mismatch as Kubernetes does.
 */
public final class Functions {
    private final Map<String, List<Overload>> byName = new LinkedHashMap<>();
    private final Mismatch mismatch;

    /** How a call that no overload takes is worded. */
    enum Mismatch {
        /** As CEL's own functions do. */
        BRIEF,
        /** With the function and the types of its arguments. */
        FULL
    }

    Functions(Mismatch mismatch) {
        this.mismatch = mismatch;
    }

    /** What an overload does with arguments of the declared kinds; an {@link IllegalArgumentException} carries the error's text. */
    @FunctionalInterface
    public interface Body {
        /** The result. */
        Object call(Object[] arguments);
    }

    /**
     * One signature of a function.
     *
     * @param accepted what is taken at run time, where a {@code dyn} value hid its type from the checker
     */
    public record Overload(
            String id, boolean member, CelType result, List<CelType> parameters, List<CelType> accepted, Body body) {
        boolean accepts(Object[] arguments) {
            for (int i = 0; i < arguments.length; i++) {
                if (!Kinds.accepts(accepted.get(i), arguments[i])) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Adds {@code name(...)}. */
    public Functions global(String name, String id, CelType result, List<CelType> parameters, Body body) {
        return add(name, new Overload(id, false, result, parameters, parameters, body));
    }

    /** Adds {@code target.name(...)}; the first parameter is the target. */
    public Functions member(String name, String id, CelType result, List<CelType> parameters, Body body) {
        return add(name, new Overload(id, true, result, parameters, parameters, body));
    }

    /** Adds a member function on lists that takes every list at run time and looks at the elements itself. */
    Functions listMember(String name, String id, CelType result, List<CelType> parameters, Body body) {
        List<CelType> accepted =
                parameters.stream().map(Functions::withoutElement).toList();
        return add(name, new Overload(id, true, result, parameters, accepted, body));
    }

    private static CelType withoutElement(CelType type) {
        return type instanceof ListType ? ListType.create(SimpleType.DYN) : type;
    }

    private Functions add(String name, Overload overload) {
        byName.computeIfAbsent(name, n -> new ArrayList<>()).add(overload);
        return this;
    }

    /** All overloads by function name. */
    public Map<String, List<Overload>> all() {
        return Collections.unmodifiableMap(byName);
    }

    /** What the type checker needs. */
    public List<CelFunctionDecl> declarations() {
        return byName.entrySet().stream()
                .map(function -> CelFunctionDecl.newFunctionDeclaration(
                        function.getKey(),
                        function.getValue().stream().map(Functions::declaration).toList()))
                .toList();
    }

    private static CelOverloadDecl declaration(Overload overload) {
        return overload.member
                ? CelOverloadDecl.newMemberOverload(overload.id, overload.result, overload.parameters)
                : CelOverloadDecl.newGlobalOverload(overload.id, overload.result, overload.parameters);
    }

    /** What the evaluator needs. */
    public List<CelFunctionBinding> bindings() {
        List<CelFunctionBinding> bindings = new ArrayList<>();
        byName.forEach((name, overloads) -> bindings.addAll(CelFunctionBinding.fromOverloads(
                name,
                overloads.stream()
                        .map(overload -> binding(name, overload, overloads))
                        .toList())));
        return bindings;
    }

    @SuppressWarnings("Immutable") // the overloads are complete when the bindings are made
    private CelFunctionBinding binding(String name, Overload overload, List<Overload> all) {
        int arity = overload.parameters.size();
        List<Overload> candidates =
                all.stream().filter(o -> o.parameters.size() == arity).toList();
        return switch (arity) {
            case 1 ->
                CelFunctionBinding.from(overload.id, Object.class, a -> dispatch(name, candidates, new Object[] {a}));
            case 2 ->
                CelFunctionBinding.from(
                        overload.id,
                        Object.class,
                        Object.class,
                        (a, b) -> dispatch(name, candidates, new Object[] {a, b}));
            default ->
                CelFunctionBinding.from(
                        overload.id,
                        ImmutableList.copyOf(Collections.<Class<?>>nCopies(arity, Object.class)),
                        arguments -> dispatch(name, candidates, arguments));
        };
    }

    private Object dispatch(String name, List<Overload> candidates, Object[] arguments) {
        for (Overload overload : candidates) {
            if (overload.accepts(arguments)) {
                return call(overload, arguments);
            }
        }
        throw new CelInvalidArgumentException(
                mismatch == Mismatch.BRIEF ? "no such overload" : Kinds.noSuchOverload(name, arguments));
    }

    private static Object call(Overload overload, Object[] arguments) {
        try {
            return overload.body.call(arguments);
        } catch (IllegalArgumentException e) {
            throw new CelInvalidArgumentException(String.valueOf(e.getMessage()));
        }
    }
}
