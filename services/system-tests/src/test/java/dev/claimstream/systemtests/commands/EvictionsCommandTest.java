package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the evictions that {@code claimstream evictions} reports for tainted devices. */
class EvictionsCommandTest {
    private static final String CLUSTER = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceSlice
            metadata: {name: s}
            spec:
              driver: gpu.example.com
              nodeName: node-1
              pool: {name: node-1, generation: 1, resourceSliceCount: 1}
              devices:
              - name: gpu-0
                taints: [{key: example.com/hot, effect: NoExecute, timeAdded: "2026-01-01T00:00:00Z"}]
            ---
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaim
            metadata: {name: c, namespace: team}
            spec:
              devices:
                requests: [{name: gpu, exactly: {deviceClassName: gpu}}]
            status:
              allocation:
                devices:
                  results:
                  - request: gpu
                    driver: gpu.example.com
                    pool: node-1
                    device: gpu-0
                    tolerations: [{operator: Exists, effect: NoExecute, tolerationSeconds: 90}]
              reservedFor: [{resource: pods, name: p, uid: 0a0a0a0a-0000-0000-0000-000000000001}]
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: p, namespace: team, uid: 0a0a0a0a-0000-0000-0000-000000000001}
            spec:
              nodeName: node-1
              resourceClaims: [{name: gpu, resourceClaimName: c}]
              containers: [{name: main, image: i, resources: {claims: [{name: gpu}]}}]
            """;

    @TempDir
    private Path folder = Path.of("");

    private String cluster = "";

    @BeforeEach
    void writeCluster() throws IOException {
        cluster = Files.writeString(folder.resolve("cluster.yaml"), CLUSTER).toString();
    }

    @Test
    void listsClaimsAndPodsWithEvictionTime() {
        CommandResult result = CommandResult.run("evictions", "-f", cluster, "--at", "2026-01-01T00:01:00Z");
        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines())
                .satisfiesExactly(
                        line -> assertThat(line).matches("KIND +NAME +EVICTED +DUE +BECAUSE"),
                        line -> assertThat(line)
                                .matches("claim +team/c +2026-01-01T00:01:30Z +in 30s +example.com/hot:NoExecute of"
                                        + " gpu.example.com/node-1/gpu-0 \\(ResourceSlice s\\)"),
                        line -> assertThat(line).startsWith("pod").contains("team/p", "in 30s"));
        assertThat(CommandResult.run("evictions", "-f", cluster, "--at", "2026-01-01T00:01:30Z")
                        .out())
                .contains(" now ")
                .doesNotContain("in 30s");
    }

    @Test
    void printsOneJsonLinePerClaimAndPod() {
        CommandResult result =
                CommandResult.run("evictions", "-f", cluster, "-o", "json", "--at", "2026-01-01T00:01:00Z");
        assertThat(result.out().lines()).containsExactly(json("ResourceClaim", "c"), json("Pod", "p"));
    }

    @Test
    void previewsTaintsOfEffectNone() throws IOException {
        Path none = Files.writeString(
                folder.resolve("none.yaml"),
                CLUSTER.replace("{key: example.com/hot, effect: NoExecute,", "{key: example.com/hot, effect: None,")
                        + """
                        ---
                        apiVersion: resource.k8s.io/v1beta2
                        kind: DeviceTaintRule
                        metadata: {name: trial}
                        spec:
                          deviceSelector: {driver: gpu.example.com}
                          taint: {key: example.com/trial, effect: None, timeAdded: "2025-01-01T00:00:00Z"}
                        """);
        CommandResult result = CommandResult.run("evictions", "-f", none.toString(), "--at", "2026-01-01T00:01:00Z");
        assertThat(result.out().lines().skip(1))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .matches(
                                        "claim +team/c +2026-01-01T00:01:30Z +in 30s if NoExecute +"
                                                + "example.com/hot:None of gpu.example.com/node-1/gpu-0 \\(ResourceSlice s\\); "
                                                + "example.com/trial:None of gpu.example.com/node-1/gpu-0 \\(DeviceTaintRule trial\\)"),
                        line -> assertThat(line).startsWith("pod").contains("team/p", "in 30s if NoExecute"));
        assertThat(CommandResult.run("evictions", "-f", none.toString(), "-o", "json")
                        .out()
                        .lines())
                .hasSize(2)
                .allMatch(line -> line.endsWith("\"ifNoExecute\":true}"));
    }

    private static String json(String kind, String name) {
        return "{\"kind\":\"%s\",\"namespace\":\"team\",\"name\":\"%s\",\"when\":\"2026-01-01T00:01:30Z\",\"due\":false,"
                        .formatted(kind, name)
                + "\"causes\":[{\"driver\":\"gpu.example.com\",\"pool\":\"node-1\",\"device\":\"gpu-0\","
                + "\"taint\":\"example.com/hot:NoExecute\",\"from\":\"ResourceSlice s\",\"when\":\"2026-01-01T00:01:30Z\"}]}";
    }

    @Test
    void reportsThatNoClaimIsEvicted() {
        assertThat(CommandResult.run("evictions", "-f", cluster, "--features", "DRADeviceTaints=false"))
                .isEqualTo(new CommandResult(0, "no claim is evicted\n", ""));
    }

    @Test
    void printsNoResultWithUnreadableInput() {
        String missing = folder.resolve("missing.yaml").toString();
        for (String[] files : new String[][] {{missing}, {cluster, missing}}) {
            CommandResult result = CommandResult.run(
                    Stream.concat(Stream.of("evictions"), Stream.of(files)).toArray(String[]::new));
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.out()).isEmpty();
            assertThat(result.errLines())
                    .containsExactly(
                            missing + ": the path does not exist: name an existing file or directory",
                            "claimstream evictions: rejected objects may change the result: correct them first");
        }
    }

    @Test
    void rejectsInvalidArguments() {
        assertThat(CommandResult.run("evictions").err()).contains("missing PATH");
        assertThat(CommandResult.run("evictions", "-f", cluster, "--at", "noon").err())
                .contains("--at noon is not a time: write it as 2026-01-31T12:00:00Z");
    }
}
