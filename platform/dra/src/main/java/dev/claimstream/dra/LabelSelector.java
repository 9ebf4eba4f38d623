package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Label requirements that must all hold; an empty list selects every object (meta/v1).
 *
 * <p>{@code matchLabels} are stored as requirements with operator In.
 *
 * @param requirements with operators In, NotIn, Exists, DoesNotExist
 */
public record LabelSelector(List<NodeSelector.Requirement> requirements) {
    public LabelSelector {
        requirements = List.copyOf(requirements);
    }

    /** Returns whether an object with these labels is selected. */
    public boolean matches(SortedMap<String, String> labels) {
        return requirements.stream().allMatch(each -> each.matches(Optional.ofNullable(labels.get(each.key()))));
    }
}
