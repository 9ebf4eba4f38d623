package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that each mistake in a manifest is reported in one line and rejects one object. */
class BadInputTest {
    private static final ExpressionValidator EXPRESSIONS = new ExpressionValidator(FeatureGates.defaults());
    private static final String GOOD = ClusterManifests.claim("good", 1);

    @TempDir
    private Path folder = Path.of("");

    /** The result of reading, and the lines on standard error. */
    private record ReadOutput(ManifestInputs.CompletedManifests read, List<String> lines) {
        List<String> claims() {
            return read.listing().objects().stream()
                    .filter(ResourceClaim.class::isInstance)
                    .map(ClusterObject::key)
                    .map(Object::toString)
                    .toList();
        }
    }

    private static ReadOutput read(List<String> paths, InputStream standardInput) {
        var err = new StringWriter();
        ManifestInputs.CompletedManifests read = ManifestInputs.read(
                paths, false, WorkloadTreatment.EXPANDED, EXPRESSIONS, standardInput, new PrintWriter(err, true));
        return new ReadOutput(read, err.toString().lines().toList());
    }

    private static ReadOutput read(String text) {
        return read(List.of("-"), new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private String file(String name, byte[] content) throws IOException {
        return Files.write(folder.resolve(name), content).toString();
    }

    /** Returns the name of each mistake, the manifest, and the expected parts of the line. */
    static Stream<Arguments> mistakes() {
        return Stream.of(
                mistake(
                        "unknown field",
                        ClusterManifests.claim("bad", "gpu.example.com", "colour: red"),
                        "-:9: spec.devices.requests[0].exactly.colour: unknown field",
                        "leave it out"),
                mistake(
                        "wrong type",
                        ClusterManifests.claim("bad", "gpu.example.com", "count: many"),
                        "-:9: spec.devices.requests[0].exactly.count: expected a whole number, found a text (many)",
                        "write a whole number"),
                mistake(
                        "unknown kind",
                        GOOD.replace("good", "bad").replace("ResourceClaim", "ResourceClam"),
                        "-:3: kind: ",
                        "(ResourceClam)",
                        "did you mean ResourceClaim?"),
                mistake(
                        "unknown version",
                        GOOD.replace("good", "bad").replace("k8s.io/v1", "k8s.io/v7"),
                        "-:2: apiVersion: ",
                        "(resource.k8s.io/v7)",
                        "write apiVersion: resource.k8s.io/v1"),
                mistake(
                        "expression that does not end",
                        ClusterManifests.claim(
                                "bad", "gpu.example.com", "selectors: [{cel: {expression: 'device.driver =='}}]"),
                        "-:9: spec.devices.requests[0].exactly.selectors[0].cel.expression: ",
                        "(device.driver ==)",
                        "correct the expression"),
                mistake(
                        "expression of another type",
                        ClusterManifests.claim(
                                "bad", "gpu.example.com", "selectors: [{cel: {expression: device.driver}}]"),
                        "-:9: spec.devices.requests[0].exactly.selectors[0].cel.expression: ",
                        "(device.driver)",
                        "correct the expression"),
                mistake(
                        "expression with an unknown variable",
                        ClusterManifests.claim(
                                "bad", "gpu.example.com", "selectors: [{cel: {expression: gpu.driver == \"a\"}}]"),
                        "-:9: spec.devices.requests[0].exactly.selectors[0].cel.expression: ",
                        "(gpu.driver == \"a\")",
                        "the variable is device"),
                mistake(
                        "negative count",
                        ClusterManifests.claim("bad", -1),
                        "-:9: spec.devices.requests[0].exactly.count: ",
                        "(-1)"),
                mistake(
                        "second object of one name",
                        ClusterManifests.claim("good", 2),
                        "-:13: metadata.name: ",
                        "(default/good)",
                        "give it another name"),
                mistake(
                        "name that is none",
                        ClusterManifests.claim("Bad_Name", 1),
                        "-:4: metadata.name: ",
                        "(Bad_Name)"),
                mistake(
                        "duplicate key",
                        GOOD.replace("good", "bad").replace("spec:", "spec: {}\nspec:"),
                        "-:6: spec: ",
                        "twice"),
                mistake(
                        "tab instead of blanks",
                        GOOD.replace("good", "bad").replace("  devices:", "\tdevices:"),
                        "-:6"),
                mistake(
                        "text that is no object",
                        "---\njust a text\n",
                        "-:2: ",
                        "not a Kubernetes object",
                        "write apiVersion"),
                mistake("bomb", bomb(), "-:5: the aliases of an object expand to more than ", "write the values out"),
                mistake("deep nesting", "---\n" + "[".repeat(5_000) + "]".repeat(5_000) + "\n", "-:2: ", "deep"));
    }

    private static Arguments mistake(String what, String text, String... parts) {
        return Arguments.of(what, text, List.of(parts));
    }

    private static String bomb() {
        var text = new StringBuilder("---\na: &a [x, x, x, x, x, x, x, x, x, x]\n");
        for (char c = 'b'; c <= 'j'; c++) {
            String before = "*" + (char) (c - 1);
            text.append(c).append(": &").append(c).append(" [");
            text.append(String.join(", ", java.util.Collections.nCopies(10, before)))
                    .append("]\n");
        }
        return text.toString();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("mistakes")
    void rejectsOneObjectWithOneLinePerMistake(String what, String text, List<String> parts) {
        boolean isSecond = what.startsWith("second");
        ReadOutput output = read(isSecond ? GOOD + text : text + GOOD);
        assertThat(output.lines()).singleElement().satisfies(line -> {
            assertThat(line).startsWith(parts.getFirst());
            assertThat(line).contains(parts);
            assertThat(line.length()).isLessThan(600);
        });
        assertThat(output.read().hasErrors()).isTrue();
        assertThat(output.claims()).containsExactly("default/good");
    }

    @Test
    void rejectsSliceWithDuplicateDevice() {
        String cluster = ClusterManifests.ofDevices(2).replace("- name: gpu-1", "- name: gpu-0");
        ReadOutput output = read(cluster + GOOD);
        assertThat(output.lines())
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("-:21: spec.devices[1]")
                        .contains("Duplicate value", "(gpu-0)", "another name"));
        assertThat(output.read().listing().objects()).hasSize(3);
    }

    @Test
    void rejectsSecondClaimWithSameUid() {
        String copy = "name: %s, uid: 0b4ef1f4-0000-4000-8000-000000000001, namespace";
        String first = ClusterManifests.claim("first", 1).replace("name: first, namespace", copy.formatted("first"));
        String second =
                ClusterManifests.claim("second", 1).replace("name: second, namespace", copy.formatted("second"));
        ReadOutput output = read(first + second);
        assertThat(output.lines())
                .singleElement()
                .satisfies(line -> assertThat(line)
                        .startsWith("-:1")
                        .contains(
                                "metadata.uid: ResourceClaim default/first at -:2 already has this uid",
                                "(0b4ef1f4-0000-4000-8000-000000000001)",
                                "leave the uid out"));
        assertThat(output.claims()).containsExactly("default/first");
    }

    @Test
    void rejectsObjectLargerThanRecordLimit() {
        String fat = ClusterManifests.claim("fat", 1)
                .replace(
                        "namespace: default}",
                        "namespace: default, annotations: {note: '" + "x".repeat(1_200_000) + "'}}");
        ReadOutput output = read(fat + GOOD);
        assertThat(output.lines())
                .singleElement()
                .satisfies(line -> assertThat(line).startsWith("-:2: ").contains("(default/fat)"));
        assertThat(output.read().hasErrors()).isTrue();
        assertThat(output.claims()).containsExactly("default/good");
    }

    @Test
    void reportsPodWithMissingClaimOrTemplate() {
        ReadOutput output = read(GOOD
                + ClusterManifests.pod("fine", "resourceClaimName: good")
                + ClusterManifests.pod("lost", "resourceClaimName: god")
                + ClusterManifests.pod("made", "resourceClaimTemplateName: goods"));
        assertThat(output.lines()).hasSize(2);
        assertThat(output.lines().getFirst())
                .contains("spec.resourceClaims[0]")
                .contains("there is no ResourceClaim default/god, so pod default/lost is pending (gpus)");
        assertThat(output.lines().getLast())
                .contains("there is no ResourceClaimTemplate default/goods, so pod default/made is pending (gpus)");
        assertThat(output.read().hasErrors()).isFalse();
    }

    @Test
    void reportsFilesWithoutObjects() throws IOException {
        var random = new Random(7);
        byte[] noise = new byte[3_000];
        random.nextBytes(noise);
        String empty = file("empty.yaml", new byte[0]);
        String comments = file("comments.yaml", "# nothing\n---\n---\n".getBytes(StandardCharsets.UTF_8));
        String binary = file("binary.yaml", noise);
        String zeros = file("zeros.yaml", new byte[5_000]);
        String good = file("good.yaml", GOOD.getBytes(StandardCharsets.UTF_8));
        List<String> paths = List.of(empty, comments, binary, zeros, good, folder + "/missing.yaml");
        ReadOutput output = read(paths, InputStream.nullInputStream());
        assertThat(output.lines()).hasSize(5);
        assertThat(output.lines().get(0)).startsWith(empty).contains("no object in this file");
        assertThat(output.lines().get(1)).startsWith(comments).contains("no object in this file");
        assertThat(output.lines().get(2)).startsWith(binary).contains("not a text in UTF-8");
        assertThat(output.lines().get(3)).startsWith(zeros);
        assertThat(output.lines().get(4)).startsWith(folder + "/missing.yaml").contains("does not exist");
        assertThat(output.claims()).containsExactly("default/good");
    }

    @Test
    void acceptsEmptyFileWithWarning() throws IOException {
        ReadOutput output = read(List.of(file("empty.yaml", new byte[0])), InputStream.nullInputStream());
        assertThat(output.lines()).singleElement().asString().contains("warning: ");
        assertThat(output.read().hasErrors()).isFalse();
    }

    @Test
    void rejectsEmptyFolder() {
        ReadOutput output = read(List.of(folder.toString()), InputStream.nullInputStream());
        assertThat(output.lines()).singleElement().asString().startsWith(folder + ": the directory has no manifests");
        assertThat(output.read().hasErrors()).isTrue();
    }

    /** Reading never throws, and every line names its place. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void reportsDamagedFilesWithoutException(long seed) {
        var random = new Random(seed);
        var text = new StringBuilder(
                ClusterManifests.ofDevices(3) + GOOD + ClusterManifests.pod("p", "resourceClaimName: good"));
        List<String> scraps = List.of(
                "{", "}", "[", "]", ":", "- ", "\n", "  ", "\t", "&a ", "*a", "!!int ", "|", "'", "\"", "\\", "-1",
                "9e99", "~", "é", "\u0000", "---", "%", "<<: ");
        for (int i = 0; i < 1 + random.nextInt(6); i++) {
            int at = random.nextInt(text.length());
            if (random.nextBoolean()) {
                text.insert(at, scraps.get(random.nextInt(scraps.size())));
            } else {
                text.delete(at, Math.min(text.length(), at + 1 + random.nextInt(20)));
            }
        }
        ReadOutput output = read(text.toString());
        assertThat(output.lines())
                .as(text.toString())
                .allSatisfy(line -> assertThat(line).startsWith("-").doesNotContain("Exception"));
    }

    static Stream<Long> seeds() {
        List<Long> seeds = new ArrayList<>();
        for (long seed = 0; seed < 500; seed++) {
            seeds.add(seed);
        }
        return seeds.stream();
    }

    @Test
    void reportsMissingTemplateOfWorkloadOnce() {
        ReadOutput output = read("""
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web}
                spec:
                  replicas: 12
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec:
                      containers: [{name: c, image: i, resources: {claims: [{name: gpu}]}}]
                      resourceClaims:
                      - {name: gpu, resourceClaimTemplateName: absent}
                """);
        assertThat(output.lines())
                .containsExactly(
                        "created 12 pods of 1 workload: Deployment default/web (12)",
                        "-:12: spec.template.spec.resourceClaims[0]: warning: there is no ResourceClaimTemplate"
                                + " default/absent, so 12 pods are pending (default/web-0 and others) (gpu): correct the"
                                + " name, or add the object");
    }
}
