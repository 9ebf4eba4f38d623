package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Compares values in their written form: comments, the notation and the order of fields make no difference. */
final class SameValues {
    private SameValues() {}

    static boolean isSame(SourceNode one, SourceNode other) {
        return one.size() == other.size()
                && switch (one) {
                    case SourceNode.SourceScalar scalar ->
                        other instanceof SourceNode.SourceScalar second
                                && scalar.text().equals(second.text())
                                && scalar.type() == second.type();
                    case SourceNode.SourceSequence list ->
                        other instanceof SourceNode.SourceSequence second && areSame(list.items(), second.items());
                    case SourceNode.SourceMapping mapping ->
                        other instanceof SourceNode.SourceMapping second && areSame(fields(mapping), fields(second));
                };
    }

    private static boolean areSame(List<SourceNode> one, List<SourceNode> other) {
        boolean isSame = one.size() == other.size();
        for (int i = 0; isSame && i < one.size(); i++) {
            isSame = isSame(one.get(i), other.get(i));
        }
        return isSame;
    }

    private static boolean areSame(Map<String, SourceNode> one, Map<String, SourceNode> other) {
        return one.keySet().equals(other.keySet())
                && one.entrySet().stream()
                        .allMatch(field -> Optional.ofNullable(other.get(field.getKey()))
                                .filter(value -> isSame(field.getValue(), value))
                                .isPresent());
    }

    private static Map<String, SourceNode> fields(SourceNode.SourceMapping mapping) {
        Map<String, SourceNode> fields = new HashMap<>();
        mapping.entries().forEach(entry -> fields.putIfAbsent(entry.name(), entry.value()));
        return fields;
    }
}
