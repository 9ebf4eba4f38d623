package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceText;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the fields of SARIF 2.1.0 that code review tools need, and the document against the SARIF schema. */
class SarifReportTest {
    private static final String SCHEMA = "/schema/sarif-schema-2.1.0.json";

    private static SourceNode log(String file, String text) {
        List<LintFinding> found = new ManifestLinter(FeatureGates.defaults()).check(List.of(SourceText.of(file, text)));
        String sarif = SarifReport.of(found, "1.2.3").indentedJson();
        return SourceText.of("sarif", sarif).documents().getFirst().root();
    }

    @Test
    void writesRuleMessageAndLocationOfFinding() {
        SourceNode log = log("a b/f.yaml", "apiVersion: resource.k8s.io/v1\nkind: ResourceClam\nmetadata: {name: c}\n");
        assertThat(log.text("version")).contains("2.1.0");
        assertThat(log.items("runs")).hasSize(1);
        SourceNode run = log.items("runs").getFirst();
        assertThat(run.at("tool", "driver").orElseThrow().text("name")).contains("claimstream lint");
        assertThat(run.at("tool", "driver").orElseThrow().items("rules")).hasSize(LintRule.values().length);
        assertThat(run.items("results")).hasSize(1);
        SourceNode result = run.items("results").getFirst();
        assertThat(result.text("ruleId")).contains("unknown-kind");
        assertThat(result.text("level")).contains("error");
        assertThat(result.at("message").orElseThrow().text("text").orElseThrow())
                .startsWith("kind: no matches for kind");
        SourceNode place =
                result.items("locations").getFirst().at("physicalLocation").orElseThrow();
        assertThat(place.at("artifactLocation").orElseThrow().text("uri")).contains("a%20b/f.yaml");
        assertThat(place.at("region").orElseThrow().text("startLine")).contains("2");
        assertThat(place.at("region").orElseThrow().text("startColumn")).contains("1");
    }

    private static SourceNode schema() {
        try (InputStream in = Objects.requireNonNull(SarifReportTest.class.getResourceAsStream(SCHEMA))) {
            String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            return SourceText.of("schema", text).documents().getFirst().root();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void writesDocumentsValidAgainstSarifSchema() throws IOException {
        SourceNode schema = schema();
        List<Path> wrong;
        try (Stream<Path> files = Files.walk(Path.of("src", "test", "mistakes"))) {
            wrong = files.filter(each -> each.endsWith("wrong.yaml")).toList();
        }
        assertThat(wrong).hasSizeGreaterThan(10);
        for (Path file : wrong) {
            assertThat(JsonSchema.violations(schema, log(file.toString(), Files.readString(file))))
                    .as(file.toString())
                    .isEmpty();
        }
        assertThat(JsonSchema.violations(schema, log("f.yaml", ""))).isEmpty();
        assertThat(JsonSchema.violations(schema, log("-", "a: [")))
                .as("no place in the text")
                .isEmpty();
    }

    @ParameterizedTest(name = "{0} for {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "\"level\": \"fatal\"       | \"level\": \"error\"",
                "\"runz\"                   | \"runs\"",
                "\"version\": \"2.0.0\"     | \"version\": \"2.1.0\"",
                "\"startLine\": 0           | \"startLine\": 2",
                "\"startLine\": \"2\"       | \"startLine\": 2",
                "\"uri\": \"a b\"           | \"uri\": \"a%20b/f.yaml\"",
                "\"columnKind\": \"bytes\"  | \"columnKind\": \"unicodeCodePoints\"",
                "\"texts\": \"A              | \"text\": \"A"
            })
    void detectsSchemaViolationInBrokenDocument(String wrong, String right) {
        List<LintFinding> found = new ManifestLinter(FeatureGates.defaults())
                .check(List.of(SourceText.of(
                        "a b/f.yaml", "apiVersion: resource.k8s.io/v1\nkind: ResourceClam\nmetadata: {name: c}\n")));
        String sarif = SarifReport.of(found, "1.2.3").indentedJson();
        assertThat(sarif).contains(right);
        SourceNode broken = SourceText.of("sarif", sarif.replace(right, wrong))
                .documents()
                .getFirst()
                .root();
        assertThat(JsonSchema.violations(schema(), broken)).isNotEmpty();
    }

    @Test
    void writesRunWithoutResultsWhenNothingIsFound() {
        SourceNode run = log("f.yaml", "").items("runs").getFirst();
        assertThat(run.get("results")).isPresent();
        assertThat(run.items("results")).isEmpty();
    }
}
