package dev.claimstream.load.beside;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that the comparison runs on real control planes and reports failed allocators. The measured values are not
 * checked.
 */
@Tag("part-1")
@Timeout(300)
class AllocatorComparisonIT {
    private static final String MISSING =
            "NOT TRIED: kube-scheduler, next-free and claimstream beside each other.\n" + ControlPlaneProgram.REMEDY;

    @TempDir
    private Path out = Path.of("");

    /** A script that starts {@code next-free} replaces {@code claimstream}. */
    @Test
    void measuresThreeAllocators() throws IOException {
        Path claimstream = script("""
                echo 'Ctrl-C ends it'
                exec %s next-free --kubeconfig "$3" --writer "$3" </dev/null >/dev/null
                """.formatted(program().path()));
        assertThat(run("--rows", "plain-default", "--small", "--pods", "20", "--claimstream", claimstream.toString()))
                .isZero();
        assertThat(Files.readAllLines(out.resolve("beside.txt")))
                .anySatisfy(line -> assertThat(line).startsWith("  kube-scheduler           20"))
                .anySatisfy(line -> assertThat(line).startsWith("  next-free                20"))
                .anySatisfy(line -> assertThat(line).startsWith("  claimstream              20"))
                .anySatisfy(line ->
                        assertThat(line).contains("plain claims, default gates: pods/s beside kube-scheduler: "));
        assertThat(out.resolve("beside.svg")).isNotEmptyFile();
    }

    @Test
    void measuresOthersWhenOneAllocatorFailsToStart() throws IOException {
        assertThat(program().path()).isExecutable();
        Path claimstream = script("echo 'no rights' >&2; exit 7");
        assertThat(run(
                        "--rows=unfit",
                        "--small",
                        "--pods=20",
                        "--who=claimstream,kube-scheduler",
                        "--claimstream",
                        claimstream.toString()))
                .isOne();
        List<String> lines = Files.readAllLines(out.resolve("beside.txt"));
        assertThat(lines)
                .contains("  claimstream    failed: claimstream up has ended with exit code 7: no rights")
                .anySatisfy(line -> assertThat(line).startsWith("  kube-scheduler           20"));
    }

    @Test
    void rejectsInvalidOptionsBeforeStart() {
        assertThat(run("--rows", "plian")).isEqualTo(2);
        assertThat(run("--rows", "pairs", "--nodes", "2", "--pods", "100")).isEqualTo(2);
        assertThat(out).isEmptyDirectory();
    }

    private int run(String... arguments) {
        List<String> line = new ArrayList<>(List.of(arguments));
        line.addAll(List.of("--out", out.toString()));
        return BesideFigures.run(line.toArray(String[]::new));
    }

    private Path script(String text) throws IOException {
        Path file = Files.writeString(out.resolve("claimstream"), "#!/bin/sh\n" + text);
        assertThat(file.toFile().setExecutable(true)).isTrue();
        return file;
    }

    /** Returns the control plane program. Without the program the test is skipped, which the gate counts as failed. */
    private static ControlPlaneProgram program() {
        var program = ControlPlaneProgram.find();
        assertThat(program.isPresent() || System.getenv("CI") == null)
                .as(MISSING)
                .isTrue();
        assumeTrue(program.isPresent(), MISSING);
        return program.orElseThrow();
    }
}
