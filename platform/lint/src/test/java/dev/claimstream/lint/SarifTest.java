package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Features;
import dev.claimstream.manifests.source.Source;
import dev.claimstream.manifests.source.SourceNode;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What code review tools need of SARIF 2.1.0: the names and types of its schema. */
class SarifTest {
    private static SourceNode log(String file, String text) {
        List<Diagnosis> found = new Lint(Features.defaults()).check(List.of(Source.of(file, text)));
        String sarif = Sarif.of(found, "1.2.3").indentedJson();
        return Source.of("sarif", sarif).documents().getFirst().root();
    }

    @Test
    void everyFindingHasItsRuleItsTextAndItsPlace() {
        SourceNode log = log("a b/f.yaml", "apiVersion: resource.k8s.io/v1\nkind: ResourceClam\nmetadata: {name: c}\n");
        assertThat(log.text("version")).contains("2.1.0");
        assertThat(log.items("runs")).hasSize(1);
        SourceNode run = log.items("runs").getFirst();
        assertThat(run.at("tool", "driver").orElseThrow().text("name")).contains("claimstream lint");
        assertThat(run.at("tool", "driver").orElseThrow().items("rules")).hasSize(Rule.values().length);
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

    @Test
    void nothingFoundIsARunWithoutResults() {
        SourceNode run = log("f.yaml", "").items("runs").getFirst();
        assertThat(run.get("results")).isPresent();
        assertThat(run.items("results")).isEmpty();
    }
}
