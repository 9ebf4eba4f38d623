package dev.claimstream.systemtests.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the report of {@code claimstream test} about scenario files. */
class TestCommandTest {
    static final String SCENARIOS = "scenarios";

    @TempDir
    private Path folder = Path.of("");

    private String changedExample(String example, String before, String after) throws IOException {
        String text = Files.readString(CommandResult.EXAMPLES.resolve(SCENARIOS).resolve(example + ".yaml"));
        assertThat(text).contains(before);
        return Files.writeString(folder.resolve("changed.yaml"), text.replace(before, after))
                .toString();
    }

    @Test
    void passesEveryIndexedExample() throws IOException {
        CommandResult result = CommandResult.run("test", CommandResult.example(SCENARIOS));
        assertThat(result.exitCode()).as(result.out()).isZero();
        assertThat(result.out()).endsWith(" passed, 0 failed\n").doesNotContain("FAILED");
        String index =
                Files.readString(CommandResult.EXAMPLES.resolve(SCENARIOS).resolve("README.md"));
        assertThat(result.out().lines().filter(line -> line.startsWith("passed  ")))
                .hasSizeGreaterThanOrEqualTo(10)
                .allSatisfy(line -> {
                    String name = line.substring("passed  ".length());
                    assertThat(index).contains("[`%s`](%s.yaml)".formatted(name, name));
                });
    }

    @Test
    void reportsUnexpectedDeviceAsDifference() throws IOException {
        CommandResult result = CommandResult.run(
                "test", changedExample("gpu-and-nic-on-one-root", "device: nic-1}", "device: nic-0}"));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out().lines().map(String::strip))
                .containsExactly(
                        "FAILED  gpu-and-nic-on-one-root",
                        "claim training/pair: devices.results differ",
                        "- {\"device\":\"nic-0\",\"driver\":\"nic.example.com\",\"pool\":\"node-1\",\"request\":\"nic\"}",
                        "+ {\"device\":\"nic-1\",\"driver\":\"nic.example.com\",\"pool\":\"node-1\",\"request\":\"nic\"}",
                        "0 passed, 1 failed");
    }

    @Test
    void failsMissingPathAndRunsOthers() {
        String there = CommandResult.EXAMPLES
                .resolve(SCENARIOS)
                .resolve("too-many-for-one-node.yaml")
                .toString();
        CommandResult result = CommandResult.run("test", "nowhere.yaml", there, "-o", "json");
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines())
                .containsExactly(
                        "{\"name\":\"nowhere.yaml\",\"passed\":false,\"difference\":\"nowhere.yaml: the path does not exist: name an"
                                + " existing file or directory\"}",
                        "{\"name\":\"too-many-for-one-node\",\"passed\":true,\"difference\":null}");
    }

    @Test
    void reportsActualResultOfFailedExpectation() throws IOException {
        CommandResult fits = CommandResult.run(
                "test",
                changedExample("two-claims-of-one-pod", "    results:", "    doesNotFit: true\n  #")
                        .toString());
        assertThat(fits.exitCode()).isEqualTo(1);
        CommandResult not = CommandResult.run(
                "test", changedExample("too-many-for-one-node", "{doesNotFit: true}", "{error: nonsense}"));
        assertThat(not.out()).contains("expected the error \"nonsense\", but it does not fit: 4 gpu on one node");
    }

    @Test
    void printsOneJsonLinePerScenario() throws IOException {
        CommandResult result = CommandResult.run("test", "-o", "json", CommandResult.example(SCENARIOS));
        assertThat(result.exitCode()).isZero();
        assertThat(result.out().lines())
                .allMatch(line -> line.matches("\\{\"name\":\"[a-z-]+\",\"passed\":true,\"difference\":null}"));
        CommandResult failed = CommandResult.run(
                "test", "-o", "json", changedExample("tainted-gpu-stays-empty", "doesNotFit: true", "error: x"));
        assertThat(failed.out())
                .startsWith(
                        "{\"name\":\"tainted-gpu-stays-empty\",\"passed\":false,\"difference\":\"expected the error")
                .endsWith("}\n");
    }

    @Test
    void reportsFieldsOfInvalidScenario() throws IOException {
        CommandResult result = CommandResult.run(
                "test", changedExample("tainted-gpu-stays-empty", "claims: [training]", "claim: training"));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out())
                .contains("spec.claims: Required value: name the claims to decide")
                .contains("spec.claim: unknown field: known are ");
    }

    @Test
    void acceptsInvalidObjectsWithNoValidation() throws IOException {
        String file = changedExample("tainted-gpu-stays-empty", "pool: {name: node-1,", "pool: {name: Node_1,");
        assertThat(CommandResult.run("test", file).out()).contains("FAILED");
        assertThat(CommandResult.run("test", "--no-validation", file).out()).startsWith("passed");
    }

    @Test
    void usesCommandLineGatesWithoutScenarioGates() {
        String file = CommandResult.EXAMPLES
                .resolve(SCENARIOS)
                .resolve("ten-gigabytes-of-a-gpu.yaml")
                .toString();
        assertThat(CommandResult.run("test", file).exitCode()).isZero();
        CommandResult off = CommandResult.run("test", "--features", "DRAConsumableCapacity=false", file);
        assertThat(off.exitCode()).isEqualTo(1);
        assertThat(off.out()).contains("the DRAConsumableCapacity feature is disabled");
    }

    @Test
    void failsWithoutScenarios() {
        CommandResult result = CommandResult.run("test", folder.toString());
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("there is no file of YAML or JSON in");
    }

    @Test
    void readsSubfoldersWithRecursive() throws IOException {
        Path inner = Files.createDirectories(folder.resolve("one").resolve("two"));
        Path example = CommandResult.EXAMPLES.resolve(SCENARIOS).resolve("too-many-for-one-node.yaml");
        Files.copy(example, inner.resolve("scenario.yaml"));
        CommandResult flat = CommandResult.run("test", folder.toString());
        assertThat(flat.exitCode()).isEqualTo(1);
        assertThat(flat.err()).contains("directories below it are read with -R");
        for (String option : List.of("-R", "--recursive")) {
            CommandResult deep = CommandResult.run("test", option, folder.toString());
            assertThat(deep.exitCode()).as(deep.out()).isZero();
            assertThat(deep.out()).startsWith("passed  ").endsWith("1 passed, 0 failed\n");
        }
    }

    @Test
    void namesNoRecursionIfItIsOn() {
        assertThat(CommandResult.run("test", "-R", folder.toString()).err())
                .contains("there is no file of YAML or JSON in")
                .doesNotContain("-R");
    }
}
