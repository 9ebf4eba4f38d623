package dev.claimstream.cli.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.KubernetesVersion;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;

/** Tests the precedence of {@code --features} and {@code --kubernetes} over the version of the API server. */
final class GateOptionsTest {
    private static final String LOCKED_SINCE_137 = "DRAExtendedResource=false";

    @CommandLine.Command(name = "command")
    private static final class Command {}

    private final CommandLine line = new CommandLine(new Command());
    private final GateOptions options = new GateOptions();

    private FeatureGates gates(KubernetesVersion release, String... arguments) {
        line.addMixin("gates", options).parseArgs(arguments);
        return options.features(line.getCommandSpec(), release);
    }

    @Test
    void usesGatesOfServerByDefault() {
        assertThat(gates(KubernetesVersion.V1_36)).isEqualTo(FeatureGates.of(KubernetesVersion.V1_36));
        assertThat(options.text(KubernetesVersion.V1_36))
                .isEqualTo("defaults of Kubernetes 1.36, the release of the server");
    }

    @Test
    void prefersCommandLineOverServer() {
        assertThat(gates(KubernetesVersion.V1_36, "--kubernetes", "1.37", "--features", "DRADeviceTaintRules=false"))
                .isEqualTo(FeatureGates.of(KubernetesVersion.V1_37, "DRADeviceTaintRules=false"));
        assertThat(options.text(KubernetesVersion.V1_36))
                .isEqualTo("defaults of Kubernetes 1.37, by --kubernetes, with --features");
    }

    @Test
    void rejectsGateLockedByServerRelease() {
        assertThat(gates(KubernetesVersion.V1_36, "--features", LOCKED_SINCE_137))
                .isEqualTo(FeatureGates.of(KubernetesVersion.V1_36, LOCKED_SINCE_137));
        assertThatThrownBy(() -> options.features(line.getCommandSpec(), KubernetesVersion.V1_37))
                .isInstanceOf(ParameterException.class)
                .hasMessageContaining("DRAExtendedResource");
    }
}
