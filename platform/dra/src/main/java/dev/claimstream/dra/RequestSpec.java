package dev.claimstream.dra;

import java.util.List;
import java.util.SortedMap;

/** What a request or an alternative of it asks for. */
public record RequestSpec(
        String deviceClassName,
        List<String> selectors,
        AllocationMode allocationMode,
        long count,
        List<Toleration> tolerations,
        SortedMap<String, Quantity> capacity,
        List<DerivedAttribute> derivedAttributes) {
    public RequestSpec {
        selectors = List.copyOf(selectors);
        tolerations = List.copyOf(tolerations);
        capacity = Copies.sorted(capacity);
        derivedAttributes = List.copyOf(derivedAttributes);
    }

    /** A request that derives no attributes. */
    public RequestSpec(
            String deviceClassName,
            List<String> selectors,
            AllocationMode allocationMode,
            long count,
            List<Toleration> tolerations,
            SortedMap<String, Quantity> capacity) {
        this(deviceClassName, selectors, allocationMode, count, tolerations, capacity, List.of());
    }
}
