package dev.claimstream.systemtests.monitoring;

import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.systemtests.process.AllocatorProgram;
import dev.claimstream.systemtests.process.BrokerProgram;
import dev.claimstream.systemtests.process.ComponentProgram;
import dev.claimstream.systemtests.process.FreePorts;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.Users;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Broker, simulated cluster with watcher and writer, and allocator, as three processes. Each can be ended and started
 * again with the same data and ports.
 */
final class MonitoredSystem implements AutoCloseable {
    private static final String ALLOCATOR = "allocator-0";

    private final Path folder;
    private final BrokerProgram programs;
    private final int allocatorPort;
    private Program broker;
    private Program cluster;
    private Program allocator;

    private MonitoredSystem(Path folder, BrokerProgram programs, int allocatorPort)
            throws IOException, InterruptedException {
        this.folder = folder;
        this.programs = programs;
        this.allocatorPort = allocatorPort;
        broker = ready(programs.start());
        cluster = ready(programs.startCluster());
        allocator = startedAllocator(Map.of());
    }

    /** Starts the processes, and returns when broker and cluster are ready. */
    static MonitoredSystem start(Path folder) throws IOException, InterruptedException {
        List<Integer> ports = FreePorts.of(3);
        return new MonitoredSystem(
                folder, new BrokerProgram(folder, "broker", ports.get(0), ports.get(1), 1, 1), ports.get(2));
    }

    private static Program ready(Program program) throws InterruptedException {
        program.awaitOut(ComponentProgram.READY, Users.PATIENCE);
        return program;
    }

    private Program startedAllocator(Map<String, String> settings) throws IOException {
        Map<String, String> all = new HashMap<>(settings);
        all.put("CLAIMSTREAM_OBSERVABILITY_PORT", Integer.toString(allocatorPort));
        return AllocatorProgram.start(
                folder, ALLOCATOR, programs.bootstrap(), programs.registryUrl().toString(), all);
    }

    /** Starts a Prometheus with the rules of the chart and shortened durations. */
    PrometheusProgram startPrometheus() throws IOException, InterruptedException {
        String console =
                DataFolder.publishedEndpoint(data()).orElseThrow().console().getAuthority();
        return PrometheusProgram.start(
                folder.resolve("prometheus"),
                ChartRules.shortenedText(),
                Map.of("cluster", console, "allocator", "127.0.0.1:" + allocatorPort));
    }

    /** The data folder of the cluster, for commands. */
    Path data() {
        return folder.resolve("cluster");
    }

    KafkaConnection kafka() {
        return programs.kafka();
    }

    Program broker() {
        return broker;
    }

    Program cluster() {
        return cluster;
    }

    Program allocator() {
        return allocator;
    }

    void startBroker() throws IOException, InterruptedException {
        broker = ready(programs.start());
    }

    void startCluster() throws IOException, InterruptedException {
        cluster = ready(programs.startCluster());
    }

    /** Kills the allocator, and starts it with additional settings. */
    void restartAllocator(Map<String, String> settings) throws IOException, InterruptedException {
        allocator.kill();
        int unused = allocator.awaitEnd();
        allocator = startedAllocator(settings);
    }

    /** Returns the health of the allocator as JSON; empty if it does not answer. */
    String allocatorHealth() {
        try {
            var connection = (HttpURLConnection) URI.create("http://127.0.0.1:%d/health".formatted(allocatorPort))
                    .toURL()
                    .openConnection();
            boolean isGood = connection.getResponseCode() == HttpURLConnection.HTTP_OK;
            try (var body = isGood ? connection.getInputStream() : connection.getErrorStream()) {
                return new String(body.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() {
        allocator.close();
        cluster.close();
        broker.close();
    }
}
