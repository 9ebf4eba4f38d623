package dev.claimstream.kubernetes.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.atomic.AtomicBoolean;

/** Starts real control planes for tests. */
final class TestControlPlane {
    private static final String MISSING =
            "NOT TRIED: Claimstream on a real control plane of Kubernetes.\n" + ControlPlaneProgram.REMEDY;
    private static final AtomicBoolean IS_REPORTED = new AtomicBoolean();

    private TestControlPlane() {}

    /**
     * Starts a control plane, or skips the test if its program is missing.
     *
     * <p>The remedy is printed once. With {@code CI} set, a missing program fails the test.
     */
    static ControlPlane start(ControlPlaneOptions options) {
        var program = ControlPlaneProgram.find();
        if (program.isEmpty() && !IS_REPORTED.getAndSet(true)) {
            System.err.println(MISSING);
        }
        assertThat(program.isPresent() || System.getenv("CI") == null)
                .as(MISSING)
                .isTrue();
        assumeTrue(program.isPresent(), MISSING);
        return ControlPlane.start(program.orElseThrow(), options);
    }
}
