package dev.claimstream.selectors.values;

import dev.cel.common.exceptions.CelAttributeNotFoundException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.CelValue;
import dev.cel.common.values.SelectableValue;
import java.util.Map;
import java.util.Optional;

/**
 * A value on its way into a bound variable. The evaluator copies maps and lists that it puts into one, which loses the defaults of
 * {@link DomainMap}; it does not look into this. It unwraps a {@link CelValue} once when a function returns it and once when a variable
 * is read, hence two layers.
 */
@SuppressWarnings({"Immutable", "unchecked"})
public final class Held extends CelValue implements SelectableValue<String> {
    private final Object inner;

    private Held(Object inner) {
        this.inner = inner;
    }

    /** Holds maps and lists; hands on everything else as it is. */
    public static Object of(Object value) {
        return value instanceof Map || value instanceof Iterable ? new Held(new Held(value)) : value;
    }

    @Override
    public Object value() {
        return inner;
    }

    @Override
    public Object select(String name) {
        return find(name).orElseThrow(() -> CelAttributeNotFoundException.of("no such key: " + name));
    }

    @Override
    public Optional<?> find(String name) {
        return switch (inner) {
            case SelectableValue<?> selectable -> ((SelectableValue<String>) selectable).find(name);
            case Map<?, ?> map -> Optional.ofNullable(map.get(name));
            default -> Optional.empty();
        };
    }

    @Override
    public boolean isZeroValue() {
        return false;
    }

    @Override
    public CelType celType() {
        return SimpleType.DYN;
    }
}
