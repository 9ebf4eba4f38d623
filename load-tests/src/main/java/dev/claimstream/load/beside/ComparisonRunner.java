package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs one load with one allocator on a fresh control plane.
 *
 * @param limit how long to wait for the last pod
 * @param warmLimit the same limit for the warm-up
 * @param kubelets whether kubelets are simulated; their writes count as well
 */
record ComparisonRunner(
        ControlPlaneProgram program,
        Path launcher,
        Path policies,
        Duration limit,
        Duration warmLimit,
        boolean kubelets) {
    private static final String MANAGED = "--labels=claimstream.dev/managed=true";
    private static final Duration SETTLED = Duration.ofSeconds(1);
    private static final Duration LOOK = Duration.ofMillis(1_500);

    /**
     * Runs the load. Everything that it starts has ended when it returns.
     *
     * @throws ControlPlaneException if a part of the control plane fails
     * @throws IOException if Claimstream fails
     */
    RunMeasurement run(ComparisonRow row, MeasuredAllocator allocator) throws IOException, InterruptedException {
        try (ControlPlane plane = ControlPlane.start(
                program, ControlPlaneOptions.DEFAULT.with(row.gates()).with(row.rates()))) {
            var unused = load(plane, allocator, row.load().warmUp(0), warmLimit); // nodes and devices
            if (kubelets) {
                var unusedKubelet = plane.startSimulatedKubelet(); // closed with the control plane
            }
            return switch (allocator) {
                case KUBE_SCHEDULER -> measured(plane, row, allocator, "");
                case NEXT_FREE -> {
                    plane.applyPolicies(policies);
                    try (var nextFree = plane.startNextFreeAllocator()) {
                        yield measured(plane, row, allocator, "," + allocator.text() + "=" + nextFree.pid());
                    }
                }
                case CLAIMSTREAM -> {
                    plane.applyPolicies(policies);
                    try (var up = ClaimstreamProcess.up(launcher, plane.kubeconfig(ControlPlaneUser.WRITER))) {
                        RunMeasurement measured =
                                measured(plane, row, allocator, "," + allocator.text() + "=" + up.pid());
                        up.checkAlive();
                        yield measured;
                    }
                }
            };
        }
    }

    private RunMeasurement measured(ControlPlane plane, ComparisonRow row, MeasuredAllocator allocator, String beside)
            throws InterruptedException {
        if (row.warm() > 0) {
            var unused = load(plane, allocator, row.load().warmUp(row.warm()), warmLimit);
            TimeUnit.MILLISECONDS.sleep(SETTLED.toMillis());
        }
        JsonResultLine line =
                load(plane, allocator, row.load(), limit, "--keep", "--processes=" + processes(plane) + beside);
        double loadAverage = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return new RunMeasurement(line, loadAverage, verificationFaults(plane, row, allocator));
    }

    private static String processes(ControlPlane plane) {
        return String.join(
                ",",
                Arrays.stream(ControlPlaneComponent.values())
                        .map(part -> part.program() + "=" + plane.pid(part))
                        .toList());
    }

    private static JsonResultLine load(
            ControlPlane plane, MeasuredAllocator allocator, ClusterLoad load, Duration limit, String... more) {
        List<String> flags = new ArrayList<>(load.flags());
        flags.add("--limit=" + limit.toSeconds() + "s");
        if (allocator != MeasuredAllocator.KUBE_SCHEDULER) {
            flags.add(MANAGED);
        }
        flags.addAll(List.of(more));
        return JsonResultLine.of(plane.runLoad(flags.toArray(String[]::new)));
    }

    /**
     * Returns the faults that an independent program finds. It shares no code with the allocators and runs after the
     * measurement.
     */
    private static long verificationFaults(ControlPlane plane, ComparisonRow row, MeasuredAllocator allocator)
            throws InterruptedException {
        if (allocator == MeasuredAllocator.NEXT_FREE && row.load().kind() != ClusterLoad.LoadClaimKind.PLAIN) {
            return 0; // next-free ignores the contents of requests
        }
        try (var look = plane.startChecker("--patience=0")) {
            TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
            return (long) JsonResultLine.of(look.finish().getLast()).numbers("faults").values().stream()
                    .mapToDouble(Double::doubleValue)
                    .sum();
        }
    }
}
