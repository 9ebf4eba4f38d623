package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
    void aMistakeIsALineWithItsPlaceItsRemedyAndItsRule() throws IOException {
        String file = file("flat.yaml", FLAT);
        Ran ran = Ran.of("lint", file);
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.out())
                .isEqualTo(file
                        + ":9:7: spec.devices.requests[0].deviceClassName: unknown field: put it under exactly: (flat"
                        + " requests are the v1beta1 form) [flat-request]\n");
    }

    @Test
    void nothingFoundIsNothingSaid() throws IOException {
        Ran ran = Ran.of("lint", file("empty.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: node-1}\n"));
        assertThat(ran).isEqualTo(new Ran(0, "", ""));
    }

    @Test
    void whereThereIsNothingToReadThatIsSaid() throws IOException {
        String file = file("empty.yaml", "# nothing yet\n---\n");
        assertThat(Ran.of("lint", file))
                .isEqualTo(new Ran(
                        1,
                        "",
                        "claimstream lint: there is no object in %s: name files with Kubernetes objects\n"
                                .formatted(file)));
    }

    @Test
    void whatIsNotLookedAtIsCounted() throws IOException {
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
        Ran ran = Ran.of("lint", file("others.yaml", text));
        assertThat(ran)
                .isEqualTo(new Ran(
                        0, "", "claimstream lint: 1 object looked at, 3 not looked at (2 ConfigMap, 1 Service)\n"));
    }

    @Test
    void aClassThatIsServedHereIsNotOfferedAsAnExtendedResource() throws IOException {
        String text = """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: a}
                spec: {extendedResourceName: example.com/a}
                """;
        String file = file("class.yaml", text);
        assertThat(Ran.of("lint", file).exitCode()).isZero();
        assertThat(Ran.of("lint", "--managed", "b,a", file).out()).contains(":4:8: ", "[managed-class]");
    }

    @Test
    void fixRewritesTheFileAndLeavesComments() throws IOException {
        String file = file("flat.yaml", FLAT);
        Ran ran = Ran.of("lint", "--fix", file);
        assertThat(ran.exitCode()).isZero();
        assertThat(ran.out()).isEmpty();
        assertThat(ran.err()).isEqualTo(file + ": put right: 1 flat-request\n");
        assertThat(Path.of(file))
                .hasContent(FLAT.replace("      deviceClassName:", "      exactly:\n        deviceClassName:"));
        assertThat(Ran.of("lint", "--fix", file)).isEqualTo(new Ran(0, "", ""));
    }

    @Test
    void whatFixLeavesIsStillFound() throws IOException {
        String file = file("left.yaml", FLAT.replace("name: gpu ", "name: GPU "));
        Ran ran = Ran.of("lint", "--fix", file);
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.out()).contains("[invalid-value]").doesNotContain("flat-request");
    }

    @ParameterizedTest
    @ValueSource(strings = {"text", "json", "sarif"})
    void everyFormatNamesTheRuleAndTheFile(String format) throws IOException {
        Ran ran = Ran.of("lint", "-o", format, file("flat.yaml", FLAT));
        assertThat(ran.exitCode()).isEqualTo(1);
        assertThat(ran.out()).contains("flat-request", "flat.yaml");
    }

    @Test
    void jsonIsALineForEachFinding() throws IOException {
        assertThat(Ran.of("lint", "-o", "json", file("flat.yaml", FLAT)).out())
                .matches(
                        "\\{\"rule\":\"flat-request\",\"file\":\".*flat.yaml\",\"line\":9,\"column\":7,\"field\":.*}\\n");
    }

    @Test
    void foldersAreReadAndWhatCannotBeIsFound() throws IOException {
        file("flat.yaml", FLAT);
        file("ignored.txt", FLAT);
        assertThat(Ran.of("lint", folder.toString()).out().lines()).hasSize(1);
        Ran missing = Ran.of("lint", folder.resolve("none.yaml").toString());
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.out()).contains("none.yaml: the file cannot be read: it does not exist", "[unreadable]");
    }

    @Test
    void argumentsThatMakeNoSenseAreNamed() {
        assertThat(Ran.of("lint").err()).contains("missing FILE");
        assertThat(Ran.of("lint", "x.yaml", "-o", "xml").err())
                .contains("--output xml is not known: use text, json or sarif");
    }

    @ParameterizedTest
    @ValueSource(strings = {"lint", "match", "evictions"})
    void theCommandHelps(String command) {
        Ran ran = Ran.of(command, "--help");
        assertThat(ran.exitCode()).isZero();
        assertThat(ran.out())
                .contains("Usage: claimstream " + command, "--features", "--kubernetes", "Exit codes:")
                .containsPattern("Examples?:\\s+claimstream " + command + " ");
        assertThat(ran.out().lines()).allMatch(line -> line.length() <= 80);
    }
}
