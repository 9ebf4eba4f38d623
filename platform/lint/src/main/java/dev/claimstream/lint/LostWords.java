package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceText;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Finds the words that a fix would delete. Only names of the old form may go; all that an author wrote stays. */
final class LostWords {
    private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}_]+");

    /** The words of the replaced form, by rule, in lower case. */
    private static final Map<LintRule, Set<String>> REPLACED = Map.ofEntries(
            Map.entry(
                    LintRule.REMOVED_API,
                    Set.of(
                            "resourceclass",
                            "drivername",
                            "structuredparameters",
                            "generatedfrom",
                            "v1alpha1",
                            "v1alpha2",
                            "v1alpha3")),
            Map.entry(LintRule.BETA_VERSION, Set.of("v1beta1", "v1beta2", "v1alpha3")),
            Map.entry(LintRule.ALPHA_CLAIM, Set.of("resourceclassname", "parameters")),
            Map.entry(LintRule.CONSTRAINT_IN_REQUEST, Set.of("constraints", "config")),
            Map.entry(LintRule.ANY_OF, Set.of("anyof", "requests", "constraints", "true", "exactly")),
            Map.entry(LintRule.ATTRIBUTE_QUANTITY, Set.of("quantity")),
            Map.entry(LintRule.BASIC_DEVICE, Set.of("basic")),
            Map.entry(LintRule.CLAIM_SOURCE, Set.of("source")),
            Map.entry(LintRule.TEMPLATE_SPEC, Set.of("spec")));

    /** The rules that correct an expression, whose words are replaced by their meaning. */
    private static final Set<LintRule> OF_EXPRESSIONS = Set.of(
            LintRule.UNKNOWN_DOMAIN,
            LintRule.IMPOSSIBLE_NAME,
            LintRule.TYPED_ACCESSOR,
            LintRule.CEL_QUANTITY,
            LintRule.QUANTITY_OPERATOR,
            LintRule.CEL_COMPILE,
            LintRule.DRIVER_NAME);

    private LostWords() {}

    /** Returns the words in the replaced parts of the text that no edit of the fix writes again. */
    static Set<String> of(SourceText source, LintFix fix) {
        if (OF_EXPRESSIONS.contains(fix.rule())) {
            return Set.of();
        }
        Set<String> lost = new HashSet<>();
        fix.edits().forEach(edit -> lost.addAll(words(source.text(edit.span()))));
        fix.edits().forEach(edit -> lost.removeAll(words(edit.text())));
        lost.removeAll(REPLACED.getOrDefault(fix.rule(), Set.of()));
        return lost;
    }

    private static Set<String> words(String text) {
        return WORD.matcher(text)
                .results()
                .map(found -> found.group().toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
    }
}
