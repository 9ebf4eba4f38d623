package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Node selector terms, one of which must match. A term without requirements matches no node (core/v1).
 *
 * @see <a href="https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/">core/v1 NodeSelector</a>
 */
public record NodeSelector(List<Term> terms) {
    public NodeSelector {
        terms = List.copyOf(terms);
    }

    /** Returns a selector of exactly one node. */
    public static NodeSelector ofNode(String name) {
        return new NodeSelector(
                List.of(new Term(List.of(), List.of(new Requirement("metadata.name", "In", List.of(name))))));
    }

    /** Returns whether a node with this name and these labels is selected. */
    public boolean matches(String node, SortedMap<String, String> labels) {
        return terms.stream().anyMatch(term -> term.matches(node, labels));
    }

    /** Returns the only node that can match. Present if the single term selects one {@code metadata.name} with operator In. */
    public Optional<String> onlyNode() {
        if (terms.size() != 1) {
            return Optional.empty();
        }
        return terms.getFirst().matchFields().stream()
                .filter(field -> field.key().equals("metadata.name")
                        && field.operator().equals("In")
                        && field.values().size() == 1)
                .map(field -> field.values().getFirst())
                .findFirst();
    }

    /** Requirements on labels and fields ({@code metadata.name} only) that must all hold. */
    public record Term(List<Requirement> matchExpressions, List<Requirement> matchFields) {
        public Term {
            matchExpressions = List.copyOf(matchExpressions);
            matchFields = List.copyOf(matchFields);
        }

        boolean matches(String node, SortedMap<String, String> labels) {
            if (matchExpressions.isEmpty() && matchFields.isEmpty()) {
                return false;
            }
            return matchExpressions.stream().allMatch(each -> each.matches(Optional.ofNullable(labels.get(each.key()))))
                    && matchFields.stream()
                            .allMatch(each -> each.key().equals("metadata.name") && each.matches(Optional.of(node)));
        }
    }

    /** A requirement with operator In, NotIn, Exists, DoesNotExist, Gt or Lt. NotIn and DoesNotExist hold if the label is absent. */
    public record Requirement(String key, String operator, List<String> values) {
        public Requirement {
            values = List.copyOf(values);
        }

        boolean matches(Optional<String> actual) {
            return switch (operator) {
                case "In" -> actual.isPresent() && values.contains(actual.get());
                case "NotIn" -> actual.isEmpty() || !values.contains(actual.get());
                case "Exists" -> actual.isPresent();
                case "DoesNotExist" -> actual.isEmpty();
                case "Gt" -> compared(actual) > 0;
                case "Lt" -> compared(actual) < 0;
                default -> false;
            };
        }

        private int compared(Optional<String> actual) {
            if (actual.isEmpty() || values.size() != 1) {
                return 0;
            }
            try {
                return Long.compare(Long.parseLong(actual.get()), Long.parseLong(values.getFirst()));
            } catch (NumberFormatException e) {
                return 0;
            }
        }
    }
}
