package dev.claimstream.manifests.tree;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Reader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/** Parses a text of JSON values, one document each. It is stricter and faster than the YAML parser and accepts tabs as indentation. */
final class JsonMarkupParser implements MarkupParser {
    private static final int END = -1;

    /** The position of the parser in a collection. */
    private enum ParserState {
        FIRST_ITEM,
        NEXT_ITEM,
        FIRST_NAME,
        NEXT_NAME,
        VALUE
    }

    private final Reader text;
    private final Deque<ParserState> nesting = new ArrayDeque<>();
    private int current;
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
    JsonMarkupParser(Reader text, int firstLine) {
        this.text = new BufferedReader(text);
        this.readLine = firstLine;
        this.line = firstLine;
    }

    @Override
    public MarkupEvent next() throws IOException, SyntaxException {
        if (!started) {
            started = true;
            advance();
        }
        skipSpace();
        if (nesting.isEmpty()) {
            return topLevelEvent();
        }
        return switch (nesting.element()) {
            case FIRST_ITEM -> current == ']' ? endCollection() : item();
            case NEXT_ITEM -> current == ']' ? endCollection() : afterComma(this::item);
            case FIRST_NAME -> current == '}' ? endCollection() : name();
            case NEXT_NAME -> current == '}' ? endCollection() : afterComma(this::name);
            case VALUE -> fieldValue();
        };
    }

    private MarkupEvent topLevelEvent() throws IOException, SyntaxException {
        if (inDocument) {
            inDocument = false;
            return value();
        }
        mark();
        if (current == END) {
            return MarkupEvent.END_OF_TEXT;
        }
        inDocument = true;
        return MarkupEvent.DOCUMENT;
    }

    private interface EventSupplier {
        MarkupEvent get() throws IOException, SyntaxException;
    }

    private MarkupEvent afterComma(EventSupplier step) throws IOException, SyntaxException {
        expect(',', "expected ',' or the end of the collection");
        skipSpace();
        return step.get();
    }

    private MarkupEvent endCollection() throws IOException {
        mark();
        nesting.pop();
        advance();
        return MarkupEvent.END;
    }

    private MarkupEvent item() throws IOException, SyntaxException {
        replaceState(ParserState.NEXT_ITEM);
        return value();
    }

    private MarkupEvent name() throws IOException, SyntaxException {
        mark();
        if (current != '"') {
            throw syntaxError("expected the name of a field in double quotes");
        }
        replaceState(ParserState.VALUE);
        type = ScalarType.TEXT;
        scalar = quoted();
        skipSpace();
        expect(':', "expected ':'");
        return MarkupEvent.SCALAR;
    }

    private MarkupEvent fieldValue() throws IOException, SyntaxException {
        replaceState(ParserState.NEXT_NAME);
        return value();
    }

    private void replaceState(ParserState at) {
        nesting.pop();
        nesting.push(at);
    }

    private MarkupEvent value() throws IOException, SyntaxException {
        skipSpace();
        mark();
        switch (current) {
            case '{' -> {
                return beginCollection(ParserState.FIRST_NAME, MarkupEvent.MAPPING);
            }
            case '[' -> {
                return beginCollection(ParserState.FIRST_ITEM, MarkupEvent.SEQUENCE);
            }
            case '"' -> {
                type = ScalarType.TEXT;
                scalar = quoted();
            }
            default -> word();
        }
        return MarkupEvent.SCALAR;
    }

    private MarkupEvent beginCollection(ParserState at, MarkupEvent event) throws IOException {
        nesting.push(at);
        advance();
        return event;
    }

    private void word() throws IOException, SyntaxException {
        StringBuilder word = new StringBuilder();
        while (current != END && ",]}:\"{[ \t\r\n".indexOf(current) < 0) {
            word.append((char) current);
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
            throw syntaxError(
                    current == END && scalar.isEmpty()
                            ? "the text ends too early"
                            : "expected a value, found " + shown(scalar));
        }
        return sort;
    }

    private String shown(String word) {
        if (word.isEmpty()) {
            return "'" + (char) current + "'";
        }
        return word.length() > 40 ? word.substring(0, 40) + "..." : word;
    }

    private String quoted() throws IOException, SyntaxException {
        StringBuilder out = new StringBuilder();
        while (advance() != '"') {
            if (current == END) {
                throw syntaxError("the text ends within double quotes");
            }
            if (current < 0x20) {
                throw syntaxError(
                        "a text in double quotes may not hold the control character 0x%02X".formatted(current));
            }
            out.append(current == '\\' ? escaped() : (char) current);
        }
        advance();
        return out.toString();
    }

    private char escaped() throws IOException, SyntaxException {
        return switch (advance()) {
            case '"', '\\', '/' -> (char) current;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hex();
            default -> throw syntaxError("an unknown escape in a text");
        };
    }

    private char hex() throws IOException, SyntaxException {
        int code = 0;
        for (int i = 0; i < 4; i++) {
            int digit = Character.digit(advance(), 16);
            if (digit < 0) {
                throw syntaxError("expected four hexadecimal digits after \\u");
            }
            code = code * 16 + digit;
        }
        return (char) code;
    }

    private void expect(char expected, String otherwise) throws IOException, SyntaxException {
        if (current != expected) {
            mark();
            throw syntaxError(current == END ? "the text ends too early" : otherwise);
        }
        advance();
    }

    private SyntaxException syntaxError(String problem) {
        return new SyntaxException(line, column, "not JSON: " + problem, "correct the syntax at this line");
    }

    private void skipSpace() throws IOException {
        while (current == ' ' || current == '\n' || current == '\t' || current == '\r') {
            advance();
        }
    }

    private int advance() throws IOException {
        if (current == '\n') {
            readLine++;
            readColumn = 0;
        }
        current = text.read();
        readColumn++;
        return current;
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
    public boolean isPlain() {
        return false;
    }

    @Override
    public Optional<String> anchor() {
        return Optional.empty();
    }

    @Override
    public Optional<String> unsupportedTag() {
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
