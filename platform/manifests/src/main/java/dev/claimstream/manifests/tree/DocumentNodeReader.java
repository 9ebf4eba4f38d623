package dev.claimstream.manifests.tree;

import dev.claimstream.manifests.tree.MarkupParser.MarkupEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/** Builds nodes from events within limits. */
final class DocumentNodeReader {
    private static final String SPLIT = "split the object, or raise the limit if it is meant to be so large";
    private static final String MERGE = "<<";

    private final MarkupParser markup;
    private final ObjectLimits limits;
    private final TextPool texts;
    private final Map<String, DocumentNode> anchors = new HashMap<>();
    private long anchoredNodes;
    private int nodes;
    private int aliased;

    DocumentNodeReader(MarkupParser markup, ObjectLimits limits, TextPool texts) {
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
    DocumentNode value(MarkupEvent event, int depth) throws IOException, SyntaxException {
        if (depth > limits.nestingMax()) {
            throw syntaxError("values are nested more than %d levels deep".formatted(limits.nestingMax()), SPLIT);
        }
        if (++nodes > limits.nodesMax()) {
            throw syntaxError("an object has more than %d values".formatted(limits.nodesMax()), SPLIT);
        }
        if (markup.unsupportedTag().isPresent()) {
            throw syntaxError(
                    "the tag %s is not supported"
                            .formatted(markup.unsupportedTag().get()),
                    "write the plain value");
        }
        var anchor = markup.anchor();
        DocumentNode node = switch (event) {
            case SCALAR -> scalar();
            case ALIAS -> alias();
            case SEQUENCE -> sequence(depth);
            case MAPPING -> mapping(depth);
            case DOCUMENT, END, END_OF_TEXT -> throw syntaxError("expected a value", "complete the text here");
        };
        if (anchor.isPresent()) {
            putAnchor(anchor.get(), node);
        }
        return node;
    }

    private DocumentNode.DocumentScalar scalar() {
        return new DocumentNode.DocumentScalar(
                texts.intern(markup.text()), markup.type(), markup.line(), markup.column());
    }

    private DocumentNode alias() throws SyntaxException {
        DocumentNode node = anchors.get(markup.text());
        if (node == null) {
            throw syntaxError("the alias *%s has no anchor before it".formatted(markup.text()), "write the value out");
        }
        aliased += node.size();
        if (aliased > limits.aliasedNodesMax()) {
            throw syntaxError(
                    "the aliases of an object expand to more than %d values".formatted(limits.aliasedNodesMax()),
                    "write the values out");
        }
        return node;
    }

    private void putAnchor(String anchor, DocumentNode node) throws SyntaxException {
        anchoredNodes += node.size();
        if (anchoredNodes > limits.nodesMax()) {
            throw syntaxError("the anchors of a document hold more than %d values".formatted(limits.nodesMax()), SPLIT);
        }
        anchors.put(anchor, node);
    }

    private DocumentNode.DocumentSequence sequence(int depth) throws IOException, SyntaxException {
        int line = markup.line();
        int column = markup.column();
        List<DocumentNode> items = new ArrayList<>(4);
        int size = 1;
        for (MarkupEvent event = markup.next(); event != MarkupEvent.END; event = markup.next()) {
            DocumentNode item = value(event, depth + 1);
            size += item.size();
            items.add(item);
        }
        return new DocumentNode.DocumentSequence(items, line, column, size);
    }

    private DocumentNode.DocumentMapping mapping(int depth) throws IOException, SyntaxException {
        MappingBuilder draft = new MappingBuilder(markup.line(), markup.column());
        for (MarkupEvent event = markup.next(); event != MarkupEvent.END; event = markup.next()) {
            field(draft, event, depth);
        }
        return draft.build();
    }

    private void field(MappingBuilder draft, MarkupEvent event, int depth) throws IOException, SyntaxException {
        boolean merge =
                event == MarkupEvent.SCALAR && markup.isPlain() && markup.text().equals(MERGE);
        FieldName name = name(event);
        DocumentNode value = value(markup.next(), depth + 1);
        if (merge) {
            merge(draft, value);
        } else {
            draft.add(new DocumentNode.DocumentField(name.text, name.line, name.column, value));
        }
    }

    /** The name of a field with its location. */
    record FieldName(String text, int line, int column) {}

    /** Reads the name of a field from the current event. Numbers and booleans become strings, so that {@code on} is {@code true}. */
    FieldName name(MarkupEvent event) throws SyntaxException {
        if (event != MarkupEvent.SCALAR || (markup.isPlain() && markup.type() == ScalarType.NULL)) {
            throw syntaxError("the name of a field must be a text", "give the field a name");
        }
        nodes++;
        String text = switch (markup.type()) {
            case BOOL -> Boolean.toString(ScalarType.isTrue(markup.text()));
            case INTEGER, FLOAT -> ScalarType.number(markup.text()).orElse(markup.text());
            case TEXT, NULL -> markup.text();
        };
        return new FieldName(texts.intern(text), markup.line(), markup.column());
    }

    private void merge(MappingBuilder draft, DocumentNode value) throws SyntaxException {
        switch (value) {
            case DocumentNode.DocumentMapping mapping -> draft.merge(mapping);
            case DocumentNode.DocumentSequence sequence -> {
                for (DocumentNode item : sequence.items()) {
                    merge(draft, item);
                }
            }
            case DocumentNode.DocumentScalar scalar ->
                throw new SyntaxException(
                        scalar.line(), scalar.column(), "<< needs fields to merge", "name a mapping with an alias");
        }
    }

    private SyntaxException syntaxError(String problem, String remedy) {
        return new SyntaxException(markup.line(), markup.column(), problem, remedy);
    }

    /** A mapping under construction: written fields override merged ones. */
    static final class MappingBuilder {
        private final SequencedMap<String, DocumentNode.DocumentField> fields = new LinkedHashMap<>();
        private final SequencedMap<String, DocumentNode.DocumentField> merged = new LinkedHashMap<>();
        private final List<DocumentNode.DocumentField> repeated = new ArrayList<>(0);
        private final int line;
        private final int column;
        private long size = 1;

        MappingBuilder(int line, int column) {
            this.line = line;
            this.column = column;
        }

        void add(DocumentNode.DocumentField entry) {
            size += entry.value().size();
            if (fields.putIfAbsent(entry.name(), entry) != null) {
                repeated.add(entry);
            }
        }

        void merge(DocumentNode.DocumentMapping other) {
            size += other.size();
            other.entries().forEach(entry -> merged.putIfAbsent(entry.name(), entry));
        }

        DocumentNode.DocumentMapping build() {
            merged.forEach(fields::putIfAbsent);
            return new DocumentNode.DocumentMapping(
                    fields, repeated, line, column, (int) Math.min(size, Integer.MAX_VALUE));
        }
    }
}
