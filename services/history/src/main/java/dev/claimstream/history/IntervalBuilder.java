package dev.claimstream.history;

import java.util.List;
import java.util.Map;

/** Makes an interval that begins. */
final class IntervalBuilder {
    private final ClaimFact claim;
    private final AllocatedDevice allocated;
    private final long atMicros;
    private final double weight;
    private Map<String, String> labels = Map.of();
    private String node = "";
    private int cell;

    IntervalBuilder(ClaimFact claim, AllocatedDevice allocated, long atMicros, double weight) {
        this.claim = claim;
        this.allocated = allocated;
        this.atMicros = atMicros;
        this.weight = weight;
    }

    IntervalBuilder labels(Map<String, String> value) {
        labels = value;
        return this;
    }

    /** Sets the node, unless it is empty. */
    IntervalBuilder node(String value) {
        node = value.isEmpty() ? node : value;
        return this;
    }

    IntervalBuilder cell(int value) {
        cell = value;
        return this;
    }

    Interval interval() {
        return new Interval(
                allocated.device().driver(),
                allocated.device().pool(),
                allocated.device().device(),
                allocated.share(),
                allocated.adminAccess(),
                allocated.consumed(),
                weight,
                claim.uid(),
                claim.namespace(),
                claim.name(),
                allocated.request(),
                claim.deviceClass(allocated.request()),
                node,
                List.of(),
                labels,
                Interval.OBSERVED,
                cell,
                0,
                false,
                "",
                atMicros,
                0,
                0,
                "");
    }
}
