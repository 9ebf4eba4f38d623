package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Requirements on labels that all hold; none of them: every object (meta/v1). {@code matchLabels} are requirements with operator In.
 *
 * @param requirements operators In, NotIn, Exists, DoesNotExist
 */
public record LabelSelector(List<NodeSelector.Requirement> requirements) {
    public LabelSelector {
        requirements = List.copyOf(requirements);
    }

    /** Whether an object with these labels is selected. */
    public boolean matches(SortedMap<String, String> labels) {
        return requirements.stream().allMatch(each -> each.matches(Optional.ofNullable(labels.get(each.key()))));
    }
}
