package dev.claimstream.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.manifests.tree.TreeReader;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the columns of {@code get claims}. */
class ListKindTest {
    private static final InstantSource NOW = InstantSource.fixed(Instant.parse("2026-01-01T00:03:00Z"));
    private static final String ALLOCATED = """
            {"namespace": "team", "name": "c", "state": "allocated,reserved", "created": "2026-01-01T00:00:00Z", "committed": true, "node": "n-1",
             "devices": [{"driver": "gpu.example.com", "pool": "n-1", "device": "gpu-0"}],
             "reservedFor": ["pods/a", "pods/b", "pods/c"], "pods": ["a", "b", "c"], "decision": 7}""";

    private static String titles(boolean wide, boolean allNamespaces) {
        return ListKind.CLAIMS.columns(wide, allNamespaces, NOW).stream()
                .map(ListKind.Column::title)
                .collect(Collectors.joining(" "));
    }

    private static List<String> cells(String claim) {
        return ListKind.CLAIMS.columns(false, true, NOW).stream()
                .map(column -> column.cell().apply(new JsonObject(TreeReader.json(claim))))
                .toList();
    }

    @Test
    void showsColumnsOfClaims() {
        assertThat(titles(false, false)).isEqualTo("NAME STATE NODE DEVICES PODS AGE REASON");
        assertThat(titles(false, true)).startsWith("NAMESPACE NAME ");
        assertThat(titles(true, false))
                .startsWith(titles(false, false))
                .endsWith("RESERVED FOR DECISION COMMITTED BECAUSE");
        assertThat(cells(ALLOCATED))
                .containsExactly(
                        "team", "c", "allocated,reserved", "n-1", "gpu.example.com n-1/gpu-0", "a,+2", "3m", "-");
    }

    @Test
    void listsEveryPodInWideOutput() {
        ListKind.Column pods = ListKind.CLAIMS.columns(true, false, NOW).get(4);
        assertThat(pods.title()).isEqualTo("PODS");
        assertThat(pods.cell().apply(new JsonObject(TreeReader.json(ALLOCATED))))
                .isEqualTo("a,b,c");
    }

    @ParameterizedTest
    @CsvSource({
        "'{}', -, -",
        "'{\"pods\": [\"a\"], \"reason\": \"DevicesInUse\"}', a, DevicesInUse",
        "'{\"pods\": [\"a\", \"b\"], \"committed\": false, \"outcome\": \"rejected\"}', 'a,+1', rejected",
        "'{\"committed\": false, \"outcome\": \"committed\"}', -, -",
        "'{\"committed\": true, \"outcome\": \"superseded\"}', -, -",
        "'{\"committed\": false}', -, -",
        "'{\"committed\": false, \"outcome\": \"deleted\", \"foreign\": true}', -, NotInCluster",
        "'{\"committed\": false, \"outcome\": \"deleted\"}', -, deleted",
        "'{\"pods\": [\"a\"], \"unmanaged\": true}', a, Unmanaged"
    })
    void showsPodsAndReason(String claim, String pods, String reason) {
        List<String> cells = cells(claim);
        assertThat(List.of(cells.get(5), cells.get(7))).containsExactly(pods, reason);
    }
}
