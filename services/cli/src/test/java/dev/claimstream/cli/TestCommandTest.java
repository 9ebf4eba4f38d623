package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the report of {@code claimstream test} about scenario files. */
class TestCommandTest {
    static final String SCENARIOS = "scenarios";

    @TempDir
    private Path folder = Path.of("");

    private String changed(String example, String before, String after) throws IOException {
        String text = Files.readString(Ran.EXAMPLES.resolve(SCENARIOS).resolve(example + ".yaml"));
        assertThat(text).contains(before);
        return Files.writeString(folder.resolve("changed.yaml"), text.replace(before, after))
                .toString();
    }

    @Test
    void everyExamplePassesAndIsInTheIndex() throws IOException {
        Ran ran = Ran.of("test", Ran.example(SCENARIOS));
        assertThat(ran.exitCode()).as(ran.out()).isZero();
        assertThat(ran.out()).endsWith(" passed, 0 failed\n").doesNotContain("FAILED");
        String index = Files.readString(Ran.EXAMPLES.resolve(SCENARIOS).resolve("README.md"));
        assertThat(ran.out().lines().filter(line -> line.startsWith("passed  ")))
                .hasSizeGreaterThanOrEqualTo(10)
                .allSatisfy(line -> {
                    String name = line.substring("passed  ".length());
                    assertThat(index).contains("[`%s`](%s.yaml)".formatted(name, name));
                });
    }

    @Test
    void anotherDeviceThanExpectedIsShownAsADifference() throws IOException {
        Ran ran = Ran.of("test", changed("gpu-and-nic-on-one-root", "device: nic-1}", "device: nic-0}"));
        assertThat(ran.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(ran.out().lines().map(String::strip))
                .containsExactly(
                        "FAILED  gpu-and-nic-on-one-root",
                        "claim training/pair: other devices.results",
                        "- {\"device\":\"nic-0\",\"driver\":\"nic.example.com\",\"pool\":\"node-1\",\"request\":\"nic\"}",
                        "+ {\"device\":\"nic-1\",\"driver\":\"nic.example.com\",\"pool\":\"node-1\",\"request\":\"nic\"}",
                        "0 passed, 1 failed");
    }

    @Test
    void aPathThatIsNotThereFailsAndTheOthersAreTried() {
        String there = Ran.EXAMPLES
                .resolve(SCENARIOS)
                .resolve("too-many-for-one-node.yaml")
                .toString();
        Ran ran = Ran.of("test", "nowhere.yaml", there, "-o", "json");
        assertThat(ran.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(ran.err()).isEmpty();
        assertThat(ran.out().lines())
                .containsExactly(
                        "{\"name\":\"nowhere.yaml\",\"passed\":false,\"difference\":\"nowhere.yaml: the path does not exist: name a"
                                + " file or a directory that is there\"}",
                        "{\"name\":\"too-many-for-one-node\",\"passed\":true,\"difference\":null}");
    }

    @Test
    void anExpectationThatDoesNotComeTrueSaysWhatCameInstead() throws IOException {
        Ran fits = Ran.of(
                "test",
                changed("two-claims-of-one-pod", "    results:", "    doesNotFit: true\n  #")
                        .toString());
        assertThat(fits.exitCode()).isEqualTo(ExitCodes.FAILED);
        Ran not = Ran.of("test", changed("too-many-for-one-node", "{doesNotFit: true}", "{error: nonsense}"));
        assertThat(not.out()).contains("expected the error \"nonsense\", but it does not fit: 4 gpu on one node");
    }

    @Test
    void aLineOfJsonForEachScenario() throws IOException {
        Ran ran = Ran.of("test", "-o", "json", Ran.example(SCENARIOS));
        assertThat(ran.exitCode()).isZero();
        assertThat(ran.out().lines())
                .allMatch(line -> line.matches("\\{\"name\":\"[a-z-]+\",\"passed\":true,\"difference\":null}"));
        Ran failed = Ran.of("test", "-o", "json", changed("tainted-gpu-stays-empty", "doesNotFit: true", "error: x"));
        assertThat(failed.out())
                .startsWith(
                        "{\"name\":\"tainted-gpu-stays-empty\",\"passed\":false,\"difference\":\"expected the error")
                .endsWith("}\n");
    }

    @Test
    void aFileThatCannotBeReadFailsWithItsPlace() throws IOException {
        Ran ran = Ran.of("test", changed("tainted-gpu-stays-empty", "claims: [training]", "claim: training"));
        assertThat(ran.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(ran.out())
                .contains("spec.claims: Required value: name the claims to decide")
                .contains("spec.claim: unknown field: known are ");
    }

    @Test
    void whatAnApiServerWouldRefuseIsTakenOnRequest() throws IOException {
        String file = changed("tainted-gpu-stays-empty", "pool: {name: node-1,", "pool: {name: Node_1,");
        assertThat(Ran.of("test", file).out()).contains("FAILED");
        assertThat(Ran.of("test", "--no-validation", file).out()).startsWith("passed");
    }

    @Test
    void gatesOfTheCommandLineCountWhereTheScenarioSaysNothing() {
        String file = Ran.EXAMPLES
                .resolve(SCENARIOS)
                .resolve("ten-gigabytes-of-a-gpu.yaml")
                .toString();
        assertThat(Ran.of("test", file).exitCode()).isZero();
        Ran off = Ran.of("test", "--features", "DRAConsumableCapacity=false", file);
        assertThat(off.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(off.out()).contains("the DRAConsumableCapacity feature is disabled");
    }

    @Test
    void nothingToTestIsNotAPass() {
        Ran ran = Ran.of("test", folder.toString());
        assertThat(ran.exitCode()).isEqualTo(ExitCodes.FAILED);
        assertThat(ran.err()).contains("there is no file of YAML or JSON in");
    }
}
