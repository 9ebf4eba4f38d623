package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests files without Kubernetes objects, and objects that occur twice. */
class OtherFilesTest {
    private static final String NODE = "{apiVersion: v1, kind: Node, metadata: {name: a}}\n";

    private static ManifestReadResult read(String... namesAndTexts) {
        SequencedMap<String, String> texts = new LinkedHashMap<>();
        for (int i = 0; i < namesAndTexts.length; i += 2) {
            texts.put(namesAndTexts[i], namesAndTexts[i + 1]);
        }
        return Manifests.read(texts, ReadOptions.DEFAULT);
    }

    private static List<String> lines(ManifestReadResult reading) {
        return reading.findings().stream().map(ManifestFinding::toString).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "values.yaml|spec: {a: 1}",
                "my-values.prod.yaml|metadata: {a: 1}",
                "Chart.yaml|{apiVersion: v2, name: gpus, version: 1.0.0}",
                "kustomization.yaml|resources: [a.yaml]",
                "k.yaml|{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization, resources: [a.yaml]}",
                "patch.yaml|- {op: remove, path: /spec}",
                "mig.yaml|{version: v1, configs: {all: 7}}"
            })
    void passesOverFileWithoutObjects(String name, String text) {
        ManifestReadResult reading = read("node.yaml", NODE, name, text);
        assertThat(lines(reading)).singleElement().asString().startsWith(name + ": warning: no Kubernetes objects");
        assertThat(reading.hasErrors()).isFalse();
        assertThat(reading.manifests()).hasSize(1);
        assertThat(read(name, text).hasErrors()).as("alone").isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"{metadata: {name: a}}", "{apiVersion: v1}", "{kind: Pod}", "{Spec: {}}", "text", "{devices: []}"
            })
    void reportsObjectWithoutKind(String text) {
        assertThat(read("node.yaml", NODE, "f.yaml", text).hasErrors()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{kind: Node, apiVersion: v1, metadata: {name: a}}",
                "apiVersion: v1\nkind: Node\nmetadata:\n  name: 'a' # the same\n  labels: null\n"
            })
    void readsEqualObjectsAsOne(String second) {
        ManifestReadResult reading = read("a.yaml", NODE, "b.yaml", second);
        assertThat(lines(reading)).isEmpty();
        assertThat(reading.manifests()).hasSize(1);
        assertThat(reading.rejected()).isZero();
    }

    @Test
    void ignoresWhetherTheDefaultNamespaceIsWritten() {
        String claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a%s}, spec: {}}";
        assertThat(lines(read("a.yaml", claim.formatted(""), "b.yaml", claim.formatted(", namespace: default"))))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "containers: [{name: c, resources: {limits: {cpu: %s}}}]|1|'\"1\"'|true",
                "containers: [{name: c, resources: {limits: {cpu: %s}}}]|1|1000m|true",
                "containers: [{name: c, resources: {requests: {memory: %s}}}]|1Gi|1024Mi|true",
                "containers: [{name: c, resources: {requests: {memory: %s}}}]|1Gi|1G|false",
                "containers: [{name: c, resources: {limits: {cpu: 1}, claims: [{name: %s}]}}]|1k|'\"1000\"'|false",
                "containers: [{name: c, env: [{name: A, value: '%s'}]}]|1k|1000|false"
            })
    void comparesQuantitiesByAmount(String spec, String first, String second, boolean isEqual) {
        String pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {%s}}";
        List<String> found = lines(
                read("a.yaml", pod.formatted(spec.formatted(first)), "b.yaml", pod.formatted(spec.formatted(second))));
        assertThat(found.stream().noneMatch(line -> line.contains("there is a Pod of this name")))
                .as("%s", found)
                .isEqualTo(isEqual);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "capacity: {requests: {memory: %s}}|1Gi|1024Mi|true",
                "selectors: [{cel: {expression: '%s == device.driver'}}]|1Gi|1024Mi|false"
            })
    void comparesAmountsOfClaims(String field, String first, String second, boolean isEqual) {
        String claim = "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a},"
                + " spec: {devices: {requests: [{name: r, exactly: {deviceClassName: c, %s}}]}}}";
        String one = claim.formatted(field.formatted(first));
        String two = claim.formatted(field.formatted(second));
        assertThat(lines(read("a.yaml", one, "b.yaml", two)).isEmpty()).isEqualTo(isEqual);
    }

    @Test
    void comparesParametersOfDriversAsWritten() {
        String claim =
                "{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: a}, spec: {devices: {config:"
                        + " [{opaque: {driver: d, parameters: {limits: {memory: %s}}}}]}}}";
        assertThat(lines(read("a.yaml", claim.formatted("1Gi"), "b.yaml", claim.formatted("1024Mi"))))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"name: a, labels: {b: c}", "name: a, annotations: {b: c}", "name: a, labels: {b: \"\"}"})
    void reportsDifferentObjectsOfOneName(String metadata) {
        String other = NODE.replace("name: a", metadata);
        assertThat(lines(read("a.yaml", NODE, "b.yaml", other)))
                .singleElement()
                .asString()
                .contains("there is a Node of this name at a.yaml:1 already");
    }

    @Test
    void comparesFieldsThatAllocationDoesNotRead() {
        String pod = "{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, image: %s}]}}";
        assertThat(lines(read("a.yaml", pod.formatted("x"), "b.yaml", pod.formatted("y"))))
                .hasSize(1);
        assertThat(lines(read("a.yaml", pod.formatted("x"), "b.yaml", pod.formatted("x"))))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "deviceClass|deviceClassName",
                "device_class_name|deviceClassName",
                "deviceClasName|deviceClassName",
                "selector|selectors",
                "toleration|tolerations"
            })
    void suggestsClosestField(String written, String suggestion) {
        assertThat(ClosestName.ofField(written, List.of("deviceClassName", "selectors", "tolerations", "count")))
                .contains(suggestion);
    }

    @Test
    void prefersFieldThatContainsTheWrittenName() {
        assertThat(ClosestName.ofField("priorityClass", List.of("priority", "priorityClassName")))
                .contains("priorityClassName");
        assertThat(ClosestName.ofField("priorityOfPod", List.of("priority", "nodeName")))
                .contains("priority");
    }

    @Test
    void suggestsNothingForOtherWords() {
        assertThat(ClosestName.ofField("colour", List.of("deviceClassName", "selectors", "count")))
                .isEmpty();
    }
}
