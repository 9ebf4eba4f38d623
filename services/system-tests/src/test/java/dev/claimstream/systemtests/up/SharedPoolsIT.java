package dev.claimstream.systemtests.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests racks whose nodes share a pool each, with several cells. */
@Timeout(180)
@Tag("part-2")
final class SharedPoolsIT {
    private static final int RACKS = 4;
    private static final int DEVICES = 3 * RACKS;
    private static final int PENDING = 2;
    private static final String READY = "Ctrl-C ends it";

    @TempDir
    private Path folder = Path.of("");

    private static String rack(int rack) {
        String nodes = IntStream.range(0, 3)
                .mapToObj(node -> """
                        apiVersion: v1
                        kind: Node
                        metadata: {name: node-%1$d-%2$d, labels: {rack: "%1$d"}}
                        status: {conditions: [{type: Ready, status: "True"}]}
                        ---
                        """.formatted(rack, node))
                .collect(Collectors.joining());
        return nodes + """
                apiVersion: resource.k8s.io/v1
                kind: ResourceSlice
                metadata: {name: rack-%1$d}
                spec:
                  driver: fabric.example.com
                  pool: {name: rack-%1$d, generation: 1, resourceSliceCount: 1}
                  nodeSelector: {nodeSelectorTerms: [{matchExpressions: [{key: rack, operator: In, values: ["%1$d"]}]}]}
                  devices: [{name: d0}, {name: d1}, {name: d2}]
                ---
                """.formatted(rack);
    }

    private static String manifests() {
        String racks = IntStream.range(0, RACKS).mapToObj(SharedPoolsIT::rack).collect(Collectors.joining());
        String claims = IntStream.range(0, DEVICES + PENDING)
                .mapToObj(claim -> """
                        ---
                        apiVersion: resource.k8s.io/v1
                        kind: ResourceClaim
                        metadata: {name: c%1$02d, namespace: team}
                        spec: {devices: {requests: [{name: d, exactly: {deviceClassName: fabric}}]}}
                        ---
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: c%1$02d, namespace: team}
                        spec:
                          containers: [{name: main, image: app, resources: {claims: [{name: d}]}}]
                          resourceClaims: [{name: d, resourceClaimName: c%1$02d}]
                        """.formatted(claim))
                .collect(Collectors.joining());
        return racks + """
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: fabric}
                spec: {selectors: [{cel: {expression: device.driver == "fabric.example.com"}}]}
                """ + claims;
    }

    private String data() {
        return folder.resolve("data").toString();
    }

    /** Returns the claims in a state, each with its device. */
    private List<String> claims(String state) {
        return CommandResult.run("get", "claims", "-A", "--data", data())
                .out()
                .lines()
                .map(line -> line.split(" +", -1))
                .filter(row -> row.length > 5 && row[2].equals(state))
                .map(row -> row[1] + " " + row[5])
                .toList();
    }

    private void awaitAllAllocated() throws InterruptedException {
        Program.await(() -> claims("allocated,reserved").size() == DEVICES, "all devices are given");
        assertThat(claims("allocated,reserved"))
                .extracting(each -> each.split(" ", -1)[1])
                .doesNotHaveDuplicates()
                .allMatch(device -> device.startsWith("rack-"));
    }

    @Test
    void allocatesDevicesOnceAndReusesThemAfterRelease() throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("racks.yaml"), manifests());
        List<String> before;
        try (Program up = Program.start(folder, "up", "--cells", "3", "--data", data(), "-f", file.toString())) {
            up.awaitOut(READY);
            awaitAllAllocated();
            assertThat(claims("pending")).hasSize(PENDING);
            before = claims("allocated,reserved");
            up.kill();
            up.awaitEnd();
        }
        try (Program up = Program.start(folder, "up", "--data", data())) {
            up.awaitOut(READY);
            Program.await(() -> claims("allocated,reserved").equals(before), "the same as before");
            for (String each : before.subList(0, PENDING)) {
                String claim = each.split(" ", -1)[0];
                for (String kind : List.of("pod", "resourceclaim")) {
                    assertThat(CommandResult.run("delete", kind, claim, "-n", "team", "--data", data())
                                    .exitCode())
                            .isZero();
                }
            }
            Program.await(() -> claims("pending").isEmpty(), "no claim is pending");
            awaitAllAllocated();
            assertLogIsReplayedAlike();
        }
    }

    /** The log of three cells and their router, across a kill. */
    private void assertLogIsReplayedAlike() {
        CommandResult replay = CommandResult.run("replay", "--data", data());
        assertThat(replay.exitCode()).as(replay.out()).isZero();
        assertThat(replay.out())
                .contains(" inputs of 3 cells and the router replayed", "no divergence")
                .containsPattern("router: from input 0, [1-9][0-9]* events");
        CommandResult verify = CommandResult.run("audit", "verify", "--replay", "--data", data());
        assertThat(verify.exitCode()).as(verify.out()).isZero();
        assertThat(verify.out()).contains("no finding", "replay of router: from input 0, ");
    }
}
