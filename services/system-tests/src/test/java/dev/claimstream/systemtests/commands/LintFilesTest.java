package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which files {@code lint} and {@code run} read, pass over and reject as a whole. */
class LintFilesTest {
    private static final String CLASS = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: gpu.example.com}
            spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com"'}}]}
            """;

    @TempDir
    private Path folder = Path.of("");

    private void file(String name, String text) throws IOException {
        Path file = folder.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text);
    }

    /** Returns the lines that {@code run} prints about the manifests of the folder. */
    private List<String> linesOfRun() {
        var err = new StringWriter();
        var unused = ManifestInputs.read(
                List.of(folder.toString()),
                false,
                WorkloadTreatment.EXPANDED,
                new ExpressionValidator(FeatureGates.defaults()),
                InputStream.nullInputStream(),
                new PrintWriter(err, true));
        return err.toString().lines().toList();
    }

    private CommandResult lint(String... options) {
        String[] args = new String[options.length + 2];
        args[0] = "lint";
        System.arraycopy(options, 0, args, 1, options.length);
        args[options.length + 1] = folder.toString();
        return CommandResult.run(args);
    }

    @Test
    void passesOverOtherFilesInOneLine() throws IOException {
        file("class.yaml", CLASS);
        file("kustomization.yaml", "resources: [class.yaml]\npatches: [{path: patch.yaml}]\n");
        file("patch.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {replicas: 2}\n");
        file("values.yaml", "image: {tag: v1}\n");
        file("operations.json", "[{\"op\": \"remove\", \"path\": \"/spec\"}]\n");
        CommandResult result = lint();
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).isEmpty();
        assertThat(result.err().lines())
                .singleElement()
                .asString()
                .contains("skipped", "kustomization.yaml", "patch.yaml", "values.yaml", "operations.json")
                .doesNotContain("class.yaml");
        assertThat(linesOfRun())
                .filteredOn(line -> !line.contains("a Deployment without spec.selector is a patch"))
                .singleElement()
                .asString()
                .contains("warning: ", "skipped", "kustomization.yaml", "values.yaml", "operations.json");
    }

    @Test
    void reportsDocumentWithoutKindBetweenObjects() throws IOException {
        file("class.yaml", CLASS + "---\nimage: {tag: v1}\n");
        assertThat(lint().exitCode()).isEqualTo(1);
        assertThat(linesOfRun()).singleElement().asString().contains("class.yaml:6: kind: Required value");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "name: {{ .Values.name }}|looks like a Helm template|unrendered-template",
                "name: '\"{{ .Release.Name }}-gpus\"'|looks like a Helm template|unrendered-template",
                "{{- if .enabled }}|looks like a Helm template|unrendered-template",
                "name: {{ .Name }}|looks like a Go template|unrendered-template",
                "{% if gpus %}|looks like a Jinja template|unrendered-template",
                "name: gpu-${INDEX}|looks like a template with variables: ${INDEX}|unrendered-template",
                "labels: ...|... stands for|place-holder",
                "...|... stands for|place-holder",
                "finalizers: [...]|... stands for|place-holder"
            })
    void reportsUnfinishedFileOnce(String line, String message, String rule) throws IOException {
        file(
                "class.yaml",
                CLASS.replace("metadata: {name: gpu.example.com}", "metadata:\n  " + line + "\n  a: b") + "---\n"
                        + CLASS.replace("kind", "knid"));
        assertThat(lint().out().lines()).singleElement().asString().contains(message, "[" + rule + "]");
        assertThat(lint().exitCode()).isEqualTo(1);
        assertThat(linesOfRun()).singleElement().asString().contains(message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "# {{ .Values.name }} and ... are comments",
                "data: {script: '{{ workflow.name }} ... \"{{ $labels.pod }}\"'}",
                "data:\n  script: |\n    {{ .Values.x }}\n    ...\n  end: '...'",
                "data: {shell: 'for i in $(seq 3); do echo ...; done'}"
            })
    void acceptsBracesAndDotsInText(String lines) throws IOException {
        file("map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n" + lines + "\n---\n" + CLASS);
        assertThat(lint().out()).isEmpty();
        assertThat(lint().exitCode()).isZero();
    }

    @Test
    void acceptsEqualObjectsAndRejectsDifferentOnes() throws IOException {
        String namespace = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team}\n---\n";
        file("a.yaml", namespace + CLASS);
        file("b.yaml", "# the same\napiVersion: v1\nmetadata:\n  name: team\nkind: Namespace\n");
        assertThat(lint()).isEqualTo(new CommandResult(0, "", ""));
        assertThat(linesOfRun()).isEmpty();
        file("b.yaml", namespace.replace("name: team", "name: team, labels: {a: b}"));
        assertThat(lint().out()).contains("there is a Namespace of this name", "[duplicate-object]");
        assertThat(lint().exitCode()).isEqualTo(1);
        assertThat(linesOfRun()).singleElement().asString().contains("there is a Namespace of this name");
    }

    @Test
    void warnsAboutAlternativesInOtherDirectories() throws IOException {
        file("one/class.yaml", CLASS);
        file("two/class.yaml", CLASS.replace("==", "!="));
        CommandResult result = lint("-R");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).contains("warning: there is a DeviceClass of this name", "apply only one");
    }

    @Test
    void namesRecursionIfFolderContainsOnlySubfolders() throws IOException {
        file("one/class.yaml", CLASS);
        assertThat(lint().out()).contains("the directory has no manifests", "read with -R");
        assertThat(lint("-R")).isEqualTo(new CommandResult(0, "", ""));
        assertThat(linesOfRun()).singleElement().asString().contains("read with -R");
    }

    @Test
    void fixLeavesPodWithNetworkClaim() throws IOException {
        String pod = """
                apiVersion: v1
                kind: Pod
                metadata: {name: p}
                spec:
                  containers: [{name: c, image: x}]
                  resourceClaims: [{name: one, resourceClaimTemplateName: one}]
                """;
        file("pod.yaml", pod);
        file("template.yaml", """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: one}
                spec: {spec: {devices: {requests: [{name: a, exactly: {deviceClassName: ports.example.com}}]}}}
                """);
        file(
                "class.yaml",
                CLASS.replace("gpu.example.com\"", "dra.net\"").replace("gpu.example.com", "ports.example.com"));
        CommandResult result = lint("--fix");
        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).as("the driver acts on the sandbox of the pod").isEmpty();
        assertThat(folder.resolve("pod.yaml")).hasContent(pod);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "device.driver = \"a\"|CEL has no operator =: write ==",
                "(device.driver == \"a\"|the ( at character 1 is not closed",
                "device.driver == \"a\")|the ) at character 21 closes nothing",
                "device.capacity[\"a.b\"].memory >= quantity(\"1Gi\")|Quantity has no operator >="
            })
    void explainsExpressionInLintAndRun(String expression, String remedy) throws IOException {
        file("class.yaml", CLASS.replace("device.driver == \"gpu.example.com\"", expression));
        assertThat(lint().out()).contains(remedy);
        assertThat(linesOfRun()).singleElement().asString().contains(remedy);
    }
}
