package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests that the examples have no findings but the mistakes that are their subject. */
class LintExamplesTest {
    private static final Pattern FINDING =
            Pattern.compile("\\{\"rule\":\"([a-z-]+)\",\"file\":\"[^\"]*?examples[^\"a-z]+([a-z0-9-]+)");

    private static String folderAndRule(MatchResult finding) {
        return finding.group(2) + " " + finding.group(1);
    }

    @Test
    void findsOnlyIntendedMistakes() {
        CommandResult result = CommandResult.run("lint", "-R", "-o", "json", CommandResult.EXAMPLES.toString());
        assertThat(FINDING.matcher(result.out()).results().map(LintExamplesTest::folderAndRule))
                .as(result.out())
                .hasSize((int) result.out().lines().count())
                .containsExactlyInAnyOrder(
                        "by-attribute never-matches",
                        "classes-as-blueprints unknown-class",
                        "mixed-accelerators too-few-devices",
                        "monitoring admin-namespace",
                        "old-manifests pod-group",
                        "old-manifests removed-api",
                        "old-manifests removed-api",
                        "old-manifests alpha-claim",
                        "old-manifests flat-request",
                        "old-manifests flat-request",
                        "old-manifests quantity-operator",
                        "old-manifests claim-source",
                        "old-manifests claim-source",
                        "one-node-limit too-few-devices",
                        "pending-no-slices never-matches",
                        "scenarios incomplete-pool",
                        "scenarios too-few-devices");
    }
}
