package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.console.ClaimResult;
import dev.claimstream.console.ExplanationJson;
import dev.claimstream.console.ExplanationText;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * Tests explanations of claims on three nodes. One claim holds the largest node, one is pending, and one has a choice
 * of nodes.
 */
class ExplainIT {
    private static final String INPUT = Cluster.ofDevices(4)
            + node("node-2")
            + node("node-3")
            + Cluster.claim("holder", 4)
            + Cluster.pod("trainer", "resourceClaimName: holder")
            + Cluster.claim("chooser", 1)
            + Cluster.claim("late", 4)
            + Cluster.claim("classless", "no-such.example.com", "count: 1")
            + Cluster.claim("shared", 1)
            + Cluster.pod("first", "resourceClaimName: shared")
            + Cluster.pod("second", "resourceClaimName: shared");

    @TempDir
    private static Path folder;

    private static Map<String, ClaimResult> answers = Map.of();
    private static String input = "";

    private static String node(String name) {
        return "---\n" + Cluster.ofDevices(2).replace("node-1", name).replaceFirst("(?s)---.*?---", "---");
    }

    @BeforeAll
    static void serve() throws IOException {
        input = Files.writeString(folder.resolve("cluster.yaml"), INPUT).toString();
        Map<String, ClaimResult> byName = new TreeMap<>();
        var silent = new PrintWriter(Writer.nullWriter());
        StandaloneRunner.run(
                        Optional.empty(),
                        expressions -> ManifestInputs.read(List.of(input), false, expressions, System.in, silent),
                        RunSettings.defaults(),
                        silent)
                .answers()
                .forEach(answer -> byName.put(answer.claim().meta().name(), answer));
        answers = byName;
    }

    private static ClaimResult answer(String name) {
        return Optional.ofNullable(answers.get(name)).orElseThrow();
    }

    private static Map<String, Object> json(String name) {
        return new Yaml().load(ExplanationJson.of(answer(name)));
    }

    @Test
    void whoIsInTheWayIsNamed() {
        Ran ran = Ran.of("explain", "-f", input, "claim", "late");
        assertThat(ran.exitCode()).isEqualTo(3);
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out().lines().toList())
                .satisfies(lines -> assertThat(lines.getFirst()).isEqualTo("claim default/late: waits, DevicesInUse"))
                .anyMatch(line -> line.equals("  decided as: claim default/late"))
                .anyMatch(line -> line.startsWith("  because: "))
                .anyMatch(line -> line.equals("  request gpus, 4 gpu.example.com:"))
                .anyMatch(line -> line.startsWith("    8 devices → 8 of class gpu.example.com → "))
                .anyMatch(line -> line.startsWith("  nearest: node-1"))
                .anyMatch(
                        line -> line.equals("    node-1/gpu-0 is held by default/holder (used by pod default/trainer)"))
                .anyMatch(line ->
                        line.equals("    node-1/gpu-3 is held by default/holder (used by pod default/trainer)"));
    }

    @Test
    void programsReadTheSame() {
        assertThat(json("late"))
                .containsEntry("claim", "default/late")
                .containsEntry("state", "waits")
                .containsEntry("item", "claim default/late")
                .containsEntry("reason", "DevicesInUse")
                .containsKeys("message", "requests", "steps");
        assertThat(json("late").get("nearest"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("node", "node-1")
                .extracting("blockers")
                .asString()
                .contains("device=gpu-0", "holders=[default/holder]");
    }

    @Test
    void aGrantNamesItsReasonAndTheSecondNode() {
        assertThat(ExplanationText.of(answer("chooser")).lines().toList())
                .satisfies(lines -> assertThat(lines.getFirst()).isEqualTo("claim default/chooser: granted on node-2"))
                .anyMatch(line -> line.startsWith("  because: ") && line.endsWith(" (policy best-fit)"))
                .anyMatch(line -> line.startsWith("  second: node-3, "))
                .anyMatch(line -> line.equals("  gpus: gpu.example.com/node-2/gpu-0"));
        assertThat(json("chooser").get("choice"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("policy", "best-fit")
                .containsEntry("nodesThatFit", 2)
                .containsEntry("second", "node-3");
    }

    @Test
    void whereOneNodeAloneFitsThereIsNoSecond() {
        assertThat(ExplanationText.of(answer("holder")))
                .startsWith("claim default/holder: granted on node-1\n")
                .contains("  decided as: pod default/trainer\n")
                .contains("  because: the only node that fits (policy best-fit)\n")
                .contains("  second: no other node fits\n")
                .contains("  gpus: gpu.example.com/node-1/gpu-0\n");
    }

    @Test
    void aSharedClaimIsExplainedByThePodThatCameFirst() {
        assertThat(ExplanationText.of(answer("shared")))
                .startsWith("claim default/shared: granted on node-2\n")
                .contains("  decided as: pod default/first\n")
                .contains("  because: fills the node")
                .contains("  second: node-3, ");
        assertThat(answer("shared").allocatedDecision().orElseThrow().reservedFor())
                .hasSize(2);
    }

    @Test
    void aClassThatIsNotThereIsTheReason() {
        assertThat(ExplanationText.of(answer("classless")))
                .startsWith("claim default/classless: waits, ClassMissing\n")
                .contains("could not retrieve device class no-such.example.com: it does not exist");
    }

    @Test
    void aClaimThatNobodyKnowsIsAnsweredWithThoseThatAreThere() {
        Ran ran = Ran.of("explain", "claim", "research/holder", "-f", input);
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.out()).isEmpty();
        assertThat(ran.errLines())
                .containsExactly("claimstream explain: there is no claim research/holder; there are default/holder,"
                        + " default/chooser, default/late, default/classless, default/shared");
    }

    @Test
    void tablesShowTheSameAnswers() {
        List<ClaimResult> all = List.of(answer("holder"), answer("late"));
        assertThat(OutputFormat.NAME.text(all))
                .isEqualTo("resourceclaim.resource.k8s.io/holder\nresourceclaim.resource.k8s.io/late\n");
        assertThat(OutputFormat.WIDE.text(all))
                .contains(" trainer ", "pod default/trainer", "claim default/late", " DevicesInUse ");
        assertThat(ClaimTable.narrow(all, OptionalInt.empty()).lines()).hasSize(3);
        assertThat(ClaimTable.narrow(all, OptionalInt.of(40)).lines().count()).isGreaterThan(3);
    }
}
