package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that a cluster recovers while {@code up} is down, frozen, without its state, or without the right to write.
 * Each test has its own devices ({@link Yard}) on the nodes of one cluster.
 */
@Timeout(180)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("part-2")
class OutagesIT {
    private static final List<String> YARDS = List.of("frozen", "away", "rebuilt", "between");
    private static final Duration AWAY = Duration.ofSeconds(10);
    private static final String CLEARED = "{\"allocation\":null,\"reservedFor\":null}";
    private static final String BINDING = "claimstream-binding";

    @TempDir
    private static Path folder = Path.of("");

    private Kubernetes cluster;
    private ApiCluster api;
    private Path data;
    private Program up;

    @SuppressWarnings("NullAway.Init") // start sets the fields before the first test
    OutagesIT() {}

    @BeforeAll
    void start() throws IOException {
        cluster = Kubernetes.start(ControlPlaneOptions.DEFAULT, 2, 0);
        api = ApiCluster.open(
                ApiAccess.of(cluster.plane().kubeconfig(ControlPlaneUser.ADMIN), Optional.empty()), ApiScope.ALL);
        String all = YARDS.stream().map(Yard::deviceClass).collect(Collectors.joining(","));
        cluster.configure("{\"drivers\":\"%1$s\",\"classes\":\"%1$s\"}".formatted(all));
        cluster.apply(Yard.AS_THE_WRITER);
        data = folder.resolve("data");
        up = Kubernetes.up(cluster, folder, data);
    }

    /** A test that fails while {@code up} is down does not affect the others. */
    @BeforeEach
    void keepUp() throws IOException {
        if (!up.isAlive()) {
            up = Kubernetes.up(cluster, folder, data);
        }
    }

    @AfterAll
    void stop() {
        up.close();
        api.close();
        cluster.close();
    }

    private Yard yard(String name) {
        return Yard.open(cluster, api, name);
    }

    private Ran on(String... command) {
        return Ran.of(Stream.concat(Arrays.stream(command), Stream.of("--data", data.toString()))
                .toArray(String[]::new));
    }

    private static String[] names(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(each -> prefix + each).toArray(String[]::new);
    }

    private static boolean isOn(String stand) {
        return stand.startsWith("on ");
    }

    // ---- frozen

