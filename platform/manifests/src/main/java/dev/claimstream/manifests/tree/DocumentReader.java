package dev.claimstream.manifests.tree;

import dev.claimstream.manifests.tree.DocumentNodeReader.MappingBuilder;
import dev.claimstream.manifests.tree.MarkupParser.MarkupEvent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;

/**
 * Reads the documents of a text and passes on one object at a time.
 *
 * <p>The items of a list are passed on one by one, so that a list may be much larger than memory.
 */
public final class DocumentReader {
    /** The field of a list whose items are passed on one by one. */
    public static final String ITEMS = "items";

    private static final int PEEK = 4096;

    private final MarkupParser markup;
    private final DocumentNodeReader nodes;
    private final BudgetReader budget;

    private DocumentReader(MarkupParser markup, BudgetReader budget, DocumentNodeReader nodes) {
        this.markup = markup;
        this.budget = budget;
        this.nodes = nodes;
    }

    public interface ObjectReceiver {
        /** Returns whether a document that begins with these fields is a list. Its items are then passed on one by one. */
        boolean isList(DocumentNode.DocumentMapping begin);

        /**
         * Receives an item of a list.
         *
         * @param begin the fields of the document before the items
         * @param index from 0
         */
        void item(DocumentNode.DocumentMapping begin, int index, DocumentNode item);

        /**
         * Receives the end of a list.
         *
         * @param list all fields except the items
         */
        void listEnd(DocumentNode.DocumentMapping list, int items);

        /** Receives a whole document. */
        void document(DocumentNode root);
    }

    /**
     * Reads all documents of a part of a file; the first characters decide whether it is JSON.
     *
     * @param firstLine the line of the file, from 1, at which the text begins
     * @param texts the string pool shared by all parts of a read
     * @throws SyntaxException if the text cannot be read further; the objects before the error were passed on
     */
    public static void read(Reader text, int firstLine, ObjectLimits limits, TextPool texts, ObjectReceiver receiver)
            throws IOException, SyntaxException {
        BudgetReader budget = new BudgetReader(new BufferedReader(text, 2 * PEEK), limits.charactersMax());
        MarkupParser markup = beginsAsJson(budget)
                ? new JsonMarkupParser(budget, firstLine)
                : new YamlMarkupParser(budget, firstLine);
        new DocumentReader(markup, budget, new DocumentNodeReader(markup, limits, texts)).documents(receiver);
    }

    private static boolean beginsAsJson(Reader text) throws IOException {
        text.mark(PEEK);
        int first = nextNonSpace(text, PEEK / 2);
        int second = first == '{' || first == '[' ? nextNonSpace(text, PEEK / 2) : -1;
        text.reset();
        return first == '{' ? second == '"' || second == '}' : first == '[' && "\"{[]".indexOf(second) >= 0;
    }

    private static int nextNonSpace(Reader text, int charactersMax) throws IOException {
        for (int i = 0; i < charactersMax; i++) {
            int c = text.read();
            if (c < 0 || " \t\r\n".indexOf(c) < 0) {
                return c;
            }
        }
        return -1;
    }

    private void documents(ObjectReceiver receiver) throws IOException, SyntaxException {
        try {
            for (MarkupEvent event = markup.next(); event != MarkupEvent.END_OF_TEXT; event = markup.next()) {
                budget.restart();
                nodes.restart();
                nodes.forgetAnchors();
                document(receiver);
            }
        } catch (BudgetReader.DocumentTooLongException e) {
            throw new SyntaxException(
                    markup.line(),
                    markup.column(),
                    e.problem(),
                    "split the object, or raise the limit if it is meant to be so large");
        }
    }

    private void document(ObjectReceiver receiver) throws IOException, SyntaxException {
        MarkupEvent event = markup.next();
        if (event != MarkupEvent.MAPPING) {
            DocumentNode node = nodes.value(event, 0);
            if (!isNull(node)) {
                receiver.document(node);
            }
            return;
        }
        MappingBuilder draft = new MappingBuilder(markup.line(), markup.column());
        int items = -1;
        for (event = markup.next(); event != MarkupEvent.END; event = markup.next()) {
            DocumentNodeReader.FieldName name = nodes.name(event);
            event = markup.next();
            if (name.text().equals(ITEMS)
                    && event == MarkupEvent.SEQUENCE
                    && items < 0
                    && receiver.isList(draft.build())) {
                items = items(draft.build(), receiver);
            } else {
                DocumentNode value = nodes.value(event, 1);
                draft.add(new DocumentNode.DocumentField(name.text(), name.line(), name.column(), value));
            }
        }
        if (items < 0) {
            receiver.document(draft.build());
        } else {
            receiver.listEnd(draft.build(), items);
        }
    }

    private static boolean isNull(DocumentNode node) {
        return node instanceof DocumentNode.DocumentScalar scalar && scalar.type() == ScalarType.NULL;
    }

    private int items(DocumentNode.DocumentMapping begin, ObjectReceiver receiver) throws IOException, SyntaxException {
        int index = 0;
        for (MarkupEvent event = markup.next(); event != MarkupEvent.END; event = markup.next()) {
            budget.restart();
            nodes.restart();
            receiver.item(begin, index++, nodes.value(event, 2));
        }
        budget.restart();
        nodes.restart();
        return index;
    }
}
