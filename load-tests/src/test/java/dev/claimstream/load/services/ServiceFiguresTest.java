package dev.claimstream.load.services;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the programs reject invalid options before they start anything. */
class ServiceFiguresTest {
    @TempDir
    private Path out = Path.of("");

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"--repetitions=0", "--cells=0", "--nodes=0", "--roles=scheduler"})
    void failoverRejectsInvalidOption(String option) {
        assertThat(FailoverFigures.run(option, "--out", out.toString())).isEqualTo(2);
        assertThat(out).isEmptyDirectory();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"--pods=0", "--rate=0", "--nodes=0", "--limits=router=1", "--followers=router"})
    void footprintRejectsInvalidOption(String option) {
        assertThat(FootprintFigures.run(option, "--out", out.toString())).isEqualTo(2);
        assertThat(out).isEmptyDirectory();
    }
}
