package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that templates and excerpts are recognised by their lines, and that text in manifests is not taken for one. */
class UnfinishedTextTest {
    private static String message(String text) {
        return UnfinishedText.finding("f.yaml", text)
                .map(ManifestFinding::toString)
                .orElse("");
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " => ",
            value = {
                "a: 1\\n{{- range .Values.nodes }} => f.yaml:2: looks like a Helm template",
                "{{/* a comment */}} => f.yaml:1: looks like a Helm template",
                "name: gpu-{{ .Release.Name }} => f.yaml:1: looks like a Helm template",
                "labels: {{- include \"a.labels\" . | nindent 4 }} => f.yaml:1: looks like a Helm template",
                "kind: {{ .Kind }} => f.yaml:1: looks like a Go template",
                "- {{ $x }} => f.yaml:1: looks like a Go template",
                "{%- for gpu in gpus %} => f.yaml:1: looks like a Jinja template",
                "spec:\\n  ... => f.yaml:2: ... stands for",
                "kind: Pod\\n...\\nspec: {} => f.yaml:2: ... stands for",
                "- ... => f.yaml:1: ... stands for",
                "spec: {...} => f.yaml:1: ... stands for",
                "name: <...> => f.yaml:1: ... stands for",
                "requests: [{name: a}, ...] => f.yaml:1: ... stands for",
                "a: |-\\n  text\\nb: ... => f.yaml:3: ... stands for",
                "a: 'x\\n  y'\\nb: {{ .Values.x }} => f.yaml:3: looks like a Helm template",
                "a: say 'x\\nb: {{ .Values.x }} => f.yaml:2: looks like a Helm template",
                "apiVersion: argoproj.io/v1\\nb: {{ .Values.x }} => f.yaml:2: looks like a Helm template",
                "apiVersion: argoproj.io/v1\\n---\\nname: a{{item}} => f.yaml:3: looks like a Go template"
            },
            quoteCharacter = '`')
    void recognisesTemplatesAndExcerpts(String text, String begin) {
        assertThat(message(text.replace("\\n", "\n"))).startsWith(begin);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "kind: Pod\n...\n---\nkind: Pod\n...\n",
                "kind: Pod\n...\n# the end\n",
                "# {{ .Values.name }}\n# ...\na: 1 # ...",
                "a: '{{ item }}'\nb: \"... {{ inputs.parameters.x }}\"",
                "a: echo {{workflow.name}} ...",
                "a: |\n  {{ .Values.x }}\n  ...\n\n  ...\nb: 1",
                "- |\n ...\n- >-\n  {{ if }}\n",
                "- key: |\n    ...\n  other: 1",
                "a: don't\nb: x...y",
                "{\"a\": \"{{ x }}\"}",
                "doc: \"from {{ .Values.gpu }}\"\nalert: 'of {{ .Release.Name }}'",
                "a: 1 # was {{ .Release.Name }}",
                "a: \"first\n  ...\n  {{ range .Items }}\n  last\"\nb: 'x: {{ .Values.x }}\n  # {{ y }}'",
                "a: 'it''s {{ .Values.x }}\n  {{ if }}'",
                "a: |\n  it's\n  {{ .Values.x }}\nb: >-\n  {{ if }}",
                "kind: A\n...\n%YAML 1.2\n---\nkind: B\n...\n\n...\n",
                "kind: A\n...\napiVersion: v1\nkind: B\n",
                "apiVersion: argoproj.io/v1alpha1\nimage: a:{{inputs.parameters.tag}}\nname: run-{{item}}"
            })
    void acceptsBracesAndDotsInText(String text) {
        assertThat(message(text)).isEmpty();
    }

    @Test
    void replacesTheFindingsOfTheFile() {
        assertThat(Manifests.read("f.yaml", "kind: {{ .Kind }}\n---\nkind: Pod\n---\na: [\n")
                        .findings())
                .singleElement()
                .extracting(ManifestFinding::message)
                .isEqualTo("looks like a Go template");
    }

    private static final String CLAIM = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {labels: {a: b}}
            spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c}}]}}
            """;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "labels: {a: b}}|name: '${NAME}'}|${NAME}",
                "labels: {a: b}}|name: claim-$USER_NAME}|$USER_NAME",
                "labels: {a: b}}|name: '${NAME:-gpu}'}|${NAME:-gpu}",
                "labels: {a: b}}|name: ${NAME}}|${NAME}",
                "labels: {a: b}}|name: $(CLAIM)}|$(CLAIM)",
                "labels: {a: b}}|name: c-__INDEX__}|__INDEX__",
                "{deviceClassName: c}|{deviceClassName: c, count: '${N}'}|${N}",
                "{deviceClassName: c}|{deviceClassName: c, count: \"__N__\"}|__N__"
            })
    void recognisesVariablesThatCauseErrors(String before, String after, String variable) {
        assertThat(Manifests.read("f.yaml", CLAIM.replace(before, after) + "---\nkind: Pod\n")
                        .findings())
                .singleElement()
                .asString()
                .contains("looks like a template with variables: " + variable);
    }

    @Test
    void acceptsVariablesOfTheShellOfContainer() {
        String pod = """
                apiVersion: v1
                kind: Pod
                metadata: {name: p, annotations: {a: "${B}"}}
                spec:
                  containers:
                  - name: c
                    image: i
                    args: ["${HOME}", $(NODE), "echo $PATH __init__"]
                """;
        assertThat(Manifests.read("f.yaml", pod).findings()).isEmpty();
        assertThat(Manifests.read("f.yaml", pod.replace("name: p,", "name: P,")).findings())
                .singleElement()
                .asString()
                .contains("Invalid value");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "args: [$(NODE), {]",
                "args: [$NODE, {]",
                "args: [__NODE__, {]",
                "a: $(NODE)\n   b: 1",
            })
    void keepsSyntaxErrorBesideVariable(String line) {
        assertThat(Manifests.read("f.yaml", "apiVersion: v1\nkind: Pod\n" + line + "\n")
                        .findings())
                .isNotEmpty()
                .noneMatch(UnfinishedText::isAboutVariables);
    }

    @ParameterizedTest
    @ValueSource(strings = {"args: [${NODE}, {]", "args: {a: ${NODE}"})
    void recognisesVariableThatIsNoYaml(String lines) {
        assertThat(Manifests.read("f.yaml", "apiVersion: v1\nkind: Pod\n" + lines + "\n")
                        .findings())
                .singleElement()
                .matches(UnfinishedText::isAboutVariables);
    }

    private static ManifestFinding error(String field, String value) {
        return new ManifestFinding(
                ManifestFinding.Severity.ERROR, SourceLocation.of("f.yaml"), field, value, "Invalid value", "");
    }

    @ParameterizedTest
    @ValueSource(strings = {"device.driver == (\"$(X)\"", "device.driver == __X__ &&", "size(${X}"})
    void keepsErrorOfExpressionWithVariable(String expression) {
        ManifestFinding error = error("spec.selectors[0].cel.expression", expression);
        assertThat(UnfinishedText.variables("f.yaml", "", List.of(error))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "metadata.name|My_claim-__X__|false",
                "metadata.name|claim-$(X)|true",
                "metadata.name|__X__|true",
                "spec.count|${X}Gi|true"
            })
    void comparesRestOfValueWithField(String field, String value, boolean isVariable) {
        ManifestFinding error = error(field, value);
        assertThat(UnfinishedText.variables("f.yaml", "", List.of(error)).isPresent())
                .isEqualTo(isVariable);
    }

    @ParameterizedTest
    @CsvSource({"${X},true", "$X_Y,true", "$(X),false", "__X__,false"})
    void namesEnvsubstForVariablesOfShell(String variable, boolean isOfShell) {
        ManifestFinding error = error("metadata.name", variable);
        assertThat(UnfinishedText.variables("f.yaml", "", List.of(error)))
                .hasValueSatisfying(
                        found -> assertThat(found.remedy().contains("envsubst")).isEqualTo(isOfShell));
    }
}
