package dev.claimstream.selectors.functions;

import static dev.cel.runtime.CelFunctionBinding.fromOverloads;

import com.google.common.primitives.UnsignedLong;
import dev.cel.common.exceptions.CelAttributeNotFoundException;
import dev.cel.common.exceptions.CelInvalidArgumentException;
import dev.cel.runtime.CelFunctionBinding;
import dev.claimstream.selectors.values.DomainMap;
import dev.claimstream.selectors.values.KubernetesValue;
import dev.claimstream.selectors.values.Text;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Standard operators with the meaning that they have in Kubernetes: an index takes the default of a {@link DomainMap}, equality knows the
 * trap of {@link Equality}.
 */
final class Operators {
    private Operators() {}

    static List<CelFunctionBinding> bindings() {
        List<CelFunctionBinding> bindings = new ArrayList<>();
        bindings.addAll(fromOverloads(
                "_[_]",
                CelFunctionBinding.from("index_list", List.class, Object.class, Operators::element),
                CelFunctionBinding.from("index_map", Map.class, Object.class, Operators::entry),
                CelFunctionBinding.from("optional_list_index_int", Optional.class, Long.class, Operators::optional),
                CelFunctionBinding.from(
                        "optional_map_index_value", Optional.class, Object.class, Operators::optional)));
        bindings.addAll(fromOverloads(
                "_[?_]",
                CelFunctionBinding.from("list_optindex_optional_int", List.class, Object.class, Operators::find),
                CelFunctionBinding.from("map_optindex_optional_value", Object.class, Object.class, Operators::findIn),
                CelFunctionBinding.from(
                        "optional_list_optindex_optional_int", Optional.class, Long.class, Operators::optional),
                CelFunctionBinding.from(
                        "optional_map_optindex_optional_value", Optional.class, Object.class, Operators::optional)));
        bindings.addAll(
                fromOverloads("_==_", CelFunctionBinding.from("equals", Object.class, Object.class, Operators::equal)));
        bindings.addAll(fromOverloads(
                "_!=_", CelFunctionBinding.from("not_equals", Object.class, Object.class, Equality::unequal)));
        return bindings;
    }

    private static boolean equal(Object left, Object right) {
        try {
            return Equality.equal(left, right);
        } catch (IllegalArgumentException e) {
            throw new CelInvalidArgumentException(String.valueOf(e.getMessage()));
        }
    }

    private static Object element(List<?> list, Object index) {
        OptionalInt at = position(list, index);
        if (at.isEmpty()) {
            throw new CelInvalidArgumentException("index out of bounds: " + FormattedValue.text(index));
        }
        return list.get(at.getAsInt());
    }

    /** The position that an index names, empty where it is out of bounds. */
    private static OptionalInt position(List<?> list, Object index) {
        long at = switch (index) {
            case Long number -> number;
            case UnsignedLong number -> number.bigIntegerValue().bitLength() < 64 ? number.longValue() : -1;
            case Double number when number == Math.rint(number) && Math.abs(number) < 1e15 -> number.longValue();
            case Double number ->
                throw new CelInvalidArgumentException(
                        "unsupported index value %s in list".formatted(Text.number(number)));
            default ->
                throw new CelInvalidArgumentException(
                        "unsupported index type '%s' in list".formatted(Kinds.nameOf(index)));
        };
        return at < 0 || at >= list.size() ? OptionalInt.empty() : OptionalInt.of((int) at);
    }

    private static Object entry(Map<?, ?> map, Object key) {
        return find(map, key)
                .orElseThrow(() -> CelAttributeNotFoundException.of("no such key: " + FormattedValue.text(key)));
    }

    private static Optional<Object> find(Map<?, ?> map, Object key) {
        if (key instanceof KubernetesValue) {
            throw new CelInvalidArgumentException("invalid qualifier type: " + Kinds.nameOf(key));
        }
        return map instanceof DomainMap domains && key instanceof String domain
                ? domains.find(domain)
                : Equality.find(map, key);
    }

    private static Optional<Object> find(List<?> list, Object index) {
        OptionalInt at = position(list, index);
        return at.isPresent() ? Optional.of(list.get(at.getAsInt())) : Optional.empty();
    }

    /** In a value that has no entries there is none. */
    private static Optional<Object> findIn(Object container, Object key) {
        return switch (container) {
            case Optional<?> optional -> optional(optional, key);
            case List<?> list -> find(list, key);
            case Map<?, ?> map -> find(map, key);
            default -> Optional.empty();
        };
    }

    private static Optional<Object> optional(Optional<?> container, Object key) {
        return container.flatMap(inner -> switch (inner) {
            case List<?> list -> find(list, key);
            case Map<?, ?> map -> find(map, key);
            default -> throw new CelInvalidArgumentException("no such overload");
        });
    }
}
