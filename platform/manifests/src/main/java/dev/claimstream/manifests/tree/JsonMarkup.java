package dev.claimstream.manifests.tree;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** Parses a text of JSON values, one document each. It is stricter and faster than the YAML parser and accepts tabs as indentation. */
final class JsonMarkup implements Markup {
    private static final int END = -1;

    /** The position of the parser in a collection. */
    private enum At {
        FIRST_ITEM,
        NEXT_ITEM,
        FIRST_NAME,
        NEXT_NAME,
        VALUE
    }

    private final Reader text;
    private final Deque<At> nesting = new ArrayDeque<>();
    private int head;
    private boolean started;
    private boolean inDocument;
    private int readLine;
    private int readColumn = 0;
    private int line;
    private int column = 1;
    private String scalar = "";
    private ScalarType type = ScalarType.NULL;

    /**
     * Creates a parser.
     *
     * @param firstLine the line of the file at which the text begins
     */
    JsonMarkup(Reader text, int firstLine) {
        this.text = new BufferedReader(text);
        this.readLine = firstLine;
        this.line = firstLine;
    }

    @Override
    public Event next() throws IOException, SyntaxException {
        if (!started) {
            started = true;
            advance();
        }
        skipSpace();
        if (nesting.isEmpty()) {
            return outside();
        }
        return switch (nesting.element()) {
            case FIRST_ITEM -> head == ']' ? closed() : item();
            case NEXT_ITEM -> head == ']' ? closed() : afterComma(this::item);
            case FIRST_NAME -> head == '}' ? closed() : name();
            case NEXT_NAME -> head == '}' ? closed() : afterComma(this::name);
            case VALUE -> fieldValue();
        };
    }

    private Event outside() throws IOException, SyntaxException {
        if (inDocument) {
            inDocument = false;
            return value();
        }
        mark();
        if (head == END) {
            return Event.END_OF_TEXT;
        }
        inDocument = true;
        return Event.DOCUMENT;
    }

    private interface Step {
        Event take() throws IOException, SyntaxException;
    }

    private Event afterComma(Step step) throws IOException, SyntaxException {
        expect(',', "expected ',' or the end of the collection");
        skipSpace();
        return step.take();
    }

    private Event closed() throws IOException {
        mark();
        nesting.pop();
        advance();
        return Event.END;
    }

    private Event item() throws IOException, SyntaxException {
        become(At.NEXT_ITEM);
        return value();
    }

    private Event name() throws IOException, SyntaxException {
        mark();
        if (head != '"') {
            throw wrong("expected the name of a field in double quotes");
        }
        become(At.VALUE);
        type = ScalarType.TEXT;
        scalar = quoted();
        skipSpace();
        expect(':', "expected ':'");
        return Event.SCALAR;
    }

    private Event fieldValue() throws IOException, SyntaxException {
        become(At.NEXT_NAME);
        return value();
    }

    private void become(At at) {
        nesting.pop();
        nesting.push(at);
    }

    private Event value() throws IOException, SyntaxException {
        skipSpace();
        mark();
        switch (head) {
            case '{' -> {
                return opened(At.FIRST_NAME, Event.MAPPING);
            }
            case '[' -> {
                return opened(At.FIRST_ITEM, Event.SEQUENCE);
            }
            case '"' -> {
                type = ScalarType.TEXT;
                scalar = quoted();
            }
            default -> word();
        }
        return Event.SCALAR;
    }

    private Event opened(At at, Event event) throws IOException {
        nesting.push(at);
        advance();
        return event;
    }

    private void word() throws IOException, SyntaxException {
        StringBuilder word = new StringBuilder();
        while (head != END && ",]}:\"{[ \t\r\n".indexOf(head) < 0) {
            word.append((char) head);
            advance();
        }
        scalar = word.toString();
        type = switch (scalar) {
            case "true", "false" -> ScalarType.BOOL;
            case "null" -> ScalarType.NULL;
            default -> number();
        };
    }

    private ScalarType number() throws SyntaxException {
        ScalarType sort = scalar.isEmpty() ? ScalarType.TEXT : ScalarType.of(scalar);
        if ((sort != ScalarType.INTEGER && sort != ScalarType.FLOAT)
                || !ScalarType.number(scalar).filter(scalar::equals).isPresent()) {
            throw wrong(
                    head == END && scalar.isEmpty()
                            ? "the text ends in the middle"
                            : "expected a value, found " + shown(scalar));
        }
        return sort;
    }

    private String shown(String word) {
        if (word.isEmpty()) {
            return "'" + (char) head + "'";
        }
        return word.length() > 40 ? word.substring(0, 40) + "..." : word;
    }

    private String quoted() throws IOException, SyntaxException {
        StringBuilder out = new StringBuilder();
        while (advance() != '"') {
            if (head == END) {
                throw wrong("the text ends within double quotes");
            }
            if (head < 0x20) {
                throw wrong("a text in double quotes may not hold the control character 0x%02X".formatted(head));
            }
            out.append(head == '\\' ? escaped() : (char) head);
        }
        advance();
        return out.toString();
    }

    private char escaped() throws IOException, SyntaxException {
        return switch (advance()) {
            case '"', '\\', '/' -> (char) head;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hex();
            default -> throw wrong("an unknown escape in a text");
        };
    }

    private char hex() throws IOException, SyntaxException {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(advance(), 16);
            if (digit < 0) {
                throw wrong("expected four hexadecimal digits after \\u");
            }
            code = code * 16 + digit;
        }
        return (char) code;
    }

    private void expect(char wanted, String otherwise) throws IOException, SyntaxException {
        if (head != wanted) {
            mark();
            throw wrong(head == END ? "the text ends in the middle" : otherwise);
        }
        advance();
    }

    private SyntaxException wrong(String problem) {
        return new SyntaxException(line, column, "not JSON: " + problem, "correct the syntax at this line");
    }

    private void skipSpace() throws IOException {
        while (head == ' ' || head == '\n' || head == '\t' || head == '\r') {
            advance();
        }
    }

    private int advance() throws IOException {
        if (head == '\n') {
            readLine++;
            readColumn = 0;
        }
        head = text.read();
        readColumn++;
        return head;
    }

    private void mark() {
        line = readLine;
        column = readColumn;
    }

    @Override
    public String text() {
        return scalar;
    }

    @Override
    public ScalarType type() {
        return type;
    }

    @Override
    public boolean plain() {
        return false;
    }

    @Override
    public Optional<String> anchor() {
        return Optional.empty();
    }

    @Override
    public Optional<String> foreignTag() {
        return Optional.empty();
    }

    @Override
    public int line() {
        return line;
    }

    @Override
    public int column() {
        return column;
    }
}
