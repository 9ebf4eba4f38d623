package dev.claimstream.systemtests.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.claimstream.agent.streams.LivenessMonitor;
import dev.claimstream.cli.folder.ClusterKind;
import dev.claimstream.cli.folder.DataFolder;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.cli.standalone.RunSettings;
import dev.claimstream.cli.standalone.ServedCluster;
import dev.claimstream.cli.standalone.StandalonePorts;
import dev.claimstream.cli.standalone.StandaloneProcess;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.process.http.ListenException;
import dev.claimstream.selectors.CelSelectors;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that {@code claimstream up} ends with an error if a component stops. */
@Timeout(120)
final class ComponentFailureIT {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void upEndsWhenLivenessMonitorStops() {
        try (var data = DataFolder.open(folder.resolve("data"));
                var up = start(data)) {
            assertThat(up.awaitReady(new CountDownLatch(1))).isTrue();
            livenessThread().interrupt();
            assertThatExceptionOfType(RunFailure.class)
                    .isThrownBy(() -> up.awaitStop(new CountDownLatch(1)))
                    .withMessageStartingWith("the liveness monitor stopped")
                    .withMessageEndingWith("start it again");
        }
    }

    /** The ports were free when they were chosen. */
    @Test
    void namesPortThatAnotherProcessHasTaken() throws IOException {
        try (var data = DataFolder.open(folder.resolve("data"));
                var taken = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
            int port = taken.getLocalPort();
            String message =
                    "cannot listen on 127.0.0.1:%d: Address already in use: another process has taken the port; start claimstream again, or name another port with "
                            .formatted(port);
            assertThatExceptionOfType(ListenException.class)
                    .isThrownBy(() -> start(data, StandalonePorts.free(), port).close())
                    .withMessage(message + "--port");
            var ports = new StandalonePorts(OptionalInt.empty(), OptionalInt.of(port));
            assertThatExceptionOfType(ListenException.class)
                    .isThrownBy(() -> start(data, ports, 0).close())
                    .withMessage(message + "--registry-port");
        }
    }

    private static StandaloneProcess start(DataFolder data) {
        return start(data, StandalonePorts.free(), 0);
    }

    private static StandaloneProcess start(DataFolder data, StandalonePorts ports, int consolePort) {
        var settings = RunSettings.defaults();
        return StandaloneProcess.start(
                data,
                ports,
                1,
                new CelSelectors(),
                settings,
                new ServedCluster.ClusterSelection(
                        ClusterKind.IN_MEMORY, Optional.empty(), ApiScope.CONFIGURED, _ -> settings.features()),
                List.of(),
                consolePort);
    }

    private static Thread livenessThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(LivenessMonitor.SOURCE))
                .findFirst()
                .orElseThrow();
    }
}
