package dev.claimstream.systemtests.up;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.cli.console.ConsoleClient;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.PublicTopicProducer;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.FastPoll;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import dev.claimstream.wire.PublicRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that {@code up} allocates a claim of its own cluster only while a pod uses the claim. It allocates a claim of
 * another producer at once.
 */
@Tag("part-0")
@Timeout(180)
class ConsumersIT {
    private static final String READY = "Ctrl-C ends it";
    private static final String PRODUCER = "producer";

    @TempDir
    private Path folder = Path.of("");

    private Path data() {
        return folder.resolve("data");
    }

    @ParameterizedTest(name = "{0} cells")
    @ValueSource(ints = {1, 2})
    void allocatesClaimWhileConsumerPodExists(int cells) throws IOException, InterruptedException {
        String hoard = IntStream.range(0, 6)
                .mapToObj(number -> ClusterManifests.claim("hoard-" + number, 1))
                .collect(Collectors.joining());
        Path cluster = Files.writeString(
                folder.resolve("cluster.yaml"),
                ClusterManifests.ofDevices(2) + ClusterManifests.claim("named", 1) + hoard);
        try (Program up = up("--cells", Integer.toString(cells), "-f", cluster.toString())) {
            up.awaitOut(READY);
            awaitReason("named", "NoConsumer");
            awaitReason("hoard-5", "NoConsumer");
            assertThat(run("explain", "claim", "named").out())
                    .contains("no pod uses claim default/named: create a pod that names it in spec.resourceClaims");
            assertThat(freeDevices()).isEqualTo(2);
            apply(ClusterManifests.pod("p", "resourceClaimName: named"));
            awaitState("named", "allocated,reserved");
            assertThat(freeDevices()).isEqualTo(1);

            assertThat(run("delete", "pod", "p").exitCode()).isZero();
            awaitReason("named", "NoConsumer");
            publish(claim("theirs"));
            awaitState("theirs", "allocated");
            apply(ClusterManifests.usedClaim("later", 1));
            awaitState("later", "allocated,reserved");
            assertThat(states()).filteredOn(each -> each.contains(" allocated")).hasSize(2);
            up.kill();
            up.awaitEnd();
        }
        try (Program up = up()) {
            up.awaitOut(READY);
            awaitReason("named", "NoConsumer");
            assertThat(states()).contains("theirs allocated", "later allocated,reserved");
            assertThat(freeDevices()).isZero();
            apply(ClusterManifests.pod("q", "resourceClaimName: named"));
            awaitReason("named", "DevicesInUse");
            up.kill();
            up.awaitEnd();
        }
        try (Program up = up("--rebuild")) {
            up.awaitOut(READY);
            awaitReason("named", "DevicesInUse");
            awaitReason("hoard-0", "NoConsumer");
            assertThat(states()).contains("theirs allocated", "later allocated,reserved");
            assertThat(run("delete", "pod", "later").exitCode()).isZero();
            awaitState("named", "allocated,reserved");
        }
    }

    private Program up(String... more) throws IOException {
        return Program.start(
                folder,
                Stream.concat(Stream.of("up", "--data", data().toString()), Stream.of(more))
                        .toArray(String[]::new));
    }

    private CommandResult run(String... command) {
        return CommandResult.run(Stream.concat(Stream.of(command), Stream.of("--data", data().toString()))
                .toArray(String[]::new));
    }

    private void apply(String manifests) throws IOException {
        Path file = Files.writeString(folder.resolve("more.yaml"), manifests);
        CommandResult applied = run("apply", "-f", file.toString());
        assertThat(applied.exitCode()).as(applied.err()).isZero();
    }

    private static ResourceClaim claim(String name) {
        return (ResourceClaim) Manifests.read(
                        "test",
                        ClusterManifests.claim(name, 1)
                                .replace("name: " + name, "name: %s, uid: %s-1".formatted(name, name)))
                .objects()
                .getFirst();
    }

    private void publish(ResourceClaim claim) {
        Endpoint endpoint = DataFolder.publishedEndpoint(data()).orElseThrow();
        try (var topics = new PublicTopicProducer(
                KafkaConnection.plain(endpoint.bootstrap()),
                new RestRegistry(RestRegistry.RegistrySettings.of(endpoint.registry())),
                PRODUCER)) {
            if (PublicRecord.upsert(new Stamp(PRODUCER, 1, 1), claim)
                    instanceof PublicRecord.ClaimsTopicRecord(var key, var value)) {
                topics.send(key, value);
            }
            topics.flush();
        }
    }

    private List<String> states() {
        return ConsoleClient.ofFolder(data()).items("/api/v1/claims").stream()
                .map(each -> each.text("name") + " " + each.text("state"))
                .toList();
    }

    private void awaitState(String claim, String state) {
        FastPoll.until(claim + " " + state, () -> states().contains(claim + " " + state));
    }

    private void awaitReason(String claim, String reason) throws InterruptedException {
        Program.await(() -> run("get", "claim", claim).out().contains(reason), "%s for %s".formatted(claim, reason));
    }

    private long freeDevices() {
        return run("get", "devices", "--free", "-o", "name").out().lines().count();
    }
}
