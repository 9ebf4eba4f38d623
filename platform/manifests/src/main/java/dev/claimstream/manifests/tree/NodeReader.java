package dev.claimstream.manifests.tree;

import dev.claimstream.manifests.tree.Markup.Event;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Builds nodes from events within limits. */
final class NodeReader {
    private static final String SPLIT = "split the object, or raise the limit if it is meant to be so large";
    private static final String MERGE = "<<";

    private final Markup markup;
    private final NodeLimits limits;
    private final TextPool texts;
    private final Map<String, Node> anchors = new HashMap<>();
    private long anchoredNodes;
    private int nodes;
    private int aliased;

    NodeReader(Markup markup, NodeLimits limits, TextPool texts) {
        this.markup = markup;
        this.limits = limits;
        this.texts = texts;
    }

    /** Resets the limits for the next object. */
    void restart() {
        nodes = 0;
        aliased = 0;
    }

    /** Clears the anchors at the end of a document. */
    void forgetAnchors() {
        anchors.clear();
        anchoredNodes = 0;
    }

    /** Reads the value that begins with the current event. */
    Node value(Event event, int depth) throws IOException, SyntaxException {
        if (depth > limits.nestingMax()) {
            throw wrong("values lie more than %d deep in each other".formatted(limits.nestingMax()), SPLIT);
        }
        if (++nodes > limits.nodesMax()) {
            throw wrong("an object has more than %d values".formatted(limits.nodesMax()), SPLIT);
        }
        if (markup.foreignTag().isPresent()) {
            throw wrong("the tag %s is not served".formatted(markup.foreignTag().get()), "write the plain value");
        }
        var anchor = markup.anchor();
        Node node = switch (event) {
            case SCALAR -> scalar();
            case ALIAS -> alias();
            case SEQUENCE -> sequence(depth);
            case MAPPING -> mapping(depth);
            case DOCUMENT, END, END_OF_TEXT -> throw wrong("expected a value", "complete the text here");
        };
        if (anchor.isPresent()) {
            remember(anchor.get(), node);
        }
        return node;
    }

    private Node.Scalar scalar() {
        return new Node.Scalar(texts.shared(markup.text()), markup.type(), markup.line(), markup.column());
    }

    private Node alias() throws SyntaxException {
        Node node = anchors.get(markup.text());
        if (node == null) {
            throw wrong("the alias *%s has no anchor before it".formatted(markup.text()), "write the value out");
        }
        aliased += node.size();
        if (aliased > limits.aliasedNodesMax()) {
            throw wrong(
                    "the aliases of an object stand for more than %d values".formatted(limits.aliasedNodesMax()),
                    "write the values out");
        }
        return node;
    }

    private void remember(String anchor, Node node) throws SyntaxException {
        anchoredNodes += node.size();
        if (anchoredNodes > limits.nodesMax()) {
            throw wrong("the anchors of a document hold more than %d values".formatted(limits.nodesMax()), SPLIT);
        }
        anchors.put(anchor, node);
    }

    private Node.Sequence sequence(int depth) throws IOException, SyntaxException {
        int line = markup.line();
        int column = markup.column();
        List<Node> items = new ArrayList<>(4);
        int size = 1;
        for (Event event = markup.next(); event != Event.END; event = markup.next()) {
            Node item = value(event, depth + 1);
            size += item.size();
            items.add(item);
        }
        return new Node.Sequence(items, line, column, size);
    }

    private Node.Mapping mapping(int depth) throws IOException, SyntaxException {
        MappingDraft draft = new MappingDraft(markup.line(), markup.column());
        for (Event event = markup.next(); event != Event.END; event = markup.next()) {
            field(draft, event, depth);
        }
        return draft.done();
    }

    private void field(MappingDraft draft, Event event, int depth) throws IOException, SyntaxException {
        boolean merge = event == Event.SCALAR && markup.plain() && markup.text().equals(MERGE);
        FieldName name = name(event);
        Node value = value(markup.next(), depth + 1);
        if (merge) {
            merge(draft, value);
        } else {
            draft.add(new Node.Entry(name.text, name.line, name.column, value));
        }
    }

    /** The name of a field with its location. */
    record FieldName(String text, int line, int column) {}

    /** Reads the name of a field from the current event. Numbers and booleans become strings, so that {@code on} is {@code true}. */
    FieldName name(Event event) throws SyntaxException {
        if (event != Event.SCALAR || (markup.plain() && markup.type() == ScalarType.NULL)) {
            throw wrong("the name of a field must be a text", "give the field a name");
        }
        nodes++;
        String text = switch (markup.type()) {
            case BOOL -> Boolean.toString(ScalarType.isTrue(markup.text()));
            case INTEGER, FLOAT -> ScalarType.number(markup.text()).orElse(markup.text());
            case TEXT, NULL -> markup.text();
        };
        return new FieldName(texts.shared(text), markup.line(), markup.column());
    }

    private void merge(MappingDraft draft, Node value) throws SyntaxException {
        switch (value) {
            case Node.Mapping mapping -> draft.merge(mapping);
            case Node.Sequence sequence -> {
                for (Node item : sequence.items()) {
                    merge(draft, item);
                }
            }
            case Node.Scalar scalar ->
                throw new SyntaxException(
                        scalar.line(), scalar.column(), "<< needs fields to merge", "name a mapping with an alias");
        }
    }

    private SyntaxException wrong(String problem, String remedy) {
        return new SyntaxException(markup.line(), markup.column(), problem, remedy);
    }

    /** A mapping under construction: written fields override merged ones. */
    static final class MappingDraft {
        private final SequencedMap<String, Node.Entry> fields = new LinkedHashMap<>();
        private final SequencedMap<String, Node.Entry> merged = new LinkedHashMap<>();
        private final List<Node.Entry> repeated = new ArrayList<>(0);
        private final int line;
        private final int column;
        private long size = 1;

        MappingDraft(int line, int column) {
            this.line = line;
            this.column = column;
        }

        void add(Node.Entry entry) {
            size += entry.value().size();
            if (fields.putIfAbsent(entry.name(), entry) != null) {
                repeated.add(entry);
            }
        }

        void merge(Node.Mapping other) {
            size += other.size();
            other.entries().forEach(entry -> merged.putIfAbsent(entry.name(), entry));
        }

        Node.Mapping done() {
            merged.forEach(fields::putIfAbsent);
            return new Node.Mapping(fields, repeated, line, column, (int) Math.min(size, Integer.MAX_VALUE));
        }
    }
}
