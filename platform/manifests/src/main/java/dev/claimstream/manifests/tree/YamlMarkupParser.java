package dev.claimstream.manifests.tree;

import java.io.IOException;
import java.io.Reader;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.events.AliasEvent;
import org.yaml.snakeyaml.events.CollectionStartEvent;
import org.yaml.snakeyaml.events.NodeEvent;
import org.yaml.snakeyaml.events.ScalarEvent;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.parser.ParserImpl;
import org.yaml.snakeyaml.reader.ReaderException;
import org.yaml.snakeyaml.reader.StreamReader;

/** Parses YAML into events with SnakeYAML, one document after the other. */
final class YamlMarkupParser implements MarkupParser {
    private static final String TABS = "indent with spaces, YAML forbids tabs there";

    private final int firstLine;
    private final ParserImpl parser;
    private org.yaml.snakeyaml.events.@Nullable Event current;
    private int line;
    private int column = 1;

    /**
     * Creates a parser.
     *
     * @param firstLine the line of the file at which the text begins
     */
    YamlMarkupParser(Reader text, int firstLine) {
        this.firstLine = firstLine;
        this.line = firstLine;
        LoaderOptions options = new LoaderOptions();
        options.setCodePointLimit(Integer.MAX_VALUE); // the limit is per object
        options.setProcessComments(false);
        this.parser = new ParserImpl(new StreamReader(text), options);
    }

    @Override
    public MarkupEvent next() throws IOException, SyntaxException {
        Optional<MarkupEvent> next = Optional.empty();
        while (next.isEmpty()) {
            var event = pullEvent();
            current = event;
            setPosition(event.getStartMark());
            next = toEvent(event.getEventId());
        }
        return next.get();
    }

    private static Optional<MarkupEvent> toEvent(org.yaml.snakeyaml.events.Event.ID id) {
        return switch (id) {
            case DocumentStart -> Optional.of(MarkupEvent.DOCUMENT);
            case MappingStart -> Optional.of(MarkupEvent.MAPPING);
            case SequenceStart -> Optional.of(MarkupEvent.SEQUENCE);
            case MappingEnd, SequenceEnd -> Optional.of(MarkupEvent.END);
            case Scalar -> Optional.of(MarkupEvent.SCALAR);
            case Alias -> Optional.of(MarkupEvent.ALIAS);
            case StreamEnd -> Optional.of(MarkupEvent.END_OF_TEXT);
            case StreamStart, DocumentEnd, Comment -> Optional.empty();
        };
    }

    private org.yaml.snakeyaml.events.Event pullEvent() throws IOException, SyntaxException {
        try {
            return parser.getEvent();
        } catch (MarkedYAMLException e) {
            setPosition(e.getProblemMark());
            throw new SyntaxException(line, column, problem(e), remedy(e));
        } catch (ReaderException e) {
            throw new SyntaxException(
                    line,
                    column,
                    "character 0x%02X is not text".formatted(e.getCodePoint()),
                    "give a text file in UTF-8; write such a character as an escape in double quotes");
        } catch (YAMLException e) {
            if (e.getCause() instanceof IOException io) {
                throw io;
            }
            throw new SyntaxException(line, column, "not YAML: " + e.getMessage(), "correct the syntax");
        } catch (IllegalArgumentException e) { // for example \U00110000
            throw new SyntaxException(line, column, "not YAML: " + e.getMessage(), "correct the escape");
        }
    }

    private static String problem(MarkedYAMLException e) {
        String context = e.getContext() == null ? "" : e.getContext() + ": ";
        return "not YAML: " + context + e.getProblem();
    }

    private static String remedy(MarkedYAMLException e) {
        return e.getProblem() != null && e.getProblem().contains("TAB") ? TABS : "correct the syntax at this line";
    }

    private void setPosition(@Nullable Mark mark) {
        if (mark != null) {
            line = firstLine + mark.getLine();
            column = mark.getColumn() + 1;
        }
    }

    @Override
    public String text() {
        return switch (current) {
            case ScalarEvent scalar -> scalar.getValue();
            case AliasEvent alias -> alias.getAnchor();
            case null, default -> throw new IllegalStateException("neither a scalar nor an alias: " + current);
        };
    }

    @Override
    public ScalarType type() {
        if (!(current instanceof ScalarEvent scalar)) {
            throw new IllegalStateException("not a scalar: " + current);
        }
        String tag = scalar.getTag();
        if (tag == null) {
            return isPlain() ? ScalarType.of(scalar.getValue()) : ScalarType.TEXT;
        }
        return tag.equals(Tag.STR.getValue()) || tag.equals("!") ? ScalarType.TEXT : ScalarType.of(scalar.getValue());
    }

    @Override
    public boolean isPlain() {
        return current instanceof ScalarEvent scalar && scalar.getScalarStyle() == ScalarStyle.PLAIN;
    }

    @Override
    public Optional<String> unsupportedTag() {
        Optional<String> tag = switch (current) {
            case ScalarEvent scalar -> Optional.ofNullable(scalar.getTag());
            case CollectionStartEvent collection -> Optional.ofNullable(collection.getTag());
            case null, default -> Optional.empty();
        };
        return tag.filter(t -> !t.startsWith(Tag.PREFIX) && !t.equals("!"));
    }

    @Override
    public Optional<String> anchor() {
        return current instanceof NodeEvent node && !(node instanceof AliasEvent)
                ? Optional.ofNullable(node.getAnchor())
                : Optional.empty();
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
