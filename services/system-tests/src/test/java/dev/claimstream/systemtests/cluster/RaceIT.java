package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.process.SlowPoll;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests ungated pods whose claims kube-scheduler and Claimstream allocate concurrently. The pods are pending until all
 * devices are published at once.
 */
@Tag("part-1")
@Timeout(240)
class RaceIT {
    private static final int NODES = 4;
    private static final int DEVICES = 5;
    private static final int PODS = NODES * DEVICES;
    private static final int ROUNDS_MAX = 10;
    private static final String ALARM = "another allocator has also allocated this device";
    private static final String NAMESPACE = "loose";

    @TempDir
    private Path folder = Path.of("");

    @Test
    void policiesPreventDoubleAllocation() throws IOException, InterruptedException {
        try (var cluster = startCluster();
                var up = Kubernetes.up(cluster, folder);
                var checker = cluster.plane().startChecker("--patience", "0")) {
            for (int round = 0; round < 2; round++) {
                race(cluster);
                SlowPoll.await(() -> runningPods(cluster) == PODS, "all pods run");
                assertThat(holders(cluster)).hasSize(PODS);
                clear(cluster);
            }
            Kubernetes.assertNoFaults(checker);
            assertThat(up.err()).doesNotContain(ALARM);
        }
    }

    /**
     * Without the policies both allocate the same device. The conflict is reported, and the device is not allocated
     * again.
     */
    @Test
    void reportsDoubleAllocationWithoutPolicies() throws IOException, InterruptedException {
        try (var cluster = startCluster()) {
            cluster.kubectl("", "delete", "validatingadmissionpolicybinding", "claimstream-single-writer");
            try (var up = Kubernetes.up(cluster, folder);
                    var checker = cluster.plane().startChecker("--patience", "0")) {
                SortedSet<String> twice = new TreeSet<>();
                for (int round = 0; round < ROUNDS_MAX && twice.isEmpty(); round++) {
                    race(cluster);
                    SlowPoll.await(() -> allocatedClaims(cluster) == PODS, "all claims are allocated");
                    holders(cluster).forEach((device, claims) -> {
                        if (claims.size() > 1) {
                            twice.add(device);
                        }
                    });
                    for (String device : twice) {
                        SlowPoll.await(() -> isLogged(up, device), () -> "%s, but%n%s".formatted(device, up.err()));
                    }
                    SlowPoll.await(() -> areAlarmsReported(twice), () -> "%s, but %s".formatted(twice, alarms()));
                    SlowPoll.await(
                            () -> areFoundByChecker(checker, twice),
                            () -> "%s, but %s".formatted(twice, checker.faults()));
                    clear(cluster);
                }
                System.out.println("RaceIT: two holders of " + twice);
                assertThat(twice).as("devices that the race gave out twice").isNotEmpty();
            }
        }
    }

    /** Returns whether the health page reports the devices. It names three of them, and the number of the others. */
    private boolean areAlarmsReported(SortedSet<String> devices) {
        String said = alarms();
        return devices.stream().limit(3).allMatch(said::contains)
                && (devices.size() <= 3 || said.contains("and %d more".formatted(devices.size() - 3)));
    }

    private String alarms() {
        return CommandResult.run("status", "--data", folder.resolve("data").toString())
                .out()
                .lines()
                .filter(line -> line.contains("alarms"))
                .collect(Collectors.joining());
    }

    private static boolean isLogged(Program up, String device) {
        return up.err().lines().anyMatch(line -> line.contains(ALARM) && line.contains(device));
    }

    private static boolean areFoundByChecker(ControlPlane.ConsistencyChecker checker, SortedSet<String> devices) {
        return devices.stream()
                .allMatch(device -> checker.faults().stream()
                        .anyMatch(line -> line.contains("\"fault\":\"two-holders\"")
                                && line.contains("\"%s: ".formatted(device))));
    }

    private static Kubernetes startCluster() {
        Kubernetes cluster = Kubernetes.start(NODES, 0);
        cluster.apply("""
                apiVersion: v1
                kind: Namespace
                metadata: {name: %1$s}
                ---
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaimTemplate
                metadata: {name: one-gpu, namespace: %1$s}
                spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.example.com}}]}}}
                """.formatted(NAMESPACE));
        return cluster;
    }

    private static String pods() {
        return IntStream.range(0, PODS)
                .mapToObj(number -> """
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: pod-%d, namespace: %s}
                        spec:
                          terminationGracePeriodSeconds: 0
                          resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]
                          containers: [{name: main, image: none, resources: {claims: [{name: gpu}]}}]
                        """.formatted(number, NAMESPACE))
                .collect(Collectors.joining("---\n"));
    }

    private static void race(Kubernetes cluster) throws InterruptedException {
        cluster.apply(pods());
        SlowPoll.await(
                () -> cluster.events(NAMESPACE).stream()
                                .filter(event -> event.startsWith("FailedScheduling"))
                                .count()
                        >= PODS,
                "kube-scheduler has found nothing");
        cluster.publish(NODES, DEVICES);
    }

    private static void clear(Kubernetes cluster) throws InterruptedException {
        cluster.kubectl("", "delete", "resourceslices", "--all");
        cluster.kubectl("", "delete", "pods", "--all", "-n", NAMESPACE, "--wait=false");
        cluster.kubectl("", "delete", "events", "--all", "-n", NAMESPACE);
        SlowPoll.await(() -> cluster.claims(NAMESPACE).isEmpty(), "no claims");
    }

    private static long runningPods(Kubernetes cluster) {
        return cluster.kubectl(
                        "", "get", "pods", "-n", NAMESPACE, "--no-headers", "--field-selector=status.phase=Running")
                .lines()
                .count();
    }

    private static long allocatedClaims(Kubernetes cluster) {
        return cluster.claims(NAMESPACE).stream()
                .filter(claim -> claim.allocation().isPresent())
                .count();
    }

    /** Returns the claims that hold each allocated device. */
    private static SortedMap<String, SortedSet<ObjectKey>> holders(Kubernetes cluster) {
        SortedMap<String, SortedSet<ObjectKey>> holders = new TreeMap<>();
        for (ResourceClaim claim : cluster.claims(NAMESPACE)) {
            claim.allocation()
                    .ifPresent(allocation -> allocation
                            .results()
                            .forEach(result -> holders.computeIfAbsent(
                                            result.device().toString(), _ -> new TreeSet<>())
                                    .add(claim.key())));
        }
        return holders;
    }
}
