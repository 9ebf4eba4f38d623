package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Writes a value on one line, in braces and brackets, with each scalar as it is written. */
final class FlowText {
    private static final Pattern SPECIAL = Pattern.compile("[,\\[\\]{}#\\n]");

    private FlowText() {}

    /** Returns the text of a value; empty if it has comments, blocks of text, or scalars that need quotes in braces. */
    static Optional<String> of(SourceText source, SourceNode node) {
        if (source.text(node.span()).contains("#")) {
            return Optional.empty();
        }
        return switch (node) {
            case SourceNode.SourceScalar scalar -> scalar(source, scalar);
            case SourceNode.SourceSequence list -> {
                List<String> items = new ArrayList<>();
                list.items().forEach(item -> of(source, item).ifPresent(items::add));
                yield items.size() == list.items().size()
                        ? Optional.of("[" + String.join(", ", items) + "]")
                        : Optional.empty();
            }
            case SourceNode.SourceMapping mapping -> {
                List<String> fields = new ArrayList<>();
                mapping.entries()
                        .forEach(entry -> of(source, entry.value())
                                .ifPresent(value ->
                                        fields.add(source.text(entry.key().span()) + ": " + value)));
                yield fields.size() == mapping.entries().size()
                        ? Optional.of("{" + String.join(", ", fields) + "}")
                        : Optional.empty();
            }
        };
    }

    private static Optional<String> scalar(SourceText source, SourceNode.SourceScalar scalar) {
        String text = source.text(scalar.span());
        boolean isSafe = switch (scalar.style()) {
            case PLAIN -> !text.isBlank() && !SPECIAL.matcher(text).find();
            case SINGLE_QUOTED, DOUBLE_QUOTED -> !text.contains("\n");
            case BLOCK -> false;
        };
        return isSafe ? Optional.of(text) : Optional.empty();
    }
}
