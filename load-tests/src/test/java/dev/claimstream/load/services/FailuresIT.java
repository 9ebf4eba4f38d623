package dev.claimstream.load.services;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The smallest failures under load: the only allocator is killed, and is cut off from Kafka, while pods are created.
 * They take turns with other tests; the nightly build has all failures.
 */
@Timeout(300)
@Tag("part-2")
class FailuresIT {
    @TempDir
    private Path out = Path.of("");

    @Test
    void noClaimIsLostWhenAllocatorIsKilledOrCutOff() throws IOException {
        assumeTrue(ControlPlaneProgram.find().isPresent() || System.getenv("CI") != null, ControlPlaneProgram.REMEDY);
        int code = FailureFigures.run(
                "--small",
                "--tls",
                "--failures=allocator_killed,network_cut",
                "--seconds=2",
                "--nodes=100",
                "--rate=2",
                "--out=" + out);
        assertThat(code).isZero();
        List<String> lines = Files.readAllLines(out.resolve("failures.txt"));
        assertThat(lines).contains("no device was allocated twice");
        boolean canCut = NetworkCut.missing().isEmpty();
        assertThat(canCut || System.getenv("CI") == null)
                .as("NOT TRIED: a network cut, which needs %s", NetworkCut.missing())
                .isTrue();
        for (InjectedFailure failure : canCut
                ? List.of(InjectedFailure.ALLOCATOR_KILLED, InjectedFailure.NETWORK_CUT)
                : List.of(InjectedFailure.ALLOCATOR_KILLED)) {
            assertThat(lines)
                    .filteredOn(line -> line.endsWith(failure.text()))
                    .singleElement()
                    .asString()
                    .as("no claim is lost")
                    .matches("( +[0-9.]+){4} +[0-9]+ +0 .*");
        }
    }
}
