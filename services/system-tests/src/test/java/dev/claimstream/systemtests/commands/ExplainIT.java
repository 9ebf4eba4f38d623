package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.ClaimTable;
import dev.claimstream.cli.output.OutputFormat;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.cli.standalone.StandaloneRunner;
import dev.claimstream.console.ClaimResult;
import dev.claimstream.console.ExplanationJson;
import dev.claimstream.console.ExplanationText;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.workload.ClusterManifests;
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
    private static final String INPUT = ClusterManifests.ofDevices(4)
            + node("node-2")
            + node("node-3")
            + ClusterManifests.claim("holder", 4)
            + ClusterManifests.pod("trainer", "resourceClaimName: holder")
            + ClusterManifests.claim("chooser", 1)
            + ClusterManifests.claim("late", 4)
            + ClusterManifests.claim("classless", "no-such.example.com", "count: 1")
            + ClusterManifests.claim("shared", 1)
            + ClusterManifests.pod("first", "resourceClaimName: shared")
            + ClusterManifests.pod("second", "resourceClaimName: shared");

    @TempDir
    private static Path folder;

    private static Map<String, ClaimResult> results = Map.of();
    private static String input = "";

    private static String node(String name) {
        return "---\n" + ClusterManifests.ofDevices(2).replace("node-1", name).replaceFirst("(?s)---.*?---", "---");
    }

    @BeforeAll
    static void runInput() throws IOException {
        input = Files.writeString(folder.resolve("cluster.yaml"), INPUT).toString();
        Map<String, ClaimResult> byName = new TreeMap<>();
        var silent = new PrintWriter(Writer.nullWriter());
        StandaloneRunner.run(
                        Optional.empty(),
                        expressions -> ManifestInputs.read(
                                List.of(input), false, WorkloadTreatment.EXPANDED, expressions, System.in, silent),
                        RunSettings.defaults(),
                        silent,
                        StandaloneRunner.ProcessEnd.LATER)
                .answers()
                .forEach(answer -> byName.put(answer.claim().meta().name(), answer));
        results = byName;
    }

    private static ClaimResult result(String name) {
        return Optional.ofNullable(results.get(name)).orElseThrow();
    }

    private static Map<String, Object> json(String name) {
        return new Yaml().load(ExplanationJson.of(result(name)));
    }

    @Test
    void namesClaimsThatHoldDevices() {
        CommandResult result = CommandResult.run("explain", "-f", input, "claim", "late");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines().toList())
                .satisfies(lines -> assertThat(lines.getFirst()).isEqualTo("claim default/late: pending, DevicesInUse"))
                .anyMatch(line -> line.equals("  decided as: claim default/late"))
                .anyMatch(line -> line.startsWith("  because: "))
                .anyMatch(line -> line.equals("  request gpus, 4 gpu.example.com:"))
                .anyMatch(line -> line.startsWith("    8 devices → 8 of class gpu.example.com → "))
                .anyMatch(line -> line.startsWith("  nearest: node-1"))
                .anyMatch(line ->
                        line.equals("    node-1/gpu-0 is allocated to default/holder (used by pod default/trainer)"))
                .anyMatch(line ->
                        line.equals("    node-1/gpu-3 is allocated to default/holder (used by pod default/trainer)"));
    }

    @Test
    void printsSameExplanationAsJson() {
        assertThat(json("late"))
                .containsEntry("claim", "default/late")
                .containsEntry("state", "pending")
                .containsEntry("item", "claim default/late")
                .containsEntry("reason", "DevicesInUse")
                .containsKeys("message", "requests", "steps");
        assertThat(json("late").get("nearestNode"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("node", "node-1")
                .extracting("blockingDevices")
                .asString()
                .contains("device=gpu-0", "holders=[default/holder]");
    }

    @Test
    void explainsAllocationWithSecondNode() {
        assertThat(ExplanationText.of(result("chooser")).lines().toList())
                .satisfies(
                        lines -> assertThat(lines.getFirst()).isEqualTo("claim default/chooser: allocated on node-2"))
                .anyMatch(line -> line.startsWith("  because: ") && line.endsWith(" (policy best-fit)"))
                .anyMatch(line -> line.startsWith("  second: node-3, "))
                .anyMatch(line -> line.equals("  gpus: gpu.example.com/node-2/gpu-0"));
        assertThat(json("chooser").get("choice"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.MAP)
                .containsEntry("policy", "best-fit")
                .containsEntry("feasibleNodes", 2)
                .containsEntry("secondNode", "node-3");
    }

    @Test
    void reportsNoSecondNodeWhenOnlyOneFits() {
        assertThat(ExplanationText.of(result("holder")))
                .startsWith("claim default/holder: allocated,reserved on node-1\n")
                .contains("  decided as: pod default/trainer\n")
                .contains("  because: the only node that fits (policy best-fit)\n")
                .contains("  second: no other node fits\n")
                .contains("  gpus: gpu.example.com/node-1/gpu-0\n");
    }

    @Test
    void explainsSharedClaimByItsFirstPod() {
        assertThat(ExplanationText.of(result("shared")))
                .startsWith("claim default/shared: allocated,reserved on node-2\n")
                .contains("  decided as: pod default/first\n")
                .contains("  because: fills the node")
                .contains("  second: node-3, ");
        assertThat(result("shared").allocatedDecision().orElseThrow().reservedFor())
                .hasSize(2);
    }

    @Test
    void reportsMissingDeviceClass() {
        assertThat(ExplanationText.of(result("classless")))
                .startsWith("claim default/classless: pending, ClassMissing\n")
                .contains("could not retrieve device class no-such.example.com: it does not exist");
    }

    @Test
    void listsExistingClaimsForUnknownName() {
        CommandResult result = CommandResult.run("explain", "claim", "research/holder", "-f", input);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.errLines())
                .containsExactly("claimstream explain: there is no claim research/holder; there are default/holder,"
                        + " default/chooser, default/late, default/classless, default/shared");
    }

    @Test
    void printsSameResultsAsTable() {
        List<ClaimResult> all = List.of(result("holder"), result("late"));
        assertThat(OutputFormat.NAME.text(all))
                .isEqualTo("resourceclaim.resource.k8s.io/holder\nresourceclaim.resource.k8s.io/late\n");
        assertThat(OutputFormat.WIDE.text(all))
                .contains(" trainer ", "pod default/trainer", "claim default/late", " DevicesInUse ");
        assertThat(ClaimTable.narrow(all, OptionalInt.empty()).lines()).hasSize(3);
        assertThat(ClaimTable.narrow(all, OptionalInt.of(40)).lines().count()).isGreaterThan(3);
    }
}
