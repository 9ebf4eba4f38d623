package dev.claimstream.lint;

import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.source.SourceNode;
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
        boolean isKnown =
                finding.remedy().startsWith(DID_YOU_MEAN) && finding.remedy().endsWith("?");
        if (!isKnown || !(isField || isKind) || finding.location().line() == 0) {
            return Optional.empty();
        }
        String suggestion = finding.remedy()
                .substring(DID_YOU_MEAN.length(), finding.remedy().length() - 1);
        int name = index(source, finding.location());
        int start = isKind ? Math.max(name, source.text().indexOf(finding.value(), name)) : name;
        String written = source.text().substring(start, Math.min(source.text().length(), start + suggestion.length()));
        boolean isSame = written.toLowerCase(Locale.ROOT).equals(suggestion.toLowerCase(Locale.ROOT));
        boolean isFree = isKind || rival(source, start, suggestion).isEmpty();
        return isSame && isFree && !written.equals(suggestion)
                ? Optional.of(LintFix.of(
                        LintRule.MISSPELT_FIELD, TextEdit.of(start, start + suggestion.length(), suggestion)))
                : Optional.empty();
    }

    /** Returns a finding about wrong capitals that names the other field of this name, if there is one. */
    static LintFinding withRival(SourceText source, LintFinding found) {
        ManifestFinding finding = found.finding();
        boolean isKnown = finding.message().startsWith("unknown field")
                && finding.remedy().startsWith(DID_YOU_MEAN)
                && finding.remedy().endsWith("?")
                && finding.location().line() > 0;
        if (!isKnown || !finding.location().file().equals(source.name())) {
            return found;
        }
        String suggestion = finding.remedy()
                .substring(DID_YOU_MEAN.length(), finding.remedy().length() - 1);
        return rival(source, index(source, finding.location()), suggestion)
                .map(other -> new LintFinding(
                        found.rule(),
                        new ManifestFinding(
                                finding.severity(),
                                finding.location(),
                                finding.field(),
                                finding.value(),
                                finding.message(),
                                "%s %s is there too: leave one of the two out".formatted(finding.remedy(), other))))
                .orElse(found);
    }

    /** Returns the other field of the same object that has a name, in any capitals. */
    private static Optional<String> rival(SourceText source, int index, String name) {
        return source.documents().stream()
                .flatMap(document -> holder(document.root(), index).stream())
                .flatMap(holder -> holder.entries().stream())
                .filter(entry -> !entry.key().span().touches(index) && name.equalsIgnoreCase(entry.name()))
                .map(SourceNode.SourceField::name)
                .findFirst();
    }

    /** Returns the mapping with a field whose name is at an index. */
    private static Optional<SourceNode.SourceMapping> holder(SourceNode node, int index) {
        if (!node.span().touches(index)) {
            return Optional.empty();
        }
        return switch (node) {
            case SourceNode.SourceScalar _ -> Optional.empty();
            case SourceNode.SourceSequence list ->
                list.items().stream()
                        .flatMap(item -> holder(item, index).stream())
                        .findFirst();
            case SourceNode.SourceMapping mapping ->
                mapping.entries().stream().anyMatch(entry -> entry.key().span().touches(index))
                        ? Optional.of(mapping)
                        : mapping.entries().stream()
                                .flatMap(entry -> holder(entry.value(), index).stream())
                                .findFirst();
        };
    }

    private static int index(SourceText source, SourceLocation location) {
        int start = source.lineStartOf(location.line());
        int index = source.text().offsetByCodePoints(start, Math.max(0, location.column() - 1));
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
