package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceDocument;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceNode.SourceField;
import dev.claimstream.manifests.source.SourceNode.SourceMapping;
import dev.claimstream.manifests.source.SourceNode.SourceScalar;
import dev.claimstream.manifests.source.SourceNode.SourceSequence;
import dev.claimstream.manifests.source.SourceNode.Style;
import dev.claimstream.manifests.source.SourceText;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** The parts of a text that no edit may change: documents, objects, the uniqueness of names, and comments. */
final class TextIntegrity {
    private final SourceText source;
    private final Map<String, Integer> repeatedNames = new HashMap<>();
    private final Map<String, Integer> repeatedSpellings = new HashMap<>();
    private final BitSet inScalars = new BitSet();
    private final Map<String, Integer> comments;

    TextIntegrity(SourceText source) {
        this.source = source;
        source.documents().stream().map(SourceDocument::root).forEach(this::read);
        this.comments = comments();
    }

    /** Returns whether an edited text has all documents, objects and comments, and repeats no further name in a mapping. */
    boolean isKeptBy(SourceText edited) {
        TextIntegrity after = new TextIntegrity(edited);
        return source.documents().size() == edited.documents().size()
                && SourceObject.of(source).size() == SourceObject.of(edited).size()
                && contains(repeatedSpellings, after.repeatedSpellings)
                && contains(repeatedNames, after.repeatedNames)
                && contains(after.comments, comments);
    }

    private static boolean contains(Map<String, Integer> all, Map<String, Integer> part) {
        return part.entrySet().stream().allMatch(each -> all.getOrDefault(each.getKey(), 0) >= each.getValue());
    }

    private void read(SourceNode node) {
        switch (node) {
            case SourceScalar scalar -> markScalar(scalar);
            case SourceSequence list -> list.items().forEach(this::read);
            case SourceMapping mapping -> {
                countRepeated(mapping);
                for (SourceField entry : mapping.entries()) {
                    markScalar(entry.key());
                    read(entry.value());
                }
            }
        }
    }

    /** Counts repeated names: as they are written, and without regard to capitals. */
    private void countRepeated(SourceMapping mapping) {
        Map<String, Integer> spellings = new HashMap<>();
        Map<String, Integer> names = new HashMap<>();
        for (SourceField entry : mapping.entries()) {
            spellings.merge(entry.name(), 1, Integer::sum);
            names.merge(entry.name().toLowerCase(Locale.ROOT), 1, Integer::sum);
        }
        spellings.forEach((name, count) -> repeatedSpellings.merge(name, count - 1, Integer::sum));
        names.forEach((name, count) -> repeatedNames.merge(name, count - 1, Integer::sum));
    }

    /** Marks a scalar; the first line of a block scalar can end with a comment. */
    private void markScalar(SourceScalar scalar) {
        int start = scalar.span().start();
        int first = scalar.style() == Style.BLOCK ? MappingText.endOfLine(source, start) : start;
        if (first < scalar.span().end()) {
            inScalars.set(first, scalar.span().end());
        }
    }

    private Map<String, Integer> comments() {
        Map<String, Integer> found = new HashMap<>();
        String text = source.text();
        for (int i = text.indexOf('#'); i >= 0; i = text.indexOf('#', i + 1)) {
            boolean isStart = i == 0 || Character.isWhitespace(text.charAt(i - 1));
            if (isStart && !inScalars.get(i)) {
                int end = MappingText.endOfLine(source, i);
                found.merge(text.substring(i + 1, end).strip(), 1, Integer::sum);
                i = end - 1;
            }
        }
        return found;
    }
}
