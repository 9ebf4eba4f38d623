package dev.claimstream.load.services;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class FailureSetupTest {
    @Test
    void countsClaimsThatNeedDeviceForThemselves() {
        var setup = setup(List.of(InjectedFailure.NONE, InjectedFailure.REGISTRY_DOWN), Optional.empty());
        assertThat(setup.devices()).isEqualTo(800);
        assertThat(setup.claims()).isEqualTo(5 * (20 + 20 + 60 + 20));
        assertThat(setup(List.of(InjectedFailure.NONE), Optional.of(Duration.ofMinutes(4)))
                        .claims())
                .isEqualTo(5 * 260);
    }

    @Test
    void rejectsRunThatNeedsMoreDevices() {
        assertThat(FailureFigures.run("--failures=none", "--nodes=20", "--rate=5"))
                .isEqualTo(2);
    }

    @Test
    void countsTimeOfRestarts() {
        assertThat(setup(List.of(InjectedFailure.ROLLING_RESTART), Optional.empty())
                        .claims())
                .isEqualTo(5 * 9 * 8);
        assertThat(setup(List.of(InjectedFailure.TWO_VERSIONS), Optional.empty())
                        .claims())
                .isEqualTo(5 * (2 * 20 + 2 * 9 * 8));
    }

    @Test
    void separatesAllocatorsFromOtherServices() {
        var setup = setup(List.of(InjectedFailure.TWO_VERSIONS), Optional.empty());
        assertThat(setup.servicesWithoutAllocators())
                .containsExactly("watcher-0", "watcher-1", "console-0", "console-1", "agent-0", "writer-0", "writer-1");
    }

    @Test
    void rejectsFolderWithoutJars() {
        assertThat(FailureFigures.run("--other=" + Path.of("src"))).isEqualTo(2);
    }

    private static FailureSetup setup(List<InjectedFailure> failures, Optional<Duration> lasts) {
        return new FailureSetup(100, 5, failures, false, false, lasts, Optional.empty());
    }
}
