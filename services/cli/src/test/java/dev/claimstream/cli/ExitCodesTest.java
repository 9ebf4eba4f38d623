package dev.claimstream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kubernetes.ClusterFault;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

/** Tests the texts of exceptions that end a command. */
class ExitCodesTest {
    private final StringWriter err = new StringWriter();

    @Test
    void reportsFaultOfTheClusterInOneLine() {
        assertThat(report(ClusterFault.withRemedy("topic cluster.v1 cannot be read", "try again when Kafka responds")))
                .isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString().lines())
                .containsExactly("claimstream: topic cluster.v1 cannot be read: try again when Kafka responds");
    }

    @Test
    void asksToReportOtherExceptions() {
        assertThat(report(new IllegalStateException("a fault of the program"))).isEqualTo(ExitCodes.FAILED);
        assertThat(err.toString()).contains("please report it", "a fault of the program");
    }

    private int report(RuntimeException thrown) {
        return ExitCodes.report(thrown, new PrintWriter(err, true));
    }
}
