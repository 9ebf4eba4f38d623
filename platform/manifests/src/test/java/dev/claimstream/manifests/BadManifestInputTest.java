package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.manifests.Manifest.CelExpression.ExpressionUsage;
import dev.claimstream.manifests.tree.ObjectLimits;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the findings for missing, unreadable, oversized and malformed files and documents. */
class BadManifestInputTest {
    private static final String CLASS = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: %s}
            spec: {}
            """;

    private static final InputStream NOTHING = InputStream.nullInputStream();

    @TempDir
    Path directory;

    private List<String> findingsOfPaths(String... names) {
        return findings(Manifests.read(List.of(names), ReadOptions.DEFAULT, NOTHING));
    }

    private List<String> findings(ManifestReadResult reading) {
        return reading.findings().stream()
                .map(finding -> finding.toString().replace(directory + "/", ""))
                .toList();
    }

    private Path write(String name, String text) throws IOException {
        Path path = directory.resolve(name);
        Files.createDirectories(path.getParent());
        return Files.writeString(path, text);
    }

    @Test
    void reportsMissingFile() {
        assertThat(findingsOfPaths("no-such.yaml"))
                .containsExactly("no-such.yaml: the path does not exist: name an existing file or directory");
        assertThat(findingsOfPaths("a\0b")).singleElement().asString().contains("not a path");
    }

    @Test
    void reportsUnreadableFile() throws IOException {
        // a path below a file cannot be read, not even by root
        Path file = write("d/f.yaml", "");
        ManifestReadResult reading = Manifests.read(List.of(file + "/x.yaml"), ReadOptions.DEFAULT, NOTHING);
        assertThat(findings(reading)).singleElement().asString().contains("does not exist");
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new IOException("wire cut");
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                return read();
            }
        };
        assertThat(findings(Manifests.read("-", broken, ReadOptions.DEFAULT)))
                .containsExactly("-: the file cannot be read: IOException: check the path and its permissions");
    }

    @Test
    void reportsDirectoryWithoutManifests() throws IOException {
        write("notes.txt", "hello");
        write("below/a.yaml", CLASS.formatted("a"));
        assertThat(findingsOfPaths(directory.toString()))
                .containsExactly(directory + ": the directory has no manifests: recognized file extensions are .json,"
                        + " .yaml and .yml; directories below it are read with -R");
        ManifestReadResult reading = Manifests.read(
                List.of(directory.toString()), ReadOptions.DEFAULT.with(ReadOptions.Directories.RECURSIVE), NOTHING);
        assertThat(reading.manifests()).hasSize(1);
    }

    @Test
    void readsDirectoryInOrderOfNames() throws IOException {
        write("b.yml", CLASS.formatted("b"));
        write("a.yaml", CLASS.formatted("a"));
        write("c.json", "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"c\"}}");
        write("d.txt", "not: read");
        write("..data/a.yaml", CLASS.formatted("a"));
        ManifestReadResult reading = Manifests.read(
                List.of(directory.toString()), ReadOptions.DEFAULT.with(ReadOptions.Directories.RECURSIVE), NOTHING);
        assertThat(reading.findings()).isEmpty();
        assertThat(reading.objects()).extracting(object -> object.meta().name()).containsExactly("a", "b", "c");
    }

    @Test
    void readsStandardInput() {
        InputStream in = new ByteArrayInputStream(CLASS.formatted("a").getBytes(StandardCharsets.UTF_8));
        ManifestReadResult reading = Manifests.read(List.of("-"), ReadOptions.DEFAULT, in);
        assertThat(reading.manifests().getFirst().location()).hasToString("-:1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "\n\n",
                "# only a comment\n",
                "---\n---\n",
                "---\n# c\n---\n...\n",
                "null\n",
                "%YAML 1.2\n---\n"
            })
    void warnsOfEmptyFile(String text) {
        assertThat(ManifestFixtures.findings(text))
                .containsExactly("f.yaml: warning: no object in this file: leave it out, or write one");
    }

    @ParameterizedTest
    @ValueSource(strings = {"just text", "[1, 2]", "- a\n- b", "42"})
    void rejectsDocumentThatIsNotAnObject(String text) {
        assertThat(ManifestFixtures.findings(text))
                .containsExactly("f.yaml:1: not a Kubernetes object: write apiVersion, kind, metadata and spec");
    }

    @Test
    void rejectsObjectWithoutKindOrApiVersion() {
        assertThat(ManifestFixtures.findings("metadata: {name: a}"))
                .containsExactly(
                        "f.yaml:1: kind: Required value: write the kind of the object; in a list, write kind before items or"
                                + " in each item");
        assertThat(ManifestFixtures.findings("kind: Pod"))
                .containsExactly("f.yaml:1: apiVersion: Required value: write apiVersion: v1");
    }

    @Test
    void rejectsBinaryFile() {
        byte[] notUtf8 = {'a', ':', ' ', (byte) 0xFF, (byte) 0xFE, 0, 1};
        assertThat(findings(Manifests.read("f", new ByteArrayInputStream(notUtf8), ReadOptions.DEFAULT)))
                .containsExactly("f: not a text in UTF-8: give YAML or JSON in UTF-8");
        byte[] zeros = {'P', 'K', 3, 4, 0, 0, 0};
        assertThat(findings(Manifests.read("f", new ByteArrayInputStream(zeros), ReadOptions.DEFAULT)))
                .singleElement()
                .asString()
                .startsWith("f:1: character 0x03 is not text");
    }

    @Test
    void ignoresByteOrderMark() {
        assertThat(Manifests.read("f", "\uFEFF" + CLASS.formatted("a")).manifests())
                .hasSize(1);
    }

    @Test
    void rejectsFileOverSizeLimit() throws IOException {
        Path file = write("f.yaml", CLASS.formatted("a"));
        ReadOptions small = ReadOptions.DEFAULT.withFileBytesMax(20);
        String line = "the file has more than 20 bytes: split it, or raise the limit";
        assertThat(findings(Manifests.read(List.of(file.toString()), small, NOTHING)))
                .containsExactly("f.yaml: " + line);
        assertThat(findings(Manifests.read("-", Files.newInputStream(file), small)))
                .containsExactly("-: " + line);
    }

    @Test
    void rejectsTabsAsIndentation() {
        assertThat(ManifestFixtures.findings("kind: Pod\nmetadata:\n\tname: a\n"))
                .singleElement()
                .asString()
                .startsWith("f.yaml:3: not YAML: ")
                .endsWith("indent with spaces, YAML forbids tabs there");
    }

    @Test
    void rejectsDuplicateFields() {
        assertThat(ManifestFixtures.findings("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: a}
                spec: {}
                spec: {selectors: []}
                """))
                .containsExactly(
                        "f.yaml:5: spec: the field occurs twice, this is the second: leave one of the two out");
    }

    @Test
    void readsOtherDocumentsDespiteInvalidOne() {
        ManifestReadResult reading = Manifests.read(
                "f.yaml",
                CLASS.formatted("a") + "---\nkind: [\n---\n" + CLASS.formatted("b") + "--- # last\n"
                        + CLASS.formatted("c").replace("spec", "specs"));
        assertThat(reading.objects()).extracting(object -> object.meta().name()).containsExactly("a", "b");
        assertThat(reading.findings()).extracting(f -> f.location().line()).containsExactly(7, 13, 16);
    }

    @Test
    void rejectsSecondObjectOfSameName() {
        ManifestReadResult reading = Manifests.read("f.yaml", """
                {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c}, spec: {devices: {}}}
                ---
                {apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: c, namespace: other}, spec: {}}
                ---
                {apiVersion: resource.k8s.io/v1beta1, kind: ResourceClaim, metadata: {name: c, namespace: default}, spec: {}}
                """);
        assertThat(reading.manifests()).hasSize(2);
        assertThat(findings(reading))
                .containsExactly("f.yaml:5: metadata.name: there is a ResourceClaim of this name at f.yaml:1 already"
                        + " (default/c): leave one of the two out, or give it another name");
    }

    @Test
    void warnsOfDeviceInTwoSlicesOfPool() {
        String slice = """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: %s}
                spec: {driver: d, pool: {name: p, generation: 1, resourceSliceCount: 2}, allNodes: true, devices: [{name: x}]}
                ---
                """;
        ManifestReadResult reading = Manifests.read("f.yaml", slice.formatted("a") + slice.formatted("b"));
        assertThat(reading.manifests()).hasSize(2);
        assertThat(findings(reading))
                .containsExactly("f.yaml:9: spec.devices[0]: warning: the slice at f.yaml:1 has this device of pool d/p"
                        + " too: the pool is invalid, no device is allocated (x): give one of the two another name");
    }

    @Test
    void rejectsAliasBomb() {
        StringBuilder bomb = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 30; i++) {
            String before = "*a" + (i - 1);
            bomb.append("a%d: &a%d [%s]\n".formatted(i, i, String.join(",", List.of(before, before, before, before))));
        }
        assertThat(ManifestFixtures.findings(bomb.toString()))
                .singleElement()
                .asString()
                .matches("f.yaml:\\d+: the (aliases|anchors) of .*");
    }

    @Test
    void resolvesAliasesWithinLimit() {
        ManifestReadResult reading = Manifests.read("f.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: p, labels: &labels {a: b, c: d}}
                spec:
                  nodeSelector: {<<: *labels, c: e}
                """);
        assertThat(reading.findings()).isEmpty();
        assertThat(((dev.claimstream.dra.Pod) reading.objects().getFirst()).nodeSelector())
                .containsEntry("a", "b")
                .containsEntry("c", "e");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a: *b",
                "a: &a [*a]",
                "a: !include x",
                "a: !!js/function x",
                "? [a]\n: b",
                "<<: 5\nk: {<<: 5}",
                "a: \"\\U00990000\""
            })
    void rejectsUnsupportedYaml(String text) {
        assertThat(Manifests.read("f.yaml", text).hasErrors()).isTrue();
    }

    @Test
    void rejectsExcessiveNesting() {
        assertThat(ManifestFixtures.findings("a: " + "[".repeat(1_000_000)))
                .containsExactly("f.yaml:1: values are nested more than 100 levels deep: split the object, or raise the"
                        + " limit if it is meant to be so large");
        assertThat(ManifestFixtures.findings("{\"a\": " + "[".repeat(1_000_000)).getFirst())
                .contains("more than 100 levels deep");
        assertThat(ManifestFixtures.findings("- ".repeat(100_000)).getFirst()).contains("more than 100 levels deep");
    }

    @Test
    void rejectsObjectOverSizeLimits() {
        ObjectLimits small = new ObjectLimits(2000, 100, 10, 10);
        ReadOptions options = ReadOptions.DEFAULT.with(small);
        String many = "a: [" + "1,".repeat(200) + "]";
        String longText = "a: '" + "x".repeat(10_000) + "'";
        assertThat(findings(Manifests.read("f", stream(many), options)))
                .singleElement()
                .asString()
                .startsWith("f:1: an object has more than 100 values");
        assertThat(findings(Manifests.read("f", stream(longText), options)))
                .singleElement()
                .asString()
                .startsWith("f:1: an object has more than 2000 characters");
    }

    @Test
    void acceptsListLargerThanObjectLimit() {
        ObjectLimits small = new ObjectLimits(12_000, 100, 10, 10);
        StringBuilder list = new StringBuilder("apiVersion: v1\nitems:\n");
        for (int i = 0; i < 1000; i++) {
            list.append("- {apiVersion: v1, kind: Namespace, metadata: {name: n%d}}\n".formatted(i));
        }
        list.append("kind: List\nmetadata: {resourceVersion: \"\"}\n");
        ManifestReadResult reading = Manifests.read("f", stream(list.toString()), ReadOptions.DEFAULT.with(small));
        assertThat(reading.findings()).isEmpty();
        assertThat(reading.manifests()).hasSize(1000);
        assertThat(reading.manifests().getLast().location().line()).isEqualTo(1002);
    }

    @Test
    void infersKindOfItemsFromTypedList() {
        ManifestReadResult reading = Manifests.read("f", """
                {"kind":"DeviceClassList","apiVersion":"resource.k8s.io/v1","metadata":{"resourceVersion":"1"},
                \t"items":[{"metadata":{"name":"a"},"spec":{}},
                \t{"metadata":{"name":"b"},"spec":{}}]}
                """);
        assertThat(reading.findings()).isEmpty();
        assertThat(reading.manifests()).hasSize(2);
        assertThat(reading.manifests().getLast().location()).isEqualTo(new SourceLocation("f", 3, 2));
        assertThat(ManifestFixtures.findings("{apiVersion: v1, kind: List, items: null}"))
                .hasSize(1);
        assertThat(ManifestFixtures.findings("{apiVersion: v1, kind: List, items: 5}")
                        .getFirst())
                .contains("items: expected a list");
        assertThat(ManifestFixtures.findings("{items: [], apiVersion: v1, kind: Pod}")
                        .getFirst())
                .contains("a document with items must be a list");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"kind\":",
                "{\"kind\" \"Pod\"}",
                "{\"kind\": \"Pod\",}",
                "{\"kind\": \"Po",
                "{\"kind\": \"P\\x\"}",
                "{\"kind\": \"P\\u12g4\"}",
                "{\"kind\": 01}",
                "{\"kind\": tru}",
                "{\"kind\": NaN}",
                "{\"kind\": \"a\nb\"}",
                "{\"a\": [1 2]}",
                "{\"a\": 1]",
                "{\"a\": 1} }"
            })
    void rejectsBrokenJson(String text) {
        assertThat(ManifestFixtures.findings(text))
                .last()
                .asString()
                .startsWith("f.yaml:")
                .contains("not JSON: ");
    }

    @Test
    void truncatesFindingsAtLimit() {
        StringBuilder documents = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            documents.append("kind: Pod\n---\n");
        }
        ManifestReadResult reading =
                Manifests.read("f", stream(documents.toString()), ReadOptions.DEFAULT.withFindingsMax(10));
        assertThat(reading.findings()).hasSize(11);
        assertThat(reading.findings().getLast())
                .hasToString("f: 40 more findings are not shown: correct the findings above, and run again");
        assertThat(reading.hasErrors()).isTrue();
        assertThat(reading.rejected()).isEqualTo(50);
    }

    /** Unsupported kinds are not counted; unreadable documents and a second object of the same name are. */
    @Test
    void countsRejectedObjects() {
        String node = "{apiVersion: v1, kind: Node, metadata: {name: a}}\n---\n";
        String other = node.replace("name: a", "name: a, labels: {a: b}");
        ManifestReadResult reading =
                Manifests.read("f", node + other + "{apiVersion: v1, kind: Secret}\n---\na: [\n---\n7\n");
        assertThat(reading.manifests()).hasSize(1);
        assertThat(reading.rejected()).as(reading.findings().toString()).isEqualTo(3);
    }

    @Test
    void keepsLocationsOfExpressions() {
        Manifest manifest = Manifests.read("f.yaml", """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: c}
                spec:
                  devices:
                    requests:
                    - name: a
                      exactly:
                        deviceClassName: g
                        selectors:
                        - cel: {expression: "true"}
                        - cel:
                            expression: device.driver == "x"
                """).manifests().getFirst();
        String field = "spec.devices.requests[0].exactly.selectors[1].cel.expression";
        assertThat(manifest.expressions())
                .hasSize(2)
                .last()
                .isEqualTo(new Manifest.CelExpression(field, ExpressionUsage.SELECTOR, "device.driver == \"x\""));
        assertThat(manifest.locationOf(field)).isEqualTo(new SourceLocation("f.yaml", 13, 13));
        assertThat(manifest.locationOf("spec.devices.requests[0].exactly.count").line())
                .isEqualTo(7);
        assertThat(manifest.locationOf("spec.nothing").line()).isEqualTo(1);
        assertThat(manifest.error(field, "x", "does not compile", "correct it"))
                .hasToString("f.yaml:13: " + field + ": does not compile (x): correct it");
    }

    private static InputStream stream(String text) {
        return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
    }
}
