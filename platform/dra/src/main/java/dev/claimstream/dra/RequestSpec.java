package dev.claimstream.dra;

import java.util.List;
import java.util.SortedMap;

/** The specification of a request or an alternative. */
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

    /** Creates a specification without derived attributes. */
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
