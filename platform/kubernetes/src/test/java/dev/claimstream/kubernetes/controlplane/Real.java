package dev.claimstream.kubernetes.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.concurrent.atomic.AtomicBoolean;

/** Control planes for tests. */
final class Real {
    private static final String MISSING =
            "NOT TRIED: Claimstream on a real control plane of Kubernetes.\n" + ControlPlaneProgram.REMEDY;
    private static final AtomicBoolean IS_SAID = new AtomicBoolean();

    private Real() {}

    /**
     * Starts one, or, where there is no program for it, says so once and ends the test without a result; the gate counts that as
     * failed.
     */
    static ControlPlane start(ControlPlaneOptions options) {
        var program = ControlPlaneProgram.find();
        if (program.isEmpty() && !IS_SAID.getAndSet(true)) {
            System.err.println(MISSING);
        }
        assertThat(program.isPresent() || System.getenv("CI") == null)
                .as(MISSING)
                .isTrue();
        assumeTrue(program.isPresent(), MISSING);
        return ControlPlane.start(program.orElseThrow(), options);
    }
}
