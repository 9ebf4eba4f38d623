package dev.claimstream.load.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that no failure under load loses a claim or allocates a device twice, with separate processes and three brokers.
 * The measured times are not checked.
 */
@Timeout(600)
class FailuresIT {
    private static final String MISSING =
            "not run: failures of processes, brokers, disk, network and clock.\n" + ControlPlaneProgram.REMEDY;

    @TempDir
    private Path out = Path.of("");

    @BeforeAll
    static void requireControlPlane() {
        if (ControlPlaneProgram.find().isEmpty()) {
            if (System.getenv("CI") != null) {
                fail(MISSING);
            }
            System.err.println(MISSING);
            assumeTrue(false, MISSING);
        }
    }

    @Tag("part-0")
    @Test
    void survivesKills() throws IOException {
        assertSurvived("allocator_killed,broker_killed");
    }

    @Tag("part-1")
    @Test
    void survivesNetworkCut() throws IOException {
        assertSurvived("network_cut,watcher_killed");
    }

    @Tag("part-2")
    @Test
    void survivesRollingRestart() throws IOException {
        assertSurvived("rolling_restart");
    }

    @Tag("part-3")
    @Test
    void survivesFullDisk() throws IOException {
        assertSurvived("disk_full,writer_killed");
    }

    @Tag("part-4")
    @Test
    void survivesWrongClockAndLackOfRegistry() throws IOException {
        assertSurvived("clock_ahead,registry_down");
    }

    private void assertSurvived(String failures) throws IOException {
        int code = FailureFigures.run("--nodes=100", "--rate=2", "--failures=" + failures, "--out=" + out);
        assertThat(code).isZero();
        List<String> lines = Files.readAllLines(out.resolve("failures.txt"));
        assertThat(lines).hasSize(3 + failures.split(",", -1).length).contains("no device was allocated twice");
        List<String> notRun = lines.stream()
                .filter(line -> line.startsWith(FailureFigures.NOT_RUN))
                .toList();
        notRun.forEach(System.err::println);
        assertThat(notRun)
                .as("each test has a failure that can be caused everywhere, and CI installs libfaketime")
                .hasSizeLessThan(2)
                .noneMatch(line -> System.getenv("CI") != null && line.contains("libfaketime"));
    }
}
