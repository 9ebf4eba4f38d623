package dev.claimstream.systemtests.up;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.folder.Endpoint;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs a node agent against {@code claimstream up} until the agent is silent. The sysfs tree and the metrics exporter
 * are simulated.
 */
@Timeout(180)
@Tag("part-1")
final class AgentIT {
    private static final String DRIVER = "gaudi.agent.claimstream.dev";
    private static final String SAMPLES = """
            # TYPE habanalabs_utilization gauge
            habanalabs_utilization{device="0"} 42
            # TYPE habanalabs_temperature_onchip gauge
            habanalabs_temperature_onchip{device="0"} 61
            """;

    @TempDir
    private Path folder = Path.of("");

    private HttpServer exporter;

    @SuppressWarnings("NullAway.Init") // start sets the fields before each test
    AgentIT() {}

    @BeforeEach
    void start() throws IOException {
        Path device = Files.createDirectories(folder.resolve("sys/devices/pci0000:19/0000:19:00.0"));
        Files.writeString(device.resolve("vendor"), "0x1da3");
        Files.writeString(device.resolve("device"), "0x1020");
        Files.writeString(device.resolve("class"), "0x120000");
        Files.write(device.resolve("config"), new byte[] {(byte) 0xa3, 0x1d, 0x20, 0x10});
        Files.createSymbolicLink(
                Files.createDirectories(folder.resolve("sys/bus/pci/devices")).resolve("0000:19:00.0"),
                Path.of("../../../devices/pci0000:19/0000:19:00.0"));
        exporter = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        exporter.createContext("/metrics", exchange -> {
            byte[] body = SAMPLES.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        exporter.start();
    }

    @AfterEach
    void stop() {
        exporter.stop(0);
    }

    private Path data() {
        return folder.resolve("data");
    }

    private CommandResult run(String... command) {
        List<String> all = new ArrayList<>(List.of(command));
        all.addAll(List.of("--data", data().toString()));
        return CommandResult.run(all.toArray(String[]::new));
    }

    private void await(String what, String... command) throws InterruptedException {
        Program.await(() -> run(command).out().replaceAll(" +", " ").contains(what), "'%s'".formatted(what));
    }

    private void apply(String name, String text) throws IOException {
        Path file = Files.writeString(folder.resolve(name + ".yaml"), text);
        CommandResult applied = run("apply", "-f", file.toString());
        assertThat(applied.exitCode()).as(applied.err()).isZero();
    }

    private Program startAgent() throws IOException {
        Endpoint endpoint = DataFolder.publishedEndpoint(data()).orElseThrow();
        Map<String, String> environment = new HashMap<>(clockAnHourAhead());
        environment.putAll(Map.of(
                "CLAIMSTREAM_KAFKA_BOOTSTRAP",
                endpoint.bootstrap(),
                "CLAIMSTREAM_REGISTRY_URL",
                endpoint.registry().toString(),
                "NODE_NAME",
                "gaudi-1",
                "CLAIMSTREAM_AGENT_SYS",
                folder.resolve("sys").toString(),
                "CLAIMSTREAM_AGENT_HEARTBEAT_EVERY",
                "500ms",
                "CLAIMSTREAM_AGENT_SCRAPE_EVERY",
                "1s",
                "CLAIMSTREAM_AGENT_EXPORTERS",
                "http://127.0.0.1:%d/metrics".formatted(exporter.getAddress().getPort())));
        return Program.start(folder, environment, "dev.claimstream.cli.Main", "agent");
    }

    /** The environment of a program whose node has a clock that is an hour ahead. */
    private static Map<String, String> clockAnHourAhead() throws IOException {
        Optional<Path> library;
        try (Stream<Path> folders = Files.list(Path.of("/usr/lib"))) {
            library = folders.map(each -> each.resolve("faketime").resolve("libfaketime.so.1"))
                    .filter(Files::exists)
                    .findFirst();
        }
        if (library.isEmpty()) {
            String missing = "NOT TRIED: a node with a wrong clock. Install libfaketime (Debian's package faketime)";
            assertThat(System.getenv("CI")).as(missing).isNull();
            System.out.println(missing);
            return Map.of();
        }
        return Map.of(
                "LD_PRELOAD", library.get().toString(), "FAKETIME", "+3600s", "FAKETIME_DONT_FAKE_MONOTONIC", "1");
    }

    /** The clock of the agent's node is an hour ahead: it changes neither the heartbeats nor the silence of the node. */
    @Test
    void allocatesDevicesWhileAgentSendsHeartbeats() throws IOException, InterruptedException {
        try (Program up = Program.start(
                folder,
                Map.of("CLAIMSTREAM_LIVENESS_TIMEOUT", "4s"),
                "dev.claimstream.cli.Main",
                "up",
                "--data",
                data().toString())) {
            up.awaitOut("Ctrl-C ends it");
            apply("cluster", ClusterManifests.ofDevices(2) + """
                    ---
                    apiVersion: v1
                    kind: Node
                    metadata: {name: gaudi-1}
                    ---
                    apiVersion: resource.k8s.io/v1
                    kind: DeviceClass
                    metadata: {name: gaudi}
                    spec: {selectors: [{cel: {expression: device.driver == "%s"}}]}
                    """.formatted(DRIVER));
            try (Program agent = startAgent()) {
                await(DRIVER + " gaudi-1 gaudi-0000-19-00-0 free", "get", "devices");
                await(" 42% 61C ", "get", "devices", "-o", "wide");
                apply(
                        "first",
                        ClusterManifests.claim("first", "gaudi", "count: 1")
                                + ClusterManifests.pod("p", "resourceClaimName: first"));
                await("first allocated,reserved gaudi-1", "get", "claims");
                agent.kill();
                agent.awaitEnd();
            }
            await("gaudi-1 Ready,Silent", "get", "nodes");
            run("delete", "pod", "p");
            run("delete", "claim", "first");
            apply(
                    "second",
                    ClusterManifests.usedClaim("second", "gaudi", "count: 1") + ClusterManifests.usedClaim("plain", 1));
            await("plain allocated,reserved node-1", "get", "claims");
            await("second pending", "get", "claims");
            assertThat(run("get", "devices", "--node", "gaudi-1", "--free").out())
                    .isEmpty();
            assertThat(run("get", "nodes", "node-1").out()).contains(" Ready ");
            try (Program agent = startAgent()) {
                await("second allocated,reserved gaudi-1", "get", "claims");
                await("gaudi-1 Ready ", "get", "nodes");
                agent.interrupt();
                assertThat(agent.awaitEnd()).as(agent.err()).isZero();
            }
            up.interrupt();
            assertThat(up.awaitEnd()).isZero();
            assertThat(up.err()).isEmpty();
        }
    }
}