    private static ResourceClaim claim(Yard yard, String name) {
        return yard.claims().stream()
                .filter(each -> each.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static String device(ResourceClaim claim) {
        return claim.allocation().orElseThrow().results().getFirst().device().device();
    }

    private static Pod pod(Yard yard, String name) {
        return yard.pods().stream()
                .filter(each -> each.meta().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /**
     * One claim moves to another device. Another claim is recreated under its name and gets the device that the first
     * one had. The broken watch does not report this. The next list contains only the final state, and the new holder
     * of a device before the old one.
     */
    @Test
    void aWatchThatBreaksHidesNoReleaseAndNoOtherAllocation() throws IOException, InterruptedException {
        Yard yard = yard("frozen");
        yard.publish("node-0000", "gpu-0", "gpu-1", "gpu-2");
        yard.claim("moved");
        yard.claim("again");
        yard.sharing("moved", "a");
        yard.sharing("again", "b");
        yard.await(2, OutagesIT::isOn);
        String ofA = device(claim(yard, "moved"));
        String ofB = device(claim(yard, "again"));
        String free = Stream.of(names("gpu-", 3))
                .filter(each -> !each.equals(ofA) && !each.equals(ofB))
                .findFirst()
                .orElseThrow();
        String seen = yard.version();
        up.signal("STOP");
        try {
            cluster.plane().restart(ControlPlaneComponent.API_SERVER); // the watch ends
            yard.delete("b");
            yard.kubectl("delete", "resourceclaim", "again");
            yard.claim("again");
            yard.sharing("again", "c");
            Pod user = pod(yard, "a");
            cluster.plane().stop(ControlPlaneComponent.CONTROLLERS); // they would interfere with the next writes
            yard.status("moved", CLEARED);
            yard.allocate("moved", "node-0000", free, user);
            yard.allocate("again", "node-0000", ofA, pod(yard, "c"));
            cluster.plane().resume(ControlPlaneComponent.CONTROLLERS);
            cluster.plane().restart(ControlPlaneComponent.API_SERVER); // no watch resumes from before this
            assertThat(yard.watchFrom(seen)).contains("too old resource version");
        } finally {
            up.signal("CONT");
        }
        String there = "on node-0000 with node-0000/";
        yard.await(Map.of("a", there + free, "c", there + ofA));
        yard.templated("d");
        yard.await(Map.of("a", there + free, "c", there + ofA, "d", there + ofB));
        yard.templated("e");
        yard.awaitEvent("DevicesInUse", "pod/e");
        assertThat(yard.devices()).containsExactly("node-0000/gpu-0", "node-0000/gpu-1", "node-0000/gpu-2");
        assertThat(up.err()).doesNotContain("has given out this device too");
    }

    // ---- down

    @Test
    void whatComesEndsAndGoesWhileItDoesNotRunIsMadeUpFor() throws IOException, InterruptedException {
        Yard yard = yard("away");
        yard.publish("node-0000", names("gpu-", 7));
        yard.templated("stays-0", "stays-1", "goes-0", "goes-1", "goes-2");
        yard.claim("common");
        yard.sharing("common", "shares-0", "shares-1");
        yard.await(7, OutagesIT::isOn);
        yard.apply(running("ends", 10));
        yard.await(8, OutagesIT::isOn);
        yard.templated("waits");
        yard.awaitEvent("DevicesInUse", "pod/waits");
        yard.apply(eight());
        yard.sharing("eight", "patient");
        yard.awaitEvent("TooFewOnOneNode", "pod/patient");
        yard.sharing("of-nobody", "hopeful");
        yard.awaitEvent("ClaimMissing", "pod/hopeful");
        Map<String, String> before = yard.stands();
        up.kill();
        long end = System.nanoTime() + AWAY.toNanos();
        up.awaitEnd();

        yard.delete("goes-0", "goes-1", "goes-2", "waits", "shares-0", "shares-1");
        yard.kubectl("delete", "resourceclaim", "common");
        yard.claim("common");
        yard.sharing("common", "shares-2", "shares-3");
        yard.templated(names("new-", 4));
        for (int i = 0; System.nanoTime() < end; i++) {
            yard.templated("brief-" + i);
            yard.delete("brief-" + i);
        }
        yard.kubectl("delete", "events", "--all"); // as they expire
        Slowly.await(() -> yard.devices().size() == 2, () -> "only those that stay have devices: " + yard.stands());
        up = Kubernetes.up(cluster, folder, data);

        yard.await(8, OutagesIT::isOn); // two that stayed, two that share a claim, and the four new ones
        assertThat(yard.devices()).hasSize(7).doesNotHaveDuplicates();
        assertThat(yard.stands())
                .containsEntry("stays-0", before.get("stays-0"))
                .containsEntry("stays-1", before.get("stays-1"))
                .containsEntry("ends", "ended")
                .doesNotContainKeys("goes-0", "waits", "brief-0");
        Slowly.await(
                () -> yard.kubectl("describe", "pod", "patient")
                        .lines()
                        .anyMatch(line -> line.contains("TooFewOnOneNode") && line.contains("claim eight: ")),
                () -> "why it waits: " + yard.kubectl("describe", "pod", "patient"));
        yard.kubectl("delete", "pods", "--all", "--wait=false");
        yard.kubectl("delete", "resourceclaim", "common", "eight");
        Slowly.await(() -> yard.claims().isEmpty(), () -> "no claims, but " + yard.claims());
        Slowly.await(() -> free("away") == 7, "all devices are free");
    }

    /** Returns a claim for more devices than there are. */
    private static String eight() {
        return """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: eight}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: %s, count: 8}}]}}
                """.formatted(Yard.deviceClass("away"));
    }

    /** Returns a pod that ends this many seconds after its start. */
    private static String running(String name, int seconds) {
        return Yard.pod(name, Yard.TEMPLATED, "  restartPolicy: Never\n")
                .replace(
                        "{name: %s}".formatted(name),
                        "{name: %s, annotations: {testbed.claimstream.dev/runs-seconds: \"%d\"}}"
                                .formatted(name, seconds));
    }

    private long free(String yard) {
        return on("get", "devices", "--free", "-o", "name")
                .out()
                .lines()
                .filter(each -> each.contains(Yard.deviceClass(yard)))
                .count();
    }

    // ---- without state

    @Test
    void aStateThatIsLostIsRebuiltBesideACluster() throws IOException, InterruptedException, ExecutionException {
        Yard yard = yard("rebuilt");
        yard.publish("node-0000", names("gpu-", 3));
        yard.templated("a", "b", "c");
        yard.await(3, OutagesIT::isOn);
        yard.templated("waits");
        yard.awaitEvent("DevicesInUse", "pod/waits");
        List<ResourceClaim> before = held(yard, "b-", "c-");
        up.interrupt();
        assertThat(up.awaitEnd()).isZero();
        Changelogs.lose(data, 1);
        yard.delete("a");
        yard.templated("late");

        Ran refused = Program.run(folder, cluster.command(data));
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.errLines()).singleElement().asString().endsWith("start it once with --rebuild");
        up = Kubernetes.up(cluster, folder, data, "--rebuild");
        yard.await(3, OutagesIT::isOn);
        assertThat(held(yard, "b-", "c-")).isEqualTo(before);
        assertThat(yard.stands()).containsEntry("late", "gated");
        assertThat(yard.devices()).hasSize(3).doesNotHaveDuplicates();
    }

    private static List<ResourceClaim> held(Yard yard, String... prefixes) {
        return yard.claims().stream()
                .filter(each -> Arrays.stream(prefixes).anyMatch(each.meta().name()::startsWith))
                .toList();
    }

    // ---- without the right to write

    /** The missing right keeps decisions uncommitted for as long as the test needs. */
    @Test
    void aClaimThatGoesBetweenItsDecisionAndTheWriteGivesItsDeviceBack() throws InterruptedException {
        Yard yard = yard("between");
        yard.publish("node-0000", "gpu-0");
        String granted = cluster.kubectl("", "get", "clusterrolebinding", BINDING, "-o", "json");
        cluster.kubectl("", "delete", "clusterrolebinding", BINDING);
        try {
            Slowly.await(() -> !mayBind(), "the right is gone");
            yard.templated("a");
            awaitDecided(yard, "a-gpu-");
            yard.delete("a");
            Slowly.await(() -> yard.claims().isEmpty(), "the claim is gone");

            yard.claim("named");
            yard.sharing("named", "b");
            awaitDecided(yard, "named");
            yard.kubectl("delete", "resourceclaim", "named");
            yard.templated("first");
            awaitDecided(yard, "first-gpu-");
            yard.claim("named"); // another object of the same name
            yard.delete("first");
            awaitDecided(yard, "named");
            yard.kubectl("patch", "resourceclaim", "named", "--type=json", "-p", """
                    [{"op":"add","path":"/metadata/finalizers/-","value":"example.com/hold"}]""");
            yard.kubectl("delete", "resourceclaim", "named", "--wait=false");
            yard.templated("last");
            awaitDecided(yard, "last-gpu-");
            assertThat(yard.devices()).isEmpty();
        } finally {
            cluster.kubectl(granted, "create", "-f", "-");
        }
        yard.await(Map.of("b", "gated", "last", "on node-0000 with node-0000/gpu-0"));
        assertThat(yard.devices()).containsExactly("node-0000/gpu-0");
        assertThat(claim(yard, "named").allocation()).isEmpty();
    }

    private boolean mayBind() {
        try {
            return cluster.plane()
                    .kubectl(
                            ControlPlaneUser.WRITER,
                            "",
                            "auth",
                            "can-i",
                            "patch",
                            "resourceclaims.resource.k8s.io",
                            "--subresource=binding",
                            "-A")
                    .startsWith("yes");
        } catch (ControlPlaneException e) {
            return false; // kubectl answers no with its exit code
        }
    }

    private void awaitDecided(Yard yard, String claim) throws InterruptedException {
        Slowly.await(
                () -> isDecided(yard, claim),
                () -> "%s is granted: %s"
                        .formatted(claim, on("get", "claims", "-A").out()));
    }

    private boolean isDecided(Yard yard, String claim) {
        return on("get", "claims", "-n", yard.name())
                .out()
                .lines()
                .anyMatch(line -> line.startsWith(claim) && line.contains("granted"));
    }
}
