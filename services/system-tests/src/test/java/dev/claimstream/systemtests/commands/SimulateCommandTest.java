package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code simulate} and {@code explain --devices} on manifests, without a broker. */
class SimulateCommandTest {
    @TempDir
    private Path folder = Path.of("");

    private String claim(int count) throws IOException {
        Path file = folder.resolve("claim.yaml");
        Files.writeString(file, """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: new, namespace: team}
                spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com, count: %d}}]}}
                """.formatted(count));
        return file.toString();
    }

    private static String cluster() {
        return CommandResult.example("template-per-pod");
    }

    @Test
    void placesClaimsInClusterOfManifests() throws IOException {
        CommandResult fits = CommandResult.run("simulate", "--cluster", cluster(), "-f", claim(1));
        assertThat(fits.exitCode()).as(fits.err()).isZero();
        assertThat(fits.out()).contains("requested: 1 allocated, 0 pending", "claim team/new: on node-");
        CommandResult pending = CommandResult.run("simulate", "--cluster", cluster(), "-f", claim(3), "--shapes");
        assertThat(pending.exitCode()).isEqualTo(3);
        assertThat(pending.out())
                .contains("claim team/new: pending, InsufficientDevicesPerNode", "with one more node:");
        CommandResult added = CommandResult.run(
                "simulate", "--cluster", cluster(), "-f", claim(2), "--add-nodes", "inference-l4=1", "-o", "json");
        assertThat(added.exitCode()).as(added.err()).isZero();
        assertThat(added.out()).contains("\"node\": \"node-1-added-1\"");
    }

    @Test
    void movesPodsOfDrainedNode() {
        CommandResult drain = CommandResult.run("simulate", "--cluster", cluster(), "--drain", "node-1");
        assertThat(drain.out()).as(drain.err()).contains("of drained nodes: ");
        CommandResult unknown = CommandResult.run("simulate", "--cluster", cluster(), "--drain", "node-9");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.err()).contains("claimstream: there is no node node-9");
    }

    @Test
    void namesSimulatorThatDoesNotRespond() throws IOException {
        String service = "http://127.0.0.1:" + FreePorts.of(1).getFirst();
        CommandResult silent = CommandResult.run("simulate", "--simulator", service);
        assertThat(silent.exitCode()).isEqualTo(1);
        assertThat(silent.err()).contains(service + " does not respond", "name another address with --simulator");
        CommandResult both = CommandResult.run("simulate", "--simulator", service, "--cluster", cluster());
        assertThat(both.err()).contains("--simulator excludes --cluster, --data, --at, --archive and --bootstrap");
    }

    @Test
    void explainsDevicesOfManifests() throws IOException {
        CommandResult devices =
                CommandResult.run("explain", "claim", "team/new", "--devices", "-f", cluster(), "-f", claim(3));
        assertThat(devices.exitCode()).as(devices.err()).isEqualTo(3);
        assertThat(devices.out())
                .contains(
                        "claim team/new: pending, InsufficientDevicesPerNode",
                        "what would help:",
                        "more gpu.nvidia.com on node-");
        CommandResult missing = CommandResult.run("explain", "claim", "team/none", "--devices", "-f", cluster());
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err()).contains("there is no claim team/none that Claimstream allocates in the files");
    }

    @Test
    void rejectsContradictingOptions() {
        assertThat(CommandResult.run("simulate", "--cluster", cluster(), "--at", "2026-03-01T12:00:00Z")
                        .err())
                .contains("--cluster excludes --data, --at, --archive and --bootstrap");
        assertThat(CommandResult.run("explain", "claim", "a/b", "-f", cluster(), "--at", "2026-03-01T12:00:00Z")
                        .err())
                .contains("manifests have no log");
        assertThat(CommandResult.run("simulate", "--add-nodes", "a=0").err()).contains("use 1 or more");
        assertThat(CommandResult.run("simulate", "--policy", "random").err()).contains("use best-fit or first-fit");
        assertThat(CommandResult.run("queue", "-o", "yaml").err()).contains("use table or json");
        assertThat(CommandResult.run("simulate", "--archive", folder.toString()).exitCode())
                .isEqualTo(1);
    }
}
