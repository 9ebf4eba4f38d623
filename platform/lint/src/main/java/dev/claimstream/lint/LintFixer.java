package dev.claimstream.lint;

import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.UnfinishedText;
import dev.claimstream.manifests.source.SourceDocument;
import dev.claimstream.manifests.source.SourceText;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Corrects the mistakes in a manifest's text that need no knowledge beyond the text. The operation is idempotent.
 *
 * <p>Objects with aliases are not changed.
 */
public final class LintFixer {
    /** Maximum number of passes: one mistake may hide another, but more passes than this mean that two fixes undo each other. */
    private static final int ROUNDS_MAX = 100;

    /** The only field whose correction depends on other objects. */
    private static final String REFERENCE = "resourceClaims";

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

    /** Corrects a text on its own. */
    public static FixResult fix(String name, String text) {
        return fix(name, text, List.of());
    }

    /**
     * Corrects texts, each with the objects of its cluster. Only the texts that all clusters share are looked up for a shared text.
     *
     * @return the results in the order of the texts
     */
    public static List<FixResult> fixAll(List<SourceText> sources) {
        Set<String> foreign = ForeignSources.of(sources);
        Map<String, List<SourceText>> sets = new HashMap<>();
        ManifestSets.of(sources.stream()
                        .filter(source -> !foreign.contains(source.name()))
                        .toList())
                .forEach(set -> set.forEach(source -> sets.merge(source.name(), set, LintFixer::shared)));
        return sources.stream()
                .map(source -> fix(source.name(), source.text(), sets.getOrDefault(source.name(), List.of())))
                .toList();
    }

    private static List<SourceText> shared(List<SourceText> one, List<SourceText> other) {
        Set<SourceText> texts = new HashSet<>(other);
        return one.stream().filter(texts::contains).toList();
    }

    /**
     * Corrects a text of a set.
     *
     * @param set all texts of the set; classes, templates and claims are looked up among them
     */
    public static FixResult fix(String name, String text, List<SourceText> set) {
        SourceText source = SourceText.of(name, text);
        if (isUnfinished(source)) {
            return new FixResult(text, Map.of());
        }
        List<SourceObject> others = set.stream()
                .filter(each -> !each.name().equals(name))
                .flatMap(each -> SourceObject.of(each).stream())
                .toList();
        Map<LintRule, Integer> done = new EnumMap<>(LintRule.class);
        Optional<SourceText> fixed = fixParts(source, others, done).filter(new TextIntegrity(source)::isKeptBy);
        if (fixed.isPresent()) {
            return new FixResult(fixed.get().text(), done);
        }
        done.clear();
        return new FixResult(fixWhole(source, references(others, source), done).text(), done);
    }

    private static boolean isUnfinished(SourceText source) {
        return UnfinishedText.finding(source.name(), source.text()).isPresent()
                || read(source).anyMatch(UnfinishedText::isAboutVariables);
    }

    private static Stream<ManifestFinding> read(SourceText source) {
        SequencedMap<String, String> texts = new LinkedHashMap<>();
        texts.put(source.name(), source.text());
        return Manifests.read(texts, ReadOptions.DEFAULT).findings().stream();
    }

    private static SourceObjectIndex references(List<SourceObject> others, SourceText source) {
        return new SourceObjectIndex(
                Stream.concat(SourceObject.of(source).stream(), others.stream()).toList());
    }

    /**
     * Corrects each part on its own, until the correction of one part makes no difference to another one.
     *
     * @return empty if a part cannot be read without the rest of its document, as with a directive for tags
     */
    private static Optional<SourceText> fixParts(
            SourceText text, List<SourceObject> others, Map<LintRule, Integer> done) {
        SourceText source = text;
        for (int round = 0; round < ROUNDS_MAX; round++) {
            SourceObjectIndex references = references(others, source);
            StringBuilder out = new StringBuilder();
            int at = 0;
            boolean isFirst = round == 0;
            List<ObjectExcerpt> excerpts = ObjectExcerpt.of(source).stream()
                    .filter(excerpt -> isFirst || excerpt.part().contains(REFERENCE))
                    .toList();
            for (ObjectExcerpt excerpt : excerpts) {
                Map<LintRule, Integer> ofPart = new EnumMap<>(LintRule.class);
                SourceText part = SourceText.of(source.name(), excerpt.text());
                if (part.documents().isEmpty()) {
                    return Optional.empty();
                }
                Optional<String> fixed =
                        excerpt.partOf(fixWhole(part, references, ofPart).text());
                if (fixed.isPresent() && !ofPart.isEmpty() && excerpt.start() >= at) {
                    out.append(source.text(), at, excerpt.start()).append(fixed.get());
                    at = excerpt.end();
                    ofPart.forEach((rule, count) -> done.merge(rule, count, Integer::sum));
                }
            }
            if (at == 0) {
                break;
            }
            source = SourceText.of(
                    source.name(),
                    out.append(source.text(), at, source.text().length()).toString());
        }
        return Optional.of(source);
    }

