package dev.claimstream.selectors.values;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A map of a device by domain, which returns an empty map for an unknown domain.
 *
 * <p>The default applies to indexes and selections, but not to the operator {@code in}: the evaluator of Kubernetes defaults lookups only.
 */
public final class DomainMap extends NameMap {
    private static final Optional<Object> UNKNOWN = Optional.of(new NameMap(new TreeMap<>()));

    DomainMap(SortedMap<String, Object> entries) {
        super(entries);
    }

    @Override
    public Optional<Object> find(Object domain) {
        Optional<Object> known = super.find(domain);
        return known.isPresent() ? known : UNKNOWN;
    }
}
