package dev.claimstream.lint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.manifests.source.SourceText;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which texts are checked and corrected together. */
class ManifestSetsTest {
    private static final String SLICE = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: node-1}
            spec:
              driver: gpu.example.com
              nodeName: node-1
              pool: {name: node-1, generation: 1, resourceSliceCount: 1}
              devices: [{name: gpu-0, attributes: {model: {string: %s}}}]
            """;

    private static final String CLASS = """
            apiVersion: resource.k8s.io/v1
            kind: DeviceClass
            metadata: {name: large}
            spec: {selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].model == "%s"'}}]}
            """;

    private static final String CLAIM = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: a}
            spec: {devices: {requests: [{name: r, exactly: {deviceClassName: large}}]}}
            """;

    private static final String OTHER_CLASS = CLASS.replace("name: large", "name: other");

    private static List<List<String>> sets(SourceText... texts) {
        return ManifestSets.of(List.of(texts)).stream()
                .map(set -> set.stream().map(SourceText::name).sorted().toList())
                .toList();
    }

    private static List<String> found(SourceText... texts) {
        return new ManifestLinter(FeatureGates.defaults())
                .check(List.of(texts)).stream()
                        .map(each -> each.finding().location().file() + " "
                                + each.rule().id())
                        .toList();
    }

    private static SourceText slice(String file, String model) {
        return SourceText.of(file, SLICE.formatted(model));
    }

    @Test
    void separatesFolderWithSlicesAndClaimsFromOtherClaims() {
        String other = CLAIM.replace("name: a", "name: b").replace("large", "gpu.nvidia.com");
        assertThat(sets(
                        slice("examples/aws/slice.yaml", "a"),
                        SourceText.of("examples/aws/claim.yaml", CLAIM.replace("large", "efa.example.com")),
                        SourceText.of("examples/classes/class.yaml", CLASS.formatted("b")),
                        SourceText.of("examples/azure/claim.yaml", other)))
                .containsExactlyInAnyOrder(
                        List.of("examples/aws/claim.yaml", "examples/aws/slice.yaml", "examples/classes/class.yaml"),
                        List.of("examples/azure/claim.yaml", "examples/classes/class.yaml"));
    }

    @Test
    void keepsInventoryWithClaimsOfOtherFolders() {
        assertThat(sets(
                        slice("cluster/slice.yaml", "a"),
                        SourceText.of("cluster/class.yaml", CLASS.formatted("a")),
                        SourceText.of("team-a/claim.yaml", CLAIM),
                        SourceText.of("team-b/claim.yaml", CLAIM.replace("name: a", "name: b"))))
                .hasSize(1);
    }

    @Test
    void keepsFolderWithClaimsThatUseItsClass() {
        assertThat(sets(
                        slice("cluster/slice.yaml", "a"),
                        SourceText.of("cluster/class.yaml", CLASS.formatted("a") + "---\n" + CLAIM),
                        SourceText.of("team/claim.yaml", CLAIM.replace("name: a", "name: b"))))
                .hasSize(1);
    }

    @Test
    void dividesBelowDirectoryThatContradictsItself() {
        assertThat(sets(
                        SourceText.of("all/class.yaml", OTHER_CLASS.formatted("a")),
                        slice("all/demos/a/slice.yaml", "a"),
                        slice("all/demos/b/slice.yaml", "b"),
                        SourceText.of("policies/claim.yaml", CLAIM)))
                .containsExactlyInAnyOrder(
                        List.of("all/class.yaml", "all/demos/a/slice.yaml", "policies/claim.yaml"),
                        List.of("all/class.yaml", "all/demos/b/slice.yaml", "policies/claim.yaml"));
    }

    @Test
    void keepsOtherDirectoriesWithSlicesAsOneSet() {
        assertThat(sets(
                        slice("demos/a/slice.yaml", "a"),
                        slice("demos/b/slice.yaml", "b"),
                        SourceText.of("one/s.yaml", SLICE.formatted("a").replace("node-1", "node-2")),
                        SourceText.of("two/s.yaml", SLICE.formatted("a").replace("node-1", "node-3"))))
                .containsExactlyInAnyOrder(
                        List.of("demos/a/slice.yaml"),
                        List.of("demos/b/slice.yaml"),
                        List.of("one/s.yaml", "two/s.yaml"));
    }

    @Test
    void findsClassBesideTheClusters() {
        assertThat(found(
                        SourceText.of("all/base/class.yaml", CLASS.formatted("a")),
                        slice("all/one/slice.yaml", "a"),
                        SourceText.of("all/one/claim.yaml", CLAIM),
                        SourceText.of("all/one/class.yaml", OTHER_CLASS.formatted("a")),
                        slice("all/two/slice.yaml", "b")))
                .isEmpty();
    }

    @Test
    void reportsSharedSelectorThatNoClusterMatchesOnce() {
        assertThat(found(
                        SourceText.of("all/base/class.yaml", CLASS.formatted("c")),
                        slice("all/one/slice.yaml", "a"),
                        slice("all/two/slice.yaml", "b")))
                .containsExactly("all/base/class.yaml never-matches");
    }

    @Test
    void reportsSharedSelectorThatFailsInOneCluster() {
        assertThat(found(
                        SourceText.of("all/class.yaml", CLASS.formatted("a")),
                        slice("all/one/slice.yaml", "a"),
                        SourceText.of("all/two/slice.yaml", SLICE.formatted("b").replace("model:", "name:"))))
                .containsExactly("all/class.yaml selector-fails");
    }

    @Test
    void checksSharedTextThatAllClustersDefineInAnotherWayAlone() {
        assertThat(sets(
                        SourceText.of("class.yaml", CLASS.formatted("c")),
                        slice("one/slice.yaml", "a"),
                        SourceText.of("one/class.yaml", CLASS.formatted("a")),
                        slice("two/slice.yaml", "b"),
                        SourceText.of("two/class.yaml", CLASS.formatted("b"))))
                .containsExactlyInAnyOrder(
                        List.of("one/class.yaml", "one/slice.yaml"),
                        List.of("two/class.yaml", "two/slice.yaml"),
                        List.of("class.yaml"));
    }

    @Test
    void takesSlicesInOtherNotationAsEqual() {
        String other = """
                # the same slice
                kind: ResourceSlice
                apiVersion: resource.k8s.io/v1
                metadata:
                  name: "node-1"
                spec:
                  nodeName: node-1 # of the rack
                  driver: gpu.example.com
                  pool: {generation: 1, resourceSliceCount: 1, name: node-1}
                  devices: [{name: gpu-0, attributes: {model: {string: a}}}]
                """;
        assertThat(sets(slice("one/s.yaml", "a"), SourceText.of("two/s.yaml", other)))
                .hasSize(1);
        assertThat(sets(slice("one/s.yaml", "a"), SourceText.of("two/s.yaml", other.replace("gpu-0", "gpu-1"))))
                .hasSize(2);
    }

    @Test
    void takesSlicesWithoutNamesAsDifferent() {
        assertThat(sets(
                        SourceText.of(
                                "one/s.yaml", SLICE.formatted("a").replace("{name: node-1}", "{generateName: n}")),
                        SourceText.of(
                                "two/s.yaml", SLICE.formatted("b").replace("{name: node-1}", "{generateName: n}"))))
                .hasSize(1);
    }

    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: p}
            spec:
              containers: [{name: m, image: i}]
              resourceClaims: [{name: c, resourceClaimTemplateName: t}]
            """;

    private static String template(String className) {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: t}
                spec: {spec: {devices: {requests: [{name: r, exactly: {deviceClassName: %s}}]}}}
                """.formatted(className);
    }

    private static List<Boolean> changed(SourceText... texts) {
        return LintFixer.fixAll(List.of(texts)).stream()
                .map(LintFixer.FixResult::isChanged)
                .toList();
    }

    @Test
    void correctsPodWithTemplateOfItsCluster() {
        assertThat(changed(
                        slice("one/s.yaml", "a"),
                        SourceText.of("one/t.yaml", template("dra.net")),
                        slice("two/s.yaml", "b"),
                        SourceText.of("two/t.yaml", template("gpu")),
                        SourceText.of("two/pod.yaml", POD)))
                .containsExactly(false, false, false, false, true);
    }

    @Test
    void correctsPodWithTemplateOfItsFile() {
        assertThat(changed(
                        SourceText.of("a.yaml", template("dra.net")),
                        SourceText.of("b.yaml", template("gpu") + "---\n" + POD)))
                .containsExactly(false, true);
    }

    @Test
    void correctsSharedPodWithoutTemplatesOfOneCluster() {
        assertThat(changed(
                        SourceText.of("base/pod.yaml", POD),
                        slice("one/s.yaml", "a"),
                        SourceText.of("one/t.yaml", template("dra.net")),
                        slice("two/s.yaml", "b"),
                        SourceText.of("two/t.yaml", template("gpu"))))
                .containsExactly(true, false, false, false, false);
    }
}
