package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ConfigReference;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.writer.DecisionCommitter.CommitStatus;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of allocations with parameters of drivers. */
final class FileCommitterTest {
    private static final OpaqueConfig CONFIG = new OpaqueConfig("gpu.example.com", "{\"mode\":\"shared\"}");

    @TempDir
    private Path folder;

    @Test
    void writesParametersThatAreRecorded() {
        var commits = new FileCommitter(folder);
        assertThat(commits.commit(DecisionSamples.withConfig(CONFIG)).status()).isEqualTo(CommitStatus.COMMITTED);
        assertThat(file()).content().contains("shared");
    }

    @Test
    void rejectsReferenceAndRemovesEarlierFile() {
        var commits = new FileCommitter(folder);
        commits.commit(DecisionSamples.withConfig(CONFIG));
        var outcome = commits.commit(
                DecisionSamples.withConfig(new ConfigReference.ClaimConfigEntry(0).replaceParameters(CONFIG)));
        assertThat(outcome.status()).isEqualTo(CommitStatus.REJECTED);
        assertThat(outcome.message()).contains("claimstream.watcher.recorded-parameters");
        assertThat(file()).doesNotExist();
    }

    private Path file() {
        return folder.resolve("%s.%s.yaml".formatted(DecisionSamples.CLAIM.namespace(), DecisionSamples.CLAIM.name()));
    }
}
