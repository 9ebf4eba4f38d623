package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.Traces;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** An allocator in its own process whose cell hangs forever in {@link HangingSelectors#EXPRESSION}. */
final class HangingAllocator {
    private HangingAllocator() {}

    /**
     * Runs until the process is killed.
     *
     * @param args bootstrap servers, URL of the registry, folder for state
     */
    public static void main(String[] args) throws InterruptedException {
        var kafka = KafkaConnection.plain(args[0]);
        var registry = new RestRegistry(RestRegistry.RegistrySettings.of(URI.create(args[1])));
        var settings = CellSettings.defaults();
        var meters = new Meters();
        var intake = new Intake(
                kafka,
                registry,
                settings,
                InstantSource.system(),
                "allocator-0",
                new IntakeMeters(meters),
                Throwable::printStackTrace);
        var cells = new CellStreams(
                kafka,
                registry,
                new HangingSelectors(),
                settings,
                new CellStreams.RuntimeOptions("allocator-0", Path.of(args[2]), 1, false, 0),
                meters,
                new CellMeters(meters, Traces.off(meters), false, Duration.ZERO),
                intake::start,
                Throwable::printStackTrace);
        cells.start();
        new CountDownLatch(1).await();
    }

    static Process start(String... args) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                HangingAllocator.class.getName()));
        command.addAll(List.of(args));
        return new ProcessBuilder(command).inheritIO().start();
    }

    /** Kills the process with SIGKILL and awaits its end. */
    static void kill(Process process) throws InterruptedException {
        int unused = process.destroyForcibly().waitFor();
    }
}
