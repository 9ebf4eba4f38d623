package dev.claimstream.load.beside;

import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.kubernetes.controlplane.Identity;
import dev.claimstream.kubernetes.controlplane.Part;
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
record Contest(
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
    Measured run(Row row, Who who) throws IOException, InterruptedException {
        try (ControlPlane plane = ControlPlane.start(
                program, ControlPlaneOptions.DEFAULT.with(row.gates()).with(row.rates()))) {
            var unused = load(plane, who, row.load().warmUp(0), warmLimit); // nodes and devices
            if (kubelets) {
                var unusedKubelet = plane.kubelet(); // closed with the control plane
            }
            return switch (who) {
                case STOCK -> measured(plane, row, who, "");
                case NEXT_FREE -> {
                    plane.applyPolicies(policies);
                    try (var nextFree = plane.nextFree()) {
                        yield measured(plane, row, who, "," + who.text() + "=" + nextFree.pid());
                    }
                }
                case CLAIMSTREAM -> {
                    plane.applyPolicies(policies);
                    try (var up = Started.up(launcher, plane.kubeconfig(Identity.WRITER))) {
                        Measured measured = measured(plane, row, who, "," + who.text() + "=" + up.pid());
                        up.checkAlive();
                        yield measured;
                    }
                }
            };
        }
    }

    private Measured measured(ControlPlane plane, Row row, Who who, String beside) throws InterruptedException {
        if (row.warm() > 0) {
            var unused = load(plane, who, row.load().warmUp(row.warm()), warmLimit);
            TimeUnit.MILLISECONDS.sleep(SETTLED.toMillis());
        }
        Line line = load(plane, who, row.load(), limit, "--keep", "--processes=" + processes(plane) + beside);
        double loadAverage = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        return new Measured(line, loadAverage, faults(plane, row, who));
    }

    private static String processes(ControlPlane plane) {
        return String.join(
                ",",
                Arrays.stream(Part.values())
                        .map(part -> part.program() + "=" + plane.pid(part))
                        .toList());
    }

    private static Line load(ControlPlane plane, Who who, Load load, Duration limit, String... more) {
        List<String> flags = new ArrayList<>(load.flags());
        flags.add("--limit=" + limit.toSeconds() + "s");
        if (who != Who.STOCK) {
            flags.add(MANAGED);
        }
        flags.addAll(List.of(more));
        return Line.of(plane.load(flags.toArray(String[]::new)));
    }

    /** Returns the faults that an independent program finds. It shares no code with the allocators and runs after the measurement. */
    private static long faults(ControlPlane plane, Row row, Who who) throws InterruptedException {
        if (who == Who.NEXT_FREE && row.load().kind() != Load.Kind.PLAIN) {
            return 0; // next-free ignores the contents of requests
        }
        try (var look = plane.check("--patience=0")) {
            TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
            return (long) Line.of(look.end().getLast()).numbers("faults").values().stream()
                    .mapToDouble(Double::doubleValue)
                    .sum();
        }
    }
}
