package dev.claimstream.cli.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.manifests.tree.TreeReader;
import java.util.List;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

/** Tests the numbers and the tables of {@code claimstream differences}. */
class DifferencesTest {
    private static final String SAME = """
            {"namespace":"team","name":"a","result":"same","pod":"p",
             "claimstream":{"node":"n1","devices":["gpu/n1/0"],"pendingSeconds":1},
             "kubeScheduler":{"node":"n1","devices":["gpu/n1/0"],"pendingSeconds":3}}""";
    private static final String OTHER_NODE = """
            {"namespace":"team","name":"b","result":"other-node",
             "claimstream":{"node":"n1","devices":["gpu/n1/0","gpu/n1/1","gpu/n1/2"],"pendingSeconds":0},
             "kubeScheduler":{"node":"n2","devices":["gpu/n2/0"],"pendingSeconds":9}}""";
    private static final String PENDING = """
            {"namespace":"team","name":"c","result":"only-kube-scheduler","pending":"NodeFull",
             "kubeScheduler":{"node":"n2","devices":["gpu/n2/1"]}}""";

    private static Differences differences(String... items) {
        return new Differences(List.of(items).stream()
                .map(item -> new JsonObject(TreeReader.json(item)))
                .toList());
    }

    @Test
    void countsClaimsPerResult() {
        assertThat(differences(SAME, OTHER_NODE, PENDING)
                        .summary()
                        .text(OptionalInt.empty())
                        .lines())
                .containsExactly(
                        "RESULT               CLAIMS  SHARE  PENDING IN CLAIMSTREAM (MEDIAN / MAX)  PENDING IN KUBE-SCHEDULER (MEDIAN / MAX)",
                        "same                 1       33%    1 s / 1 s                              3 s / 3 s",
                        "other-devices        0       0%     -                                      -",
                        "other-node           1       33%    0 s / 0 s                              9 s / 9 s",
                        "only-kube-scheduler  1       33%    -                                      -",
                        "only-claimstream     0       0%     -                                      -",
                        "all                  3       100%   0 s / 1 s                              3 s / 9 s");
    }

    @Test
    void showsBothAllocations() {
        assertThat(Differences.table(differences(OTHER_NODE, PENDING).items())
                        .text(OptionalInt.empty())
                        .lines())
                .containsExactly(
                        "CLAIM   POD  RESULT               CLAIMSTREAM                           KUBE-SCHEDULER",
                        "team/b  -    other-node           n1: gpu/n1/0, gpu/n1/1, +1 after 0 s  n2: gpu/n2/0 after 9 s",
                        "team/c  -    only-kube-scheduler  pending: NodeFull                     n2: gpu/n2/1");
    }

    @Test
    void documentHasNumbersAndClaims() {
        var document = new JsonObject(differences(SAME, OTHER_NODE).document());
        assertThat(document.item("results").item("same").number("claims")).isEqualTo(1);
        assertThat(document.item("results")
                        .item("other-node")
                        .item("kubeSchedulerPendingSeconds")
                        .number("p95"))
                .isEqualTo(9);
        assertThat(document.items("claims")).hasSize(2);
    }
}
