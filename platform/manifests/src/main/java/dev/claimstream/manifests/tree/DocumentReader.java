package dev.claimstream.manifests.tree;

import dev.claimstream.manifests.tree.Markup.Event;
import dev.claimstream.manifests.tree.NodeReader.MappingDraft;
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

    private final Markup markup;
    private final NodeReader nodes;
    private final BudgetReader budget;

    private DocumentReader(Markup markup, BudgetReader budget, NodeReader nodes) {
        this.markup = markup;
        this.budget = budget;
        this.nodes = nodes;
    }

    /** Receives the objects. */
    public interface Receiver {
        /** Returns whether a document that begins with these fields is a list. Its items are then passed on one by one. */
        boolean isList(Node.Mapping begin);

        /**
         * Receives an item of a list.
         *
         * @param begin the fields of the document before the items
         * @param index from 0
         */
        void item(Node.Mapping begin, int index, Node item);

        /**
         * Receives the end of a list.
         *
         * @param list all fields except the items
         */
        void listEnd(Node.Mapping list, int items);

        /** Receives a whole document. */
        void document(Node root);
    }

    /**
     * Reads all documents of a part of a file; the first characters decide whether it is JSON.
     *
     * @param firstLine the line of the file, from 1, at which the text begins
     * @param texts the string pool shared by all parts of a read
     * @throws SyntaxException if the text cannot be read further; the objects before the error were passed on
     */
    public static void read(Reader text, int firstLine, NodeLimits limits, TextPool texts, Receiver receiver)
            throws IOException, SyntaxException {
        BudgetReader budget = new BudgetReader(new BufferedReader(text, 2 * PEEK), limits.charactersMax());
        Markup markup = beginsAsJson(budget) ? new JsonMarkup(budget, firstLine) : new YamlMarkup(budget, firstLine);
        new DocumentReader(markup, budget, new NodeReader(markup, limits, texts)).documents(receiver);
    }

    private static boolean beginsAsJson(Reader text) throws IOException {
        text.mark(PEEK);
        int first = visible(text, PEEK / 2);
        int second = first == '{' || first == '[' ? visible(text, PEEK / 2) : -1;
        text.reset();
        return first == '{' ? second == '"' || second == '}' : first == '[' && "\"{[]".indexOf(second) >= 0;
    }

    private static int visible(Reader text, int charactersMax) throws IOException {
        for (int i = 0; i < charactersMax; i++) {
            int c = text.read();
            if (c < 0 || " \t\r\n".indexOf(c) < 0) {
                return c;
            }
        }
        return -1;
    }

    private void documents(Receiver receiver) throws IOException, SyntaxException {
        try {
            for (Event event = markup.next(); event != Event.END_OF_TEXT; event = markup.next()) {
                budget.restart();
                nodes.restart();
                nodes.forgetAnchors();
                document(receiver);
            }
        } catch (BudgetReader.ObjectTooLargeException e) {
            throw new SyntaxException(
                    markup.line(),
                    markup.column(),
                    e.problem(),
                    "split the object, or raise the limit if it is meant to be so large");
        }
    }

    private void document(Receiver receiver) throws IOException, SyntaxException {
        Event event = markup.next();
        if (event != Event.MAPPING) {
            Node node = nodes.value(event, 0);
            if (!isNothing(node)) {
                receiver.document(node);
            }
            return;
        }
        MappingDraft draft = new MappingDraft(markup.line(), markup.column());
        int items = -1;
        for (event = markup.next(); event != Event.END; event = markup.next()) {
            NodeReader.FieldName name = nodes.name(event);
            event = markup.next();
            if (name.text().equals(ITEMS) && event == Event.SEQUENCE && items < 0 && receiver.isList(draft.done())) {
                items = items(draft.done(), receiver);
            } else {
                Node value = nodes.value(event, 1);
                draft.add(new Node.Entry(name.text(), name.line(), name.column(), value));
            }
        }
        if (items < 0) {
            receiver.document(draft.done());
        } else {
            receiver.listEnd(draft.done(), items);
        }
    }

    private static boolean isNothing(Node node) {
        return node instanceof Node.Scalar scalar && scalar.type() == ScalarType.NULL;
    }

    private int items(Node.Mapping begin, Receiver receiver) throws IOException, SyntaxException {
        int index = 0;
        for (Event event = markup.next(); event != Event.END; event = markup.next()) {
            budget.restart();
            nodes.restart();
            receiver.item(begin, index++, nodes.value(event, 2));
        }
        budget.restart();
        nodes.restart();
        return index;
    }
}
