package dev.claimstream.lint;

import dev.claimstream.lint.MappingText.FieldText;
import dev.claimstream.lint.MisplacedFields.MisplacedField;
import dev.claimstream.manifests.source.SourceNode.SourceMapping;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Moves fields to the object that has them in the API. A field whose place is taken or unclear stays. */
final class MisplacementFixes {
    private final SourceObject object;

    private MisplacementFixes(SourceObject object) {
        this.object = object;
    }

    static List<LintFix> of(SourceObject object) {
        if (!object.isResource()
                || object.apiVersion().contains("beta1")
                || object.apiVersion().contains("alpha")) {
            return List.of();
        }
        MisplacementFixes fixes = new MisplacementFixes(object);
        return MisplacedFields.of(object).stream().flatMap(field -> fixes.moved(field).stream()).findFirst().stream()
                .toList(); // the next one is moved in the next pass
    }

    private Optional<LintFix> moved(MisplacedField field) {
        boolean isOccupied = field.missing().isEmpty() && field.target().node().has(field.name());
        if (isOccupied || !(field.holder().node() instanceof SourceMapping holder)) {
            return Optional.empty();
        }
        Optional<MappingText> from = MappingText.of(object.source(), holder);
        Optional<FieldText> piece = from.flatMap(pieces -> pieces.all().stream()
                .filter(each -> each.name().equals(field.name()))
                .findFirst());
        if (piece.isPresent() && from.get().all().size() == 1) {
            return wrapped(from.get(), field, piece.get());
        }
        if (piece.isEmpty() || !(field.target().node() instanceof SourceMapping target)) {
            return Optional.empty();
        }
        return MappingText.of(object.source(), target)
                .flatMap(to -> inserted(to, field, piece.get()))
                .flatMap(insertion ->
                        from.get().removal(field.name()).map(removal -> LintFix.of(rule(field), removal, insertion)))
                .filter(fix -> !fix.edits().getFirst().overlaps(fix.edits().getLast()));
    }

    /** Puts the only field of an object into a new field of the same object. */
    private static Optional<LintFix> wrapped(MappingText pieces, MisplacedField field, FieldText piece) {
        boolean isInside = field.target().node() == field.holder().node()
                && !field.missing().isEmpty()
                && !field.missing().contains("requests");
        if (!isInside) {
            return Optional.empty();
        }
        FieldText nested = piece;
        for (String name : field.missing().reversed()) {
            nested = pieces.nested(name, List.of(nested));
        }
        return Optional.of(LintFix.of(rule(field), pieces.rewritten(List.of(nested))));
    }

    private static LintRule rule(MisplacedField field) {
        return field.holder().path().endsWith("]") ? LintRule.FLAT_REQUEST : LintRule.MISPLACED_FIELD;
    }

    private Optional<TextEdit> inserted(MappingText to, MisplacedField field, FieldText piece) {
        FieldText nested = piece;
        for (int i = field.missing().size() - 1; i >= 0; i--) {
            boolean isList = field.missing().get(i).equals("requests");
            if (isList || to.isJson()) {
                return Optional.empty();
            }
            List<String> lines = new ArrayList<>(List.of(field.missing().get(i) + ":"));
            nested.lines().forEach(line -> lines.add(MappingText.indented(line, 2)));
            nested = new FieldText(field.missing().get(i), lines);
        }
        boolean isOneLine = nested.lines().size() == 1 && nested.comments().isEmpty();
        if (to.isBlock()) {
            String text = nested.lines().stream()
                    .map(line -> "\n" + MappingText.indented(line, to.indent()))
                    .reduce("", String::concat);
            return Optional.of(TextEdit.insert(to.span().end(), text));
        }
        boolean isInline = isOneLine && !nested.lines().getFirst().contains(" #");
        return isInline ? to.appended(nested) : asBlock(to, nested).or(() -> asFlow(to, field, piece));
    }

    /** Writes a block without comments between the braces of its new place. */
    private Optional<TextEdit> asFlow(MappingText to, MisplacedField field, FieldText piece) {
        boolean hasComment = piece.lines().stream().anyMatch(line -> line.contains("#"));
        return field.holder()
                .node()
                .get(field.name())
                .filter(_ -> !hasComment && field.missing().isEmpty() && !to.isJson())
                .flatMap(value -> FlowText.of(object.source(), value))
                .flatMap(text -> to.appended(FieldText.of(field.name(), text)));
    }

    /** Writes a mapping in braces as a block, because a block with comments does not fit between braces. */
    private Optional<TextEdit> asBlock(MappingText to, FieldText nested) {
        int start = to.span().start();
        String before = object.source().text().substring(object.source().lineStart(start), start);
        int lineEnd = MappingText.endOfLine(object.source(), to.span().end());
        boolean hasComment =
                object.source().text().substring(to.span().end(), lineEnd).contains("#");
        if (to.isJson()
                || hasComment
                || !to.isOnOneLine()
                || !before.stripTrailing().endsWith(":")
                || before.contains("{")) {
            return Optional.empty();
        }
        int indent = before.length() - before.replaceFirst("^[ -]*", "").length() + 2;
        String text = Stream.concat(to.all().stream(), Stream.of(nested))
                .flatMap(each -> each.lines().stream())
                .map(line -> "\n" + MappingText.indented(line, indent))
                .reduce("", String::concat);
        int begin = start - (before.length() - before.stripTrailing().length());
        return Optional.of(TextEdit.of(begin, to.span().end(), text));
    }
}
