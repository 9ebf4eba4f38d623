package dev.claimstream.lint;

import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.Place;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.source.Source;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SequencedMap;
import java.util.stream.Stream;

/**
 * Corrects the mistakes in a manifest's text that need no knowledge beyond the text. The operation is idempotent.
 *
 * <p>Objects with aliases are not changed.
 */
public final class Fixer {
    /** Maximum number of passes: one mistake may hide another, but more passes than this mean that two fixes undo each other. */
    private static final int ROUNDS_MAX = 100;

    private static final String MEANT = "did you mean ";

    private Fixer() {}

    /**
     * The corrected text.
     *
     * @param fixed number of corrections by rule
     */
    public record Fixed(String text, Map<Rule, Integer> fixed) {
        public Fixed {
            Map<Rule, Integer> copy = new EnumMap<>(Rule.class);
            copy.putAll(fixed);
            fixed = java.util.Collections.unmodifiableMap(copy);
        }

        /** Returns whether the text has changed. */
        public boolean isChanged() {
            return !fixed.isEmpty();
        }
    }

    /** Corrects a text. */
    public static Fixed fix(String name, String text) {
        Map<Rule, Integer> done = new EnumMap<>(Rule.class);
        Source source = Source.of(name, text);
        for (int round = 0; round < ROUNDS_MAX; round++) {
            List<Fix> fixes = apart(fixes(source));
            Source next = Source.of(name, applied(source.text(), fixes));
            if (fixes.isEmpty() || !isSound(source, next)) {
                break;
            }
            fixes.forEach(fix -> done.merge(fix.rule(), 1, Integer::sum));
            source = next;
        }
        return new Fixed(source.text(), done);
    }

    /** Returns whether the number of documents and objects is unchanged; otherwise an edit has damaged the text. */
    private static boolean isSound(Source before, Source after) {
        return before.documents().size() == after.documents().size()
                && Written.of(before).size() == Written.of(after).size();
    }

    private static List<Fix> fixes(Source source) {
        List<Fix> fixes = new ArrayList<>();
        for (Written object : Written.of(source)) {
            if (object.isWhole()) {
                fixes.addAll(OldKindFixes.of(object));
                fixes.addAll(ValueFixes.of(object));
                fixes.addAll(AlternativeFixes.of(object));
                fixes.addAll(MoveFixes.of(object));
                fixes.addAll(ShapeFixes.of(object));
            }
        }
        fixes.addAll(misspelt(source));
        return fixes;
    }

    /** Corrects field names that differ from the right ones only in upper and lower case. */
    private static List<Fix> misspelt(Source source) {
        SequencedMap<String, String> texts = new LinkedHashMap<>();
        texts.put(source.name(), source.text());
        Stream<Finding> read = Manifests.read(texts, ReadOptions.DEFAULT).findings().stream();
        Stream<Finding> shapes = Written.of(source).stream()
                .flatMap(object -> Shapes.findings(object).stream())
                .map(Diagnosis::finding);
        return Stream.concat(read, shapes)
                .filter(finding -> finding.remedy().startsWith(MEANT))
                .flatMap(finding -> renamed(source, finding).stream())
                .toList();
    }

    private static List<Fix> renamed(Source source, Finding finding) {
        String meant =
                finding.remedy().substring(MEANT.length(), finding.remedy().length() - 1);
        int start = index(source, finding.place());
        String written = source.text().substring(start, Math.min(source.text().length(), start + meant.length()));
        boolean isSame = written.toLowerCase(Locale.ROOT).equals(meant.toLowerCase(Locale.ROOT));
        boolean isField = finding.message().startsWith("unknown field");
        return isSame && isField && !written.equals(meant)
                ? List.of(Fix.of(Rule.MISSPELT_FIELD, Edit.of(start, start + meant.length(), meant)))
                : List.of();
    }

    private static int index(Source source, Place place) {
        int start = source.lineStartOf(place.line());
        int index = source.text().offsetByCodePoints(start, Math.max(0, place.column() - 1));
        boolean isQuoted =
                index < source.text().length() && "\"'".indexOf(source.text().charAt(index)) >= 0;
        return isQuoted ? index + 1 : index;
    }

    /** Selects fixes that do not touch one another; the others are applied in the next pass. */
    private static List<Fix> apart(List<Fix> fixes) {
        List<Fix> chosen = new ArrayList<>();
        for (Fix fix : fixes) {
            boolean isFree = fix.edits().stream()
                    .noneMatch(edit -> chosen.stream().anyMatch(other -> other.overlaps(edit) || touches(other, edit)));
            if (isFree) {
                chosen.add(fix);
            }
        }
        return chosen;
    }

    /** Returns whether two edits touch: insertions at the same index have no defined order. */
    private static boolean touches(Fix fix, Edit edit) {
        return fix.edits().stream()
                .anyMatch(other -> other.span().touches(edit.span().start())
                        || edit.span().touches(other.span().start()));
    }

    private static String applied(String text, List<Fix> fixes) {
        List<Edit> edits = fixes.stream()
                .flatMap(fix -> fix.edits().stream())
                .sorted(Comparator.comparingInt((Edit edit) -> edit.span().start())
                        .thenComparingInt(edit -> edit.span().end()))
                .toList();
        boolean isWindows = text.contains("\r\n");
        StringBuilder out = new StringBuilder();
        int at = 0;
        for (Edit edit : edits) {
            out.append(text, at, edit.span().start());
            out.append(isWindows ? edit.text().replace("\r\n", "\n").replace("\n", "\r\n") : edit.text());
            at = edit.span().end();
        }
        return out.append(text, at, text.length()).toString();
    }
}
