package dev.claimstream.load;

import com.sun.management.OperatingSystemMXBean;
import dev.claimstream.load.RestartedProcess.Milestone;
import dev.claimstream.load.streams.Pace;
import dev.claimstream.load.streams.Site;
import dev.claimstream.load.streams.SnapshotHashes;
import dev.claimstream.load.streams.Traffic;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;

/** Broker, registry and allocator on a folder that is filled or resumed. Afterwards claims are created and deleted until the end. */
final class RestartedSite {
    private static final List<Integer> SIZES = List.of(1, 2, 1, 4, 1, 8);
    private static final Pace PACE = new Pace.Steady(100);
    private static final Duration STRETCH = Duration.ofMillis(500);

    private final CountDownLatch end = new CountDownLatch(1);

    private RestartedSite() {}

    /**
     * Arguments: {@code fill FOLDER FLEET HELD}, or {@code again}, {@code snapshots}, {@code engine}, {@code format} or {@code rebuild}
     * with {@code FOLDER}.
     */
    public static void main(String[] args) {
        var site = new RestartedSite();
        Thread.ofPlatform().daemon().name("load-end").start(site::awaitEndOfInput);
        Path folder = Path.of(args[1]);
        switch (args[0]) {
            case "fill" -> site.fill(folder, Fleet.parse(args[2]), Long.parseLong(args[3]));
            case "again" -> site.goOn(folder, Site.Start.AGAIN);
            case "snapshots" -> site.goOn(folder, Site.Start.SNAPSHOTS);
            case "engine" -> changeEngine(folder);
            case "format" -> refused(folder);
            case "rebuild" -> site.goOn(folder, Site.Start.REBUILD);
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

    private void fill(Path folder, Fleet fleet, long held) {
        try (var site = Site.start(folder, 1, 1);
                var _ = site.allocator(Site.Start.AGAIN);
                var traffic = new Traffic(site, SIZES)) {
            site.show(fleet);
            traffic.fill(held);
            say(Milestone.DECIDED, "");
            goOn(traffic);
        }
    }

    private void goOn(Path folder, Site.Start start) {
        try (var site = Site.start(folder, 1, 1);
                var traffic = new Traffic(site, SIZES)) {
            say(Milestone.BROKER, "");
            try (var allocator = site.allocator(start)) {
                say(Milestone.CELLS, "");
                traffic.one();
                say(Milestone.DECIDED, "");
                say(Milestone.CPU, String.format(Locale.ROOT, "%.1f", cpuSeconds()));
                System.gc();
                Runtime runtime = Runtime.getRuntime();
                say(Milestone.HEAP, Long.toString((runtime.totalMemory() - runtime.freeMemory()) / 1_000_000));
                if (start == Site.Start.SNAPSHOTS) {
                    var unused = traffic.run(PACE, Duration.ZERO, STRETCH);
                    say(Milestone.SNAPSHOT, text(allocator.snapshotHashes()));
                }
                goOn(traffic);
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
        try (var site = Site.start(folder, 1, 1)) {
            site.changeEngine();
        }
    }

    private static void refused(Path folder) {
        try (var site = Site.start(folder, 1, 1)) {
            site.changeFormat();
            say(Milestone.BROKER, "");
            say(Milestone.REFUSED, site.refused());
        }
    }

    private static double cpuSeconds() {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return system.getProcessCpuTime() / 1e9;
    }

    private void goOn(Traffic traffic) {
        while (end.getCount() > 0) {
            var unused = traffic.run(PACE, Duration.ZERO, STRETCH);
        }
    }

    private static void say(Milestone milestone, String more) {
        System.out.println(milestone + " " + more);
    }
}
