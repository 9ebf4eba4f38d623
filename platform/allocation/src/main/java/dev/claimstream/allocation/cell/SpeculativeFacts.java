package dev.claimstream.allocation.cell;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Facts that are applied speculatively and rolled back, with their outputs. The caller may apply them again for good.
 */
final class SpeculativeFacts {
    private final State state;
    private final Map<String, Optional<Row>> before = new LinkedHashMap<>();
    private final List<Fact> facts = new ArrayList<>();
    private final List<Output> outputs = new ArrayList<>();

    SpeculativeFacts(State state) {
        this.state = state;
    }

    /** Applies facts until {@link #rollBack}. */
    void apply(List<Fact> more, List<Output> moreOutputs) {
        for (Fact fact : more) {
            before.putIfAbsent(fact.key(), Optional.ofNullable(state.rows().get(fact.key())));
            state.apply(fact);
        }
        facts.addAll(more);
        outputs.addAll(moreOutputs);
    }

    /** Rolls all facts back, in reverse order. */
    void rollBack() {
        for (Map.Entry<String, Optional<Row>> each :
                List.copyOf(before.entrySet()).reversed()) {
            Optional<Fact> was = each.getValue().map(Fact.Put::new);
            state.apply(was.orElseGet(() -> new Fact.Drop(each.getKey())));
        }
    }

    List<Fact> facts() {
        return facts;
    }

    List<Output> outputs() {
        return outputs;
    }
}
