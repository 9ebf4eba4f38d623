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
import dev.claimstream.selectors.CelSelectors;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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

    private static StandaloneProcess start(DataFolder data) {
        var settings = RunSettings.defaults();
        return StandaloneProcess.start(
                data,
                StandalonePorts.free(),
                1,
                new CelSelectors(),
                settings,
                new ServedCluster.ClusterSelection(
                        ClusterKind.IN_MEMORY, Optional.empty(), ApiScope.CONFIGURED, _ -> settings.features()),
                List.of(),
                0);
    }

    private static Thread livenessThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(LivenessMonitor.SOURCE))
                .findFirst()
                .orElseThrow();
    }
}
