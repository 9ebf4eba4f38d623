package dev.claimstream.manifests.source;

import dev.claimstream.manifests.source.SourceNode.Style;
import dev.claimstream.manifests.tree.ObjectLimits;
import dev.claimstream.manifests.tree.ScalarType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.Event;
import org.yaml.snakeyaml.events.MappingStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.events.SequenceStartEvent;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.StreamReader;

/** Builds the {@link SourceNode} trees of one part of a text. */
final class SourceReader {
    private final String text;
    private final int offset;
    private final ParserImpl parser;
    private final CodePointIndex indices;
    private boolean hasAliases;
    private final Map<String, SourceNode> anchors = new HashMap<>();
    private long nodes;

    /** The document has a syntax error or is too large. */
    static final class UnreadableException extends Exception {
        private static final long serialVersionUID = 1L;

        UnreadableException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * Creates a reader.
     *
     * @param text the part of the text; JSON may contain tabs
     * @param offset index of the part in the whole text
     */
    SourceReader(String text, int offset) {
        this.text = text;
        this.offset = offset;
        this.indices = new CodePointIndex(text);
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE);
        this.parser = new ParserImpl(new StreamReader(tabsToSpaces(text)), options);
    }

    /** Replaces the tabs of JSON by spaces, because YAML does not allow tabs as indentation. */
    private static String tabsToSpaces(String text) {
        String begin = text.stripLeading();
        return begin.startsWith("{") || begin.startsWith("[") ? text.replace('\t', ' ') : text;
    }

    /** Reads the documents that are not empty. */
    List<SourceDocument> documents() throws UnreadableException {
        List<SourceDocument> documents = new ArrayList<>(1);
        try {
            for (Event event = parser.getEvent(); !event.is(Event.ID.StreamEnd); event = parser.getEvent()) {
                if (event.is(Event.ID.DocumentStart)) {
                    anchors.clear();
                    hasAliases = false;
                    SourceNode node = node(parser.getEvent(), 0);
                    if (!node.isNull()) {
                        documents.add(new SourceDocument(node, hasAliases));
                    }
                }
            }
        } catch (YAMLException | IllegalArgumentException e) {
            throw new UnreadableException(String.valueOf(e.getMessage()));
        }
        return documents;
    }

    private SourceNode node(Event event, int depth) throws UnreadableException {
        if (depth > ObjectLimits.DEFAULT.nestingMax()) {
            throw new UnreadableException("too deep");
        }
        SourceNode node = switch (event) {
            case ScalarEvent scalar -> scalar(scalar);
            case AliasEvent alias -> alias(alias);
            case SequenceStartEvent sequence -> sequence(sequence, depth);
            case MappingStartEvent mapping -> mapping(mapping, depth);
            default -> throw new UnreadableException("unexpected " + event.getEventId());
        };
        if (event instanceof NodeEvent anchored && !(event instanceof AliasEvent) && anchored.getAnchor() != null) {
            anchors.put(anchored.getAnchor(), node);
        }
        return node;
    }

    private SourceNode alias(AliasEvent alias) throws UnreadableException {
        SourceNode node = anchors.get(alias.getAnchor());
        if (node == null) {
            throw new UnreadableException("no anchor " + alias.getAnchor());
        }
        hasAliases = true;
        return countNodes(node, node.size());
    }

    private <T> T countNodes(T node, int count) throws UnreadableException {
        nodes += count;
        if (nodes > ObjectLimits.DEFAULT.nodesMax()) {
            throw new UnreadableException("too many values");
        }
        return node;
    }

    private SourceNode.SourceScalar scalar(ScalarEvent event) throws UnreadableException {
        Style style = switch (event.getScalarStyle()) {
            case SINGLE_QUOTED -> Style.SINGLE_QUOTED;
            case DOUBLE_QUOTED -> Style.DOUBLE_QUOTED;
            case LITERAL, FOLDED -> Style.BLOCK;
            case PLAIN, JSON_SCALAR_STYLE -> Style.PLAIN;
        };
        TextSpan span = span(event, event);
        TextSpan shown = style == Style.BLOCK ? trimmed(span) : span;
        return countNodes(new SourceNode.SourceScalar(event.getValue(), type(event, style), style, shown), 1);
    }

    private static ScalarType type(ScalarEvent event, Style style) {
        String tag = event.getTag();
        boolean isText = tag == null ? style != Style.PLAIN : tag.equals("!") || tag.equals(Tag.STR.getValue());
        return isText ? ScalarType.TEXT : ScalarType.of(event.getValue());
    }

    /** Cuts trailing white space: the parser ends a block of text at the next value. */
    private TextSpan trimmed(TextSpan span) {
        int end = span.end() - offset;
        while (end > span.start() - offset && Character.isWhitespace(text.charAt(end - 1))) {
            end--;
        }
        return new TextSpan(span.start(), end + offset);
    }

    private SourceNode.SourceSequence sequence(SequenceStartEvent begin, int depth) throws UnreadableException {
        List<SourceNode> items = new ArrayList<>();
        int size = 1;
        Event event = parser.getEvent();
        for (; !event.is(Event.ID.SequenceEnd); event = parser.getEvent()) {
            SourceNode item = node(event, depth + 1);
            size += item.size();
            items.add(item);
        }
        TextSpan span = begin.isFlow() ? span(begin, event) : block(begin, last(items));
        return countNodes(new SourceNode.SourceSequence(items, begin.isFlow(), span, size), 1);
    }

    private static Optional<TextSpan> last(List<SourceNode> items) {
        return items.isEmpty() ? Optional.empty() : Optional.of(items.getLast().span());
    }

    private SourceNode.SourceMapping mapping(MappingStartEvent begin, int depth) throws UnreadableException {
        List<SourceNode.SourceField> entries = new ArrayList<>();
        int size = 1;
        Event event = parser.getEvent();
        for (; !event.is(Event.ID.MappingEnd); event = parser.getEvent()) {
            if (!(event instanceof ScalarEvent name)) {
                throw new UnreadableException("the name of a field must be a text");
            }
            SourceNode.SourceScalar key = scalar(name);
            SourceNode value = node(parser.getEvent(), depth + 1);
            size += value.size();
            merge(entries, key, value);
        }
        Optional<TextSpan> last = entries.isEmpty()
                ? Optional.empty()
                : Optional.of(entries.getLast().span());
        TextSpan span = begin.isFlow() ? span(begin, event) : block(begin, last);
        return countNodes(new SourceNode.SourceMapping(entries, begin.isFlow(), span, size), 1);
    }

    private static void merge(List<SourceNode.SourceField> entries, SourceNode.SourceScalar key, SourceNode value) {
        if (key.text().equals("<<") && key.style() == Style.PLAIN) {
            entries.addAll(value.fields());
            value.items().forEach(item -> entries.addAll(item.fields()));
        } else {
            entries.add(new SourceNode.SourceField(key, value));
        }
    }

    private TextSpan block(Event begin, Optional<TextSpan> last) {
        int start = index(begin.getStartMark().getIndex());
        int end = Math.max(start, last.map(TextSpan::end).orElse(start));
        return new TextSpan(start, end);
    }

    private TextSpan span(Event begin, Event end) {
        return new TextSpan(
                index(begin.getStartMark().getIndex()), index(end.getEndMark().getIndex()));
    }

    /** Converts a position of the parser, which counts code points, to an index of the whole text. */
    private int index(int codePoints) {
        return offset + indices.charIndex(codePoints);
    }
}
