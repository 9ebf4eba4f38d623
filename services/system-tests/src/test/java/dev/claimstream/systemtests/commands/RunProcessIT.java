package dev.claimstream.systemtests.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.process.Program;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code run} leaves behind when its process ends. */
final class RunProcessIT {
    private static final String MAIN = "dev.claimstream.cli.Main";
    private static final String CLEAN_END = ".kafka_cleanshutdown";

    @TempDir
    private static Path folder;

    @Test
    @Tag("part-3")
    void leavesNothingInTheTemporaryFolder() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("temporary"));
        try (Program run = Program.start(
                folder,
                Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary),
                MAIN,
                "run",
                CommandResult.example("shared-claim"))) {
            assertThat(run.awaitEnd()).as(run.err()).isZero();
            assertThat(run.out()).contains("small-models");
            assertThat(run.err().lines())
                    .as("only the note of the JVM, headline and summary")
                    .hasSize(3);
        }
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    void endsTheBrokerInOrderWhereItsDataIsKept() throws Exception {
        Path data = folder.resolve("data");
        CommandResult run =
                Program.run(folder, "run", CommandResult.example("shared-claim"), "--data", data.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(data.resolve("kafka").resolve(CLEAN_END)).exists();
    }
}
