package dev.claimstream.lint;

import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.source.SourceText;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Corrects the capitals of field names. The length of the text does not change, so that all locations stay valid. */
final class FieldCapitals {
    private static final String DID_YOU_MEAN = "did you mean ";

    private FieldCapitals() {}

    /** Returns the correction of a field or kind that differs from the right one in capitals only. */
    static Optional<LintFix> fix(SourceText source, ManifestFinding finding) {
        boolean isField = finding.message().startsWith("unknown field");
        boolean isKind = finding.message().startsWith("no matches for kind");
        boolean isMeant =
                finding.remedy().startsWith(DID_YOU_MEAN) && finding.remedy().endsWith("?");
        if (!isMeant || !(isField || isKind) || finding.location().line() == 0) {
            return Optional.empty();
        }
        String meant = finding.remedy()
                .substring(DID_YOU_MEAN.length(), finding.remedy().length() - 1);
        int name = index(source, finding.location());
        int start = isKind ? Math.max(name, source.text().indexOf(finding.value(), name)) : name;
        String written = source.text().substring(start, Math.min(source.text().length(), start + meant.length()));
        boolean isSame = written.toLowerCase(Locale.ROOT).equals(meant.toLowerCase(Locale.ROOT));
        return isSame && !written.equals(meant)
                ? Optional.of(LintFix.of(LintRule.MISSPELT_FIELD, TextEdit.of(start, start + meant.length(), meant)))
                : Optional.empty();
    }

    private static int index(SourceText source, SourceLocation place) {
        int start = source.lineStartOf(place.line());
        int index = source.text().offsetByCodePoints(start, Math.max(0, place.column() - 1));
        boolean isQuoted =
                index < source.text().length() && "\"'".indexOf(source.text().charAt(index)) >= 0;
        return isQuoted ? index + 1 : index;
    }

    /** Returns a text in which all findings about capitals in it are corrected. */
    static SourceText corrected(SourceText source, List<LintFinding> found) {
        StringBuilder text = new StringBuilder(source.text());
        for (LintFinding each : found) {
            if (each.finding().location().file().equals(source.name())) {
                fix(source, each.finding())
                        .map(fix -> fix.edits().getFirst())
                        .ifPresent(edit ->
                                text.replace(edit.span().start(), edit.span().end(), edit.text()));
            }
        }
        return text.toString().equals(source.text()) ? source : SourceText.of(source.name(), text.toString());
    }
}
