package dev.claimstream.history;

import java.util.List;
import java.util.Map;

/** Makes an interval that begins. */
final class IntervalBuilder {
    private final ClaimFact claim;
    private final HeldDevice held;
    private final long atMicros;
    private final double weight;
    private Map<String, String> labels = Map.of();
    private String node = "";
    private int cell;

    IntervalBuilder(ClaimFact claim, HeldDevice held, long atMicros, double weight) {
        this.claim = claim;
        this.held = held;
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
                held.device().driver(),
                held.device().pool(),
                held.device().device(),
                held.share(),
                held.adminAccess(),
                held.consumed(),
                weight,
                claim.uid(),
                claim.namespace(),
                claim.name(),
                held.request(),
                claim.deviceClass(held.request()),
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
