package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the output and the exit codes of {@code claimstream lint}. */
class LintCommandTest {
    private static final String FLAT = """
            # a claim
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: c}
            spec:
              devices:
                requests:
                - name: gpu   # one
                  deviceClassName: gpu.example.com
            """;

    @TempDir
    private Path folder = Path.of("");

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void printsFindingWithPlaceRemedyAndRule() throws IOException {
        String file = file("flat.yaml", FLAT);
        CommandResult result = CommandResult.run("lint", file);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out())
                .isEqualTo(file
                        + ":9:7: spec.devices.requests[0].deviceClassName: unknown field: put it under exactly: (flat"
                        + " requests are the v1beta1 form) [flat-request]\n");
    }

    @Test
    void printsNothingWithoutFindings() throws IOException {
        CommandResult result =
                CommandResult.run("lint", file("empty.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n"));
        assertThat(result).isEqualTo(new CommandResult(0, "", ""));
    }

    @Test
    void rejectsInputWithoutObjects() throws IOException {
        String file = file("empty.yaml", "# nothing yet\n---\n");
        assertThat(CommandResult.run("lint", file))
                .isEqualTo(new CommandResult(
                        1,
                        "",
                        "claimstream lint: there is no object in %s: name files with Kubernetes objects\n"
                                .formatted(file)));
    }

    @Test
    void countsUncheckedObjects() throws IOException {
        String text = """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: m}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: s}
                ---
                apiVersion: v1
                kind: Node
                metadata: {name: node-1}
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: o}
                """;
        CommandResult result = CommandResult.run("lint", file("others.yaml", text));
        assertThat(result)
                .isEqualTo(new CommandResult(
                        0, "", "claimstream lint: 1 object checked, 3 not checked (2 ConfigMap, 1 Service)\n"));
    }

    @Test
    void reportsExtendedResourceNameOfManagedClass() throws IOException {
        String text = """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: a}
                spec: {extendedResourceName: example.com/a}
                """;
        String file = file("class.yaml", text);
        assertThat(CommandResult.run("lint", file).exitCode()).isZero();
        assertThat(CommandResult.run("lint", "--managed", "b,a", file).out()).contains(":4:8: ", "[managed-class]");
    }

    @Test
    void fixRewritesFileAndKeepsComments() throws IOException {
        String file = file("flat.yaml", FLAT);
        CommandResult result = CommandResult.run("lint", "--fix", file);
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).isEqualTo(file + ": corrected: 1 flat-request\n");
        assertThat(Path.of(file))
                .hasContent(FLAT.replace("      deviceClassName:", "      exactly:\n        deviceClassName:"));
        assertThat(CommandResult.run("lint", "--fix", file)).isEqualTo(new CommandResult(0, "", ""));
    }

    @Test
    void reportsFindingsThatFixCannotCorrect() throws IOException {
        String file = file("left.yaml", FLAT.replace("name: gpu ", "name: GPU "));
        CommandResult result = CommandResult.run("lint", "--fix", file);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).contains("[invalid-value]").doesNotContain("flat-request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json", "sarif"})
    void printsRuleAndFileInEveryFormat(String format) throws IOException {
        CommandResult result = CommandResult.run("lint", "-o", format, file("flat.yaml", FLAT));
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).contains("flat-request", "flat.yaml");
    }

    @Test
    void printsOneJsonLinePerFinding() throws IOException {
        assertThat(CommandResult.run("lint", "-o", "json", file("flat.yaml", FLAT))
                        .out())
                .matches(
                        "\\{\"rule\":\"flat-request\",\"file\":\".*flat.yaml\",\"line\":9,\"column\":7,\"field\":.*}\\n");
    }

    @Test
    void readsFoldersAndReportsUnreadableFiles() throws IOException {
        file("flat.yaml", FLAT);
        file("ignored.txt", FLAT);
        assertThat(CommandResult.run("lint", folder.toString()).out().lines()).hasSize(1);
        CommandResult missing =
                CommandResult.run("lint", folder.resolve("none.yaml").toString());
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.out()).contains("none.yaml: the file cannot be read: it does not exist", "[unreadable]");
    }

    @Test
    void rejectsInvalidArguments() {
        assertThat(CommandResult.run("lint").err()).contains("missing FILE");
        assertThat(CommandResult.run("lint", "x.yaml", "-o", "xml").err())
                .contains("--output xml is not known: use text, json or sarif");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lint", "match", "evictions"})
    void printsHelp(String command) {
        CommandResult result = CommandResult.run(command, "--help");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .contains("Usage: claimstream " + command, "--features", "--kubernetes", "Exit codes:")
                .containsPattern("Examples?:\\s+claimstream " + command + " ");
        assertThat(result.out().lines()).allMatch(line -> line.length() <= 80);
    }
}
