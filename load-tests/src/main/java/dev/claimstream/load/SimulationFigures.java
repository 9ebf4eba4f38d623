package dev.claimstream.load;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.simulation.DeviceReport;
import dev.claimstream.simulation.DeviceReportJson;
import dev.claimstream.simulation.ManifestCell;
import dev.claimstream.simulation.Simulation;
import dev.claimstream.simulation.SimulationJson;
import dev.claimstream.simulation.SimulationRequest;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;

/**
 * Measures simulations and device reports, with their JSON, on a fleet that is 70 % full.
 *
 * <p>The requests are claims that fit, from memory and as a body; claims that fit on no node, with the shapes that
 * would help; the drain of a node; and the report on all devices for a pending claim. Three of them are also sent to
 * the HTTP server of the simulator on loopback: wall time only, because its threads do the work.
 */
public final class SimulationFigures {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
    private static final int ROUNDS = 200;
    private static final int WARM_UP = 50;
    private static final int FULL_PERCENT = 70;
    private static final int SIZES = 4;
    private static final int PENDING = 20;

    private final GpuFleet fleet;
    private final Cell cell;
    private int round;

    private SimulationFigures(GpuFleet fleet) {
        this.fleet = fleet;
        cell = ManifestCell.of(objects(), CellSettings.defaults(), new CelSelectors(), NOW);
    }

    /** Prints the table. Arguments: fleets as NODESxDEVICES. */
    public static void main(String[] args) {
        List<GpuFleet> fleets = args.length == 0
                ? List.of(new GpuFleet(500, 8), new GpuFleet(1_250, 8))
                : Arrays.stream(args).map(GpuFleet::parse).toList();
        System.out.printf(
                Locale.ROOT,
                "%-14s %-28s %10s %10s %10s %10s %10s%n",
                "fleet",
                "request",
                "p50 ms",
                "p99 ms",
                "max ms",
                "CPU p50",
                "CPU p99");
        fleets.forEach(fleet -> new SimulationFigures(fleet).print());
    }

    private List<ClusterObject> objects() {
        List<ClusterObject> all = new ArrayList<>(GpuClaims.classes().values());
        for (int node = 0; node < fleet.nodes(); node++) {
            all.add(fleet.node(node));
            all.addAll(fleet.slices(node));
        }
        long devices = 0;
        for (int i = 0; devices < (long) fleet.size() * FULL_PERCENT / 100; i++) {
            long count = 1L << (i % SIZES);
            all.add(claim("held-" + i, count));
            devices += count;
        }
        for (int i = 0; i < PENDING; i++) {
            all.add(claim("pending-" + i, fleet.devices() + 1L));
        }
        return all;
    }

    private static ResourceClaim claim(String name, long count) {
        return new ResourceClaim(
                ObjectMeta.of("team", name, "uid-" + name), GpuClaims.spec(count, "40Gi"), Optional.empty(), List.of());
    }

    private void print() {
        measure("8 claims that fit", () -> simulate(claims(8, 2)));
        measure("8 claims as a YAML body", () -> simulate(parsed(manifests(8, 2))));
        measure(
                "2 claims, which shape",
                () -> simulate(claims(2, fleet.devices() + 1L).withShapes()));
        measure(
                "drain of a node",
                () -> simulate(SimulationRequest.none().withDrainedNode(GpuFleet.name(round % fleet.nodes()))));
        measure(
                "report on all devices",
                () -> DeviceReportJson.of(DeviceReport.ofClaim(
                                        cell.state(), new ObjectKey("team", "pending-0"), NOW, new CelSelectors())
                                .orElseThrow())
                        .json());
        try (var client = new SimulationClient(cell, NOW)) {
            measureResponses("HTTP: 8 claims", () -> client.simulate("", manifests(8, 2)));
            measureResponses(
                    "HTTP: 2 claims, which shape",
                    () -> client.simulate("shapes=true", manifests(2, fleet.devices() + 1L)));
            measureResponses(
                    "HTTP: drain of a node",
                    () -> client.simulate("drain=" + GpuFleet.name(round % fleet.nodes()), ""));
        }
    }

    private SimulationRequest claims(int number, long count) {
        List<ClusterObject> claims = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            claims.add(claim("new-%d-%d".formatted(round, i), count));
        }
        return SimulationRequest.none().withObjects(claims);
    }

    /** Returns claims as a client of the simulator sends them. */
    private String manifests(int number, long count) {
        var body = new StringBuilder();
        for (int i = 0; i < number; i++) {
            body.append("""
                    ---
                    apiVersion: resource.k8s.io/v1
                    kind: ResourceClaim
                    metadata: {name: body-%d-%d, namespace: team}
                    spec: {devices: {requests: [{name: gpus, exactly: {deviceClassName: gpu.nvidia.com, count: %d}}]}}
                    """.formatted(round, i, count));
        }
        return body.toString();
    }

    /** Parses and completes manifests as the simulator does it. */
    private static SimulationRequest parsed(String manifests) {
        return SimulationRequest.none()
                .withObjects(ClusterCompletion.complete(
                                Manifests.read("body", manifests).manifests())
                        .stream()
                        .map(Manifest::object)
                        .toList());
    }

    private String simulate(SimulationRequest request) {
        return SimulationJson.of(new Simulation(cell, NOW, 0).run(request)).json();
    }

    private void measure(String name, Supplier<String> request) {
        var cpuTimes = new Histogram(3);
        Histogram times = times(name, request, cpuTimes);
        print(name, times, milliseconds(cpuTimes, 50), milliseconds(cpuTimes, 99));
    }

    /** Measures the wall time only: other threads do the work. */
    private void measureResponses(String name, Supplier<String> request) {
        print(name, times(name, request, new Histogram(3)), "-", "-");
    }

    private Histogram times(String name, Supplier<String> request, Histogram cpuTimes) {
        var times = new Histogram(3);
        for (int i = 0; i < WARM_UP + ROUNDS; i++) {
            round++;
            long start = System.nanoTime();
            long cpuStart = cpu();
            if (request.get().isEmpty()) {
                throw new IllegalStateException("no result of: " + name);
            }
            if (i >= WARM_UP) {
                times.recordValue(System.nanoTime() - start);
                cpuTimes.recordValue(cpu() - cpuStart);
            }
        }
        return times;
    }

    private void print(String name, Histogram times, String cpuMedian, String cpuHigh) {
        System.out.printf(
                Locale.ROOT,
                "%-14s %-28s %10s %10s %10s %10s %10s%n",
                "%d x %d".formatted(fleet.nodes(), fleet.devices()),
                name,
                milliseconds(times, 50),
                milliseconds(times, 99),
                milliseconds(times, 100),
                cpuMedian,
                cpuHigh);
    }

    private static String milliseconds(Histogram times, double percentile) {
        return String.format(Locale.ROOT, "%.2f", times.getValueAtPercentile(percentile) / 1e6);
    }

    /** CPU time of this thread in nanoseconds: on a shared machine the wall time says little. */
    private static long cpu() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
