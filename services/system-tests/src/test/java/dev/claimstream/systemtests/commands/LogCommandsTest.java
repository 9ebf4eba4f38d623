package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the help texts of {@code audit} and {@code replay}, and command lines that they reject. */
class LogCommandsTest {
    @TempDir
    private Path folder = Path.of("");

    private static void assertRejected(String expected, String... args) {
        CommandResult result = CommandResult.run(args);
        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.errLines()).hasSizeLessThanOrEqualTo(2);
        assertThat(result.errLines().getFirst()).isEqualTo(expected);
        assertThat(result.errLines().stream().skip(1)).allMatch(line -> line.startsWith("try: claimstream"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"audit verify", "audit archive", "audit checkpoint", "audit prove", "replay"})
    void logCommandsPrintHelp(String command) {
        CommandResult result = CommandResult.run(Stream.concat(Arrays.stream(command.split(" ")), Stream.of("--help"))
                .toArray(String[]::new));
        assertThat(result.exitCode()).isZero();
        assertThat(result.out())
                .contains("Usage: claimstream " + command, "--data=DIR", "--bootstrap", "Exit codes:")
                .containsPattern("Example:\\s+claimstream " + command + " ");
        assertThat(result.out().lines()).allMatch(line -> line.length() <= 80);
    }

    @Test
    void logCommandsRejectInvalidArguments() throws IOException {
        assertThat(CommandResult.run("audit").out()).contains("verify", "archive");
        assertRejected(
                "claimstream audit verify: --from yesterday: use a time like 2026-03-01T12:00:00Z",
                "audit",
                "verify",
                "--from",
                "yesterday");
        assertRejected(
                "claimstream audit verify: --from 2026-03-02T00:00:00Z is after --to 2026-03-01T00:00:00Z: exchange them",
                "audit",
                "verify",
                "--from",
                "2026-03-02T00:00:00Z",
                "--to",
                "2026-03-01T00:00:00Z");
        Path proof = Files.writeString(folder.resolve("proof.json"), "{}");
        assertRejected(
                "claimstream: %s is not a proof: it is not a proof of format 1".formatted(proof),
                "audit",
                "check-proof",
                proof.toString(),
                "--key",
                "public.pem");
        Files.delete(proof);
        assertRejected(
                "claimstream replay: --bootstrap kafka: use host:port, several separated by commas",
                "replay",
                "--bootstrap",
                "kafka");
        assertRejected(
                "claimstream: %s does not exist: name the folder of an archive".formatted(folder.resolve("missing")),
                "replay",
                "--archive",
                folder.resolve("missing").toString());
        assertRejected(
                "claimstream: %s has no segment: name the folder of an archive, or make one with claimstream audit archive --to"
                        .formatted(folder),
                "audit",
                "verify",
                "--archive",
                folder.toString());
    }
}
