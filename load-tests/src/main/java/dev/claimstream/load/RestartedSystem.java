package dev.claimstream.load;

import com.sun.management.OperatingSystemMXBean;
import dev.claimstream.load.RestartedProcess.Milestone;
import dev.claimstream.load.streams.EmbeddedSystem;
import dev.claimstream.load.streams.LoadGenerator;
import dev.claimstream.load.streams.LoadProfile;
import dev.claimstream.load.streams.SnapshotHashes;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/**
 * Broker, registry and allocator on a folder that is filled or resumed. Afterwards claims are created and deleted until
 * the end.
 */
final class RestartedSystem {
    private static final List<Integer> SIZES = List.of(1, 2, 1, 4, 1, 8);
    private static final LoadProfile PACE = new LoadProfile.ConstantRate(100);
    private static final Duration STRETCH = Duration.ofMillis(500);

    private final CountDownLatch end = new CountDownLatch(1);

    private RestartedSystem() {}

    /**
     * Arguments: {@code fill FOLDER FLEET HELD}, or {@code again}, {@code snapshots}, {@code engine} or {@code format}
     * with {@code FOLDER}.
     */
    public static void main(String[] args) {
        var site = new RestartedSystem();
        Thread.ofPlatform().daemon().name("load-end").start(site::awaitEndOfInput);
        Path folder = Path.of(args[1]);
        switch (args[0]) {
            case "fill" -> site.fill(folder, GpuFleet.parse(args[2]), Long.parseLong(args[3]));
            case "again" -> site.resume(folder, EmbeddedSystem.StartMode.RESUME);
            case "snapshots" -> site.resume(folder, EmbeddedSystem.StartMode.SNAPSHOTS);
            case "engine" -> changeEngine(folder);
            case "format" -> changeFormat(folder);
            default -> throw new IllegalArgumentException(args[0]);
        }
        System.exit(0);
    }

    private void awaitEndOfInput() {
        try {
            while (System.in.read() >= 0) {}
        } catch (IOException e) {
            System.err.println(e.getMessage());
        }
        end.countDown();
    }

    private void fill(Path folder, GpuFleet fleet, long held) {
        try (var site = EmbeddedSystem.start(folder, 1, 1);
                var _ = site.allocator(EmbeddedSystem.StartMode.RESUME);
                var traffic = new LoadGenerator(site, SIZES)) {
            site.publish(fleet);
            traffic.fill(held);
            print(Milestone.DECIDED, "");
            resume(traffic);
        }
    }

    private void resume(Path folder, EmbeddedSystem.StartMode start) {
        try (var site = EmbeddedSystem.start(folder, 1, 1);
                var traffic = new LoadGenerator(site, SIZES)) {
            print(Milestone.BROKER, "");
            try (var allocator = site.allocator(start)) {
                print(Milestone.CELLS, "");
                traffic.allocateOne();
                print(Milestone.DECIDED, "");
                print(Milestone.CPU, String.format(Locale.ROOT, "%.1f", cpuSeconds()));
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                print(Milestone.HEAP, Long.toString((runtime.totalMemory() - runtime.freeMemory()) / 1_000_000));
                if (start == EmbeddedSystem.StartMode.SNAPSHOTS) {
                    var unused = traffic.run(PACE, Duration.ZERO, STRETCH);
                    print(Milestone.SNAPSHOT, text(allocator.snapshotHashes()));
                }
                resume(traffic);
            }
        }
    }

    private static String text(SnapshotHashes hashes) {
        return String.format(
                Locale.ROOT,
                "%.1f ms over all rows, %.2f ms over what has changed (mean of %d)",
                hashes.firstMs(),
                hashes.laterMs(),
                hashes.count() - 1);
    }

    private static void changeEngine(Path folder) {
        try (var site = EmbeddedSystem.start(folder, 1, 1)) {
            site.changeEngine();
        }
    }

    private static void changeFormat(Path folder) {
        try (var site = EmbeddedSystem.start(folder, 1, 1)) {
            site.changeFormat();
        }
    }

    private static double cpuSeconds() {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime() / 1e9;
    }

    private void resume(LoadGenerator traffic) {
        while (end.getCount() > 0) {
            var unused = traffic.run(PACE, Duration.ZERO, STRETCH);
        }
    }

    private static void print(Milestone milestone, String more) {
        System.out.println(milestone + " " + more);
    }
}
