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

/** The smallest failure under load: the only allocator is killed while pods are created. It takes turns with others; the nightly build has all. */
@Timeout(300)
@Tag("part-2")
class FailuresIT {
    @TempDir
    private Path out = Path.of("");

    @Test
    void noClaimIsLostWhenAllocatorIsKilled() throws IOException {
        assumeTrue(ControlPlaneProgram.find().isPresent() || System.getenv("CI") != null, ControlPlaneProgram.REMEDY);
        int code = FailureFigures.run(
                "--small",
                "--tls",
                "--failures=allocator_killed",
                "--seconds=2",
                "--nodes=20",
                "--rate=4",
                "--out=" + out);
        assertThat(code).isZero();
        List<String> lines = Files.readAllLines(out.resolve("failures.txt"));
        assertThat(lines).contains("no device was allocated twice");
        assertThat(lines)
                .filteredOn(line -> line.endsWith(InjectedFailure.ALLOCATOR_KILLED.text()))
                .singleElement()
                .asString()
                .as("no claim is lost")
                .matches("( +[0-9.]+){4} +[0-9]+ +0 .*");
    }
}
