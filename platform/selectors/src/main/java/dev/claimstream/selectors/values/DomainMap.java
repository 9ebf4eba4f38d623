package dev.claimstream.selectors.values;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a device says by domain. An unknown domain gives an empty map wherever it is indexed, selected or asked for, and yet is not
 * {@code in} the map: the evaluator of Kubernetes defaults look-ups only.
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