    private static SourceText fixWhole(SourceText text, SourceObjectIndex references, Map<LintRule, Integer> done) {
        SourceText source = text;
        for (int round = 0; round < ROUNDS_MAX; round++) {
            // capitals first: the other fixes look fields up by name
            List<LintFix> capitals = applicable(source, misspeltNames(source));
            List<LintFix> fixes = capitals.isEmpty() ? applicable(source, fixes(source, references)) : capitals;
            if (fixes.isEmpty()) {
                break;
            }
            fixes.forEach(fix -> done.merge(fix.rule(), 1, Integer::sum));
            source = SourceText.of(source.name(), applyFixes(source.text(), fixes));
        }
        return source;
    }

    /** Selects fixes that can be applied together and keep the integrity of the text; the findings of the others stay. */
    private static List<LintFix> applicable(SourceText source, List<LintFix> fixes) {
        List<LintFix> candidates = new ArrayList<>(lossless(source, fixes));
        List<LintFix> applicable = new ArrayList<>();
        if (candidates.isEmpty()) {
            return applicable;
        }
        TextIntegrity integrity = new TextIntegrity(source);
        while (applicable.isEmpty() && !candidates.isEmpty()) {
            List<LintFix> chosen = nonOverlapping(candidates);
            addApplicable(source, integrity, chosen, applicable);
            candidates.removeAll(chosen);
        }
        return applicable;
    }

    /** Adds the fixes that keep the integrity of the text: all of them, or those of either half. */
    private static void addApplicable(
            SourceText source, TextIntegrity integrity, List<LintFix> fixes, List<LintFix> applicable) {
        List<LintFix> all = Stream.concat(applicable.stream(), fixes.stream()).toList();
        if (integrity.isKeptBy(SourceText.of(source.name(), applyFixes(source.text(), all)))) {
            applicable.addAll(fixes);
        } else if (fixes.size() > 1) {
            int half = fixes.size() / 2;
            addApplicable(source, integrity, fixes.subList(0, half), applicable);
            addApplicable(source, integrity, fixes.subList(half, fixes.size()), applicable);
        }
    }

    private static List<LintFix> fixes(SourceText source, SourceObjectIndex references) {
        List<LintFix> fixes = new ArrayList<>();
        for (SourceObject object : SourceObject.of(source)) {
            if (object.isEditable()) {
                fixes.addAll(RemovedApiFixes.of(object));
                fixes.addAll(ValueFixes.of(object));
                fixes.addAll(AlternativeFixes.of(object));
                fixes.addAll(RelocationFixes.of(object, references));
                fixes.addAll(NestingFixes.of(object));
                fixes.addAll(MisplacementFixes.of(object));
            }
        }
        return fixes;
    }

    /** Selects the fixes that delete nothing that an author wrote; the findings of the others stay. */
    private static List<LintFix> lossless(SourceText source, List<LintFix> fixes) {
        return fixes.stream().filter(fix -> LostWords.of(source, fix).isEmpty()).toList();
    }

    /** Corrects field names that differ from the right ones only in upper and lower case. */
    private static List<LintFix> misspeltNames(SourceText source) {
        Stream<ManifestFinding> shapes = SourceObject.of(source).stream()
                .flatMap(object -> Stream.of(FieldTypeRules.findings(object), RootFieldRules.findings(object))
                        .flatMap(List::stream))
                .map(LintFinding::finding);
        return Stream.concat(read(source), shapes)
                .flatMap(finding -> FieldCapitals.fix(source, finding).stream())
                .filter(fix -> isEditable(source, fix))
                .toList();
    }

    /** Returns whether no document with aliases contains an edit. */
    private static boolean isEditable(SourceText source, LintFix fix) {
        return source.documents().stream()
                .filter(SourceDocument::hasAliases)
                .map(document -> document.root().span())
                .noneMatch(span -> fix.edits().stream()
                        .anyMatch(edit -> span.touches(edit.span().start())));
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
