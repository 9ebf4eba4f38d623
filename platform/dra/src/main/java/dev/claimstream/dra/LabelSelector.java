package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Collectors;

/**
 * Label requirements that must all hold; an empty list selects every object (meta/v1).
 *
 * <p>{@code matchLabels} are stored as requirements with operator In.
 *
 * @param requirements with operators In, NotIn, Exists, DoesNotExist; a parsed text also has Gt and Lt
 */
public record LabelSelector(List<NodeSelector.Requirement> requirements) {
    /** Selects every object. */
    public static final LabelSelector EVERYTHING = new LabelSelector(List.of());

    public LabelSelector {
        requirements = List.copyOf(requirements);
    }

    /**
     * Parses the syntax of {@code kubectl -l}: {@code pool=a,zone in (b,c),!old}. An empty text selects every object.
     *
     * @throws IllegalArgumentException if the text is no selector; the message names the requirement and the remedy
     */
    public static LabelSelector parse(String text) {
        return new LabelSelectorText(text).parse();
    }

    /** Returns the selector in the syntax of {@link #parse}; empty if it selects every object. */
    public String text() {
        return requirements.stream().map(LabelSelectorText::of).collect(Collectors.joining(","));
    }

    /** Returns whether an object with these labels is selected. */
    public boolean matches(SortedMap<String, String> labels) {
        return requirements.stream().allMatch(each -> each.matches(Optional.ofNullable(labels.get(each.key()))));
    }
}
