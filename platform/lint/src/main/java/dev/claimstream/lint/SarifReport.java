package dev.claimstream.lint;

import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.SourceLocation;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Writes findings in SARIF 2.1.0, the format that code review tools read. */
public final class SarifReport {
    private static final String SCHEMA =
            "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
    private static final String STANDARD_INPUT = "stdin";

    private SarifReport() {}

    /**
     * Returns a log with one run.
     *
     * @param version of the program
     */
    public static Tree of(List<LintFinding> found, String version) {
        return Tree.mapping(log -> log.put("$schema", SCHEMA)
                .put("version", "2.1.0")
                .put("runs", new Tree.Sequence(List.of(run(found, version)))));
    }

    private static Tree run(List<LintFinding> found, String version) {
        Tree driver = Tree.mapping(fields -> fields.put("name", "claimstream lint")
                .put("semanticVersion", version)
                .put(
                        "rules",
                        new Tree.Sequence(Arrays.stream(LintRule.values())
                                .map(SarifReport::rule)
                                .toList())));
        return Tree.mapping(run -> run.put("tool", Tree.mapping(tool -> tool.put("driver", driver)))
                .put("columnKind", "unicodeCodePoints")
                .put(
                        "results",
                        new Tree.Sequence(
                                found.stream().map(SarifReport::result).toList())));
    }

    private static Tree rule(LintRule rule) {
        return Tree.mapping(fields -> fields.put("id", rule.id())
                .put("shortDescription", Tree.mapping(text -> text.put("text", rule.description())))
                .put("defaultConfiguration", Tree.mapping(level -> level.put("level", "error"))));
    }

    private static Tree result(LintFinding diagnosis) {
        ManifestFinding finding = diagnosis.finding();
        Tree physical = Tree.mapping(physicalLocation -> physicalLocation
                .put("artifactLocation", Tree.mapping(file -> file.put("uri", uri(finding.location()))))
                .putIfPresent("region", region(finding.location()), tree -> tree));
        return Tree.mapping(result -> result.put("ruleId", diagnosis.rule().id())
                .put("level", finding.isError() ? "error" : "warning")
                .put("message", Tree.mapping(text -> text.put("text", diagnosis.text())))
                .put(
                        "locations",
                        new Tree.Sequence(
                                List.of(Tree.mapping(location -> location.put("physicalLocation", physical))))));
    }

    private static Optional<Tree> region(SourceLocation location) {
        if (location.line() == 0) {
            return Optional.empty();
        }
        return Optional.of(Tree.mapping(region -> column(region.put("startLine", location.line()), location)));
    }

    private static void column(TreeFields region, SourceLocation location) {
        if (location.column() > 0) {
            region.put("startColumn", location.column());
        }
    }

    private static String uri(SourceLocation location) {
        String file = location.file().equals("-") ? STANDARD_INPUT : location.file();
        try {
            return new URI(null, null, file.replace('\\', '/'), null).getRawPath();
        } catch (URISyntaxException e) {
            return STANDARD_INPUT;
        }
    }
}
