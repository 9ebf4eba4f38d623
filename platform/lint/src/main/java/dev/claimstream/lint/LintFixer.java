package dev.claimstream.lint;

import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.source.SourceText;
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
public final class LintFixer {
    /** Maximum number of passes: one mistake may hide another, but more passes than this mean that two fixes undo each other. */
    private static final int ROUNDS_MAX = 100;

    private static final String DID_YOU_MEAN = "did you mean ";

    private LintFixer() {}

    /**
     * The corrected text.
     *
     * @param counts number of corrections by rule
     */
    public record FixResult(String text, Map<LintRule, Integer> counts) {
        public FixResult {
            Map<LintRule, Integer> copy = new EnumMap<>(LintRule.class);
            copy.putAll(counts);
            counts = java.util.Collections.unmodifiableMap(copy);
        }

        /** Returns whether the text has changed. */
        public boolean isChanged() {
            return !counts.isEmpty();
        }
    }

    /** Corrects a text. */
    public static FixResult fix(String name, String text) {
        Map<LintRule, Integer> done = new EnumMap<>(LintRule.class);
        SourceText source = SourceText.of(name, text);
        for (int round = 0; round < ROUNDS_MAX; round++) {
            List<LintFix> fixes = nonOverlapping(fixes(source));
            SourceText next = SourceText.of(name, applyFixes(source.text(), fixes));
            if (fixes.isEmpty() || !isSound(source, next)) {
                break;
            }
            fixes.forEach(fix -> done.merge(fix.rule(), 1, Integer::sum));
            source = next;
        }
        return new FixResult(source.text(), done);
    }

    /** Returns whether the number of documents and objects is unchanged; otherwise an edit has damaged the text. */
    private static boolean isSound(SourceText before, SourceText after) {
        return before.documents().size() == after.documents().size()
                && SourceObject.of(before).size() == SourceObject.of(after).size();
    }

    private static List<LintFix> fixes(SourceText source) {
        List<LintFix> fixes = new ArrayList<>();
        for (SourceObject object : SourceObject.of(source)) {
            if (object.isEditable()) {
                fixes.addAll(RemovedApiFixes.of(object));
                fixes.addAll(ValueFixes.of(object));
                fixes.addAll(AlternativeFixes.of(object));
                fixes.addAll(RelocationFixes.of(object));
                fixes.addAll(NestingFixes.of(object));
            }
        }
        fixes.addAll(misspeltNames(source));
        return fixes;
    }

    /** Corrects field names that differ from the right ones only in upper and lower case. */
    private static List<LintFix> misspeltNames(SourceText source) {
        SequencedMap<String, String> texts = new LinkedHashMap<>();
        texts.put(source.name(), source.text());
        Stream<ManifestFinding> read = Manifests.read(texts, ReadOptions.DEFAULT).findings().stream();
        Stream<ManifestFinding> shapes = SourceObject.of(source).stream()
                .flatMap(object -> FieldTypeRules.findings(object).stream())
                .map(LintFinding::finding);
        return Stream.concat(read, shapes)
                .filter(finding -> finding.remedy().startsWith(DID_YOU_MEAN))
                .flatMap(finding -> renamed(source, finding).stream())
                .toList();
    }

    private static List<LintFix> renamed(SourceText source, ManifestFinding finding) {
        String meant = finding.remedy()
                .substring(DID_YOU_MEAN.length(), finding.remedy().length() - 1);
        int start = index(source, finding.location());
        String written = source.text().substring(start, Math.min(source.text().length(), start + meant.length()));
        boolean isSame = written.toLowerCase(Locale.ROOT).equals(meant.toLowerCase(Locale.ROOT));
        boolean isField = finding.message().startsWith("unknown field");
        return isSame && isField && !written.equals(meant)
                ? List.of(LintFix.of(LintRule.MISSPELT_FIELD, TextEdit.of(start, start + meant.length(), meant)))
                : List.of();
    }

    private static int index(SourceText source, SourceLocation place) {
        int start = source.lineStartOf(place.line());
        int index = source.text().offsetByCodePoints(start, Math.max(0, place.column() - 1));
        boolean isQuoted =
                index < source.text().length() && "\"'".indexOf(source.text().charAt(index)) >= 0;
        return isQuoted ? index + 1 : index;
    }

    /** Selects fixes that do not touch one another; the others are applied in the next pass. */
    private static List<LintFix> nonOverlapping(List<LintFix> fixes) {
        List<LintFix> chosen = new ArrayList<>();
        for (LintFix fix : fixes) {
            boolean isFree = fix.edits().stream()
                    .noneMatch(edit -> chosen.stream().anyMatch(other -> other.overlaps(edit) || touches(other, edit)));
            if (isFree) {
                chosen.add(fix);
            }
        }
        return chosen;
    }

    /** Returns whether two edits touch: insertions at the same index have no defined order. */
    private static boolean touches(LintFix fix, TextEdit edit) {
        return fix.edits().stream()
                .anyMatch(other -> other.span().touches(edit.span().start())
                        || edit.span().touches(other.span().start()));
    }

    private static String applyFixes(String text, List<LintFix> fixes) {
        List<TextEdit> edits = fixes.stream()
                .flatMap(fix -> fix.edits().stream())
                .sorted(Comparator.comparingInt((TextEdit edit) -> edit.span().start())
                        .thenComparingInt(edit -> edit.span().end()))
                .toList();
        boolean isWindows = text.contains("\r\n");
        StringBuilder out = new StringBuilder();
        int at = 0;
        for (TextEdit edit : edits) {
            out.append(text, at, edit.span().start());
            out.append(isWindows ? edit.text().replace("\r\n", "\n").replace("\n", "\r\n") : edit.text());
            at = edit.span().end();
        }
        return out.append(text, at, text.length()).toString();
    }
}
