package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.api.LogLease.Times;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster is held by one log. */
@Timeout(60)
final class LogLeaseTest {
    private static final Times QUICK =
            new Times(Duration.ofSeconds(2), Duration.ofSeconds(1), Duration.ofMillis(50), Duration.ofMillis(20));
    private static final ServingLog ONE = new ServingLog("one", true, "here");
    private static final ServingLog OTHER = new ServingLog("other", true, "there");

    private final LeaseServer cluster = new LeaseServer();
    private final ApiServer server = ApiServer.at(cluster.url(), Duration.ofSeconds(5));

    @AfterEach
    void close() {
        server.close();
        cluster.close();
    }

    private LogLease take(ServingLog log) {
        return LogLease.take(server, log, QUICK, InstantSource.system());
    }

    private static ServingLog old(ServingLog log) {
        return new ServingLog(log.id(), false, log.where());
    }

    private String holder() {
        return cluster.lease().path("spec").path("holderIdentity").asText();
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    @Test
    void whoeverComesFirstHasItAndMakesItsNamespace() {
        try (var lease = take(ONE)) {
            assertThat(lease.obstacle()).isEmpty();
            assertThat(cluster.hasNamespace()).isTrue();
            assertThat(holder()).isEqualTo("one");
            assertThat(cluster.lease()
                            .path("metadata")
                            .path("annotations")
                            .path("claimstream.dev/where")
                            .asText())
                    .isEqualTo("here");
            assertThat(cluster.lease().path("spec").path("renewTime").asText())
                    .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z");
        }
    }

    @Test
    void itIsRenewed() {
        try (var lease = take(ONE)) {
            var first = cluster.lease().path("spec").path("renewTime");
            await(() -> !cluster.lease().path("spec").path("renewTime").equals(first));
            assertThat(lease.obstacle()).isEmpty();
        }
    }

    /** Of a virtual machine that is paused the clock that only goes forward stands still. */
    @Test
    void aMachineThatStoodStillWritesNothingBeforeItHasLooked() {
        var now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        var seldom = new Times(
                Duration.ofSeconds(60), Duration.ofSeconds(30), Duration.ofSeconds(30), Duration.ofMillis(20));
        try (var lease = LogLease.take(server, ONE, seldom, now::get)) {
            now.updateAndGet(then -> then.plusSeconds(29));
            assertThat(lease.obstacle()).isEmpty();
            now.updateAndGet(then -> then.plusSeconds(1));
            assertThat(lease.obstacle()).isPresent();
            assertThat(lease.lost()).isEmpty();
        }
    }

    @Test
    void anotherLogIsRefusedWhileItIsRenewed() {
        try (var lease = take(ONE)) {
            assertThatThrownBy(() -> take(OTHER))
                    .isInstanceOf(AnotherLogException.class)
                    .hasMessageContaining("one at here");
            assertThat(lease.obstacle()).isEmpty();
            assertThat(holder()).isEqualTo("one");
        }
    }

    @Test
    void processesOfOneLogHoldItTogether() {
        try (var one = take(ONE);
                var same = take(old(ONE))) {
            long until = System.nanoTime() + QUICK.lease().toNanos();
            while (System.nanoTime() < until) {
                assertThat(one.obstacle()).isEmpty();
                assertThat(same.obstacle()).isEmpty();
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }
    }

    @Test
    void aNewLogTakesThePlaceOfOneThatIsNotHeardOfAndThatOneIsOfThePast() {
        take(ONE).close(); // as a process that is killed
        long began = System.nanoTime();
        try (var lease = take(OTHER)) {
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(QUICK.lease());
            assertThat(lease.obstacle()).isEmpty();
            assertThat(cluster.lease().path("spec").path("leaseTransitions").asInt())
                    .isEqualTo(1);
        }
        assertThatThrownBy(() -> take(old(ONE)))
                .isInstanceOf(AnotherLogException.class)
                .hasMessageContaining("what here holds is of before");
        assertThat(holder()).isEqualTo("other");
    }

    @Test
    void theSameLogGoesOnAtOnceAfterAHardEnd() {
        take(ONE).close();
        try (var lease = take(old(ONE))) {
            assertThat(lease.obstacle()).isEmpty();
            assertThat(cluster.lease().path("spec").path("leaseTransitions").asInt())
                    .isZero();
        }
    }

    @Test
    void afterAReleaseNobodyWaitsForLong() {
        take(ONE).release();
        assertThat(cluster.lease().path("spec").path("leaseDurationSeconds").asInt())
                .isEqualTo(1);
        try (var lease = take(OTHER)) {
            assertThat(lease.obstacle()).isEmpty();
            assertThat(holder()).isEqualTo("other");
        }
    }

    @Test
    void whoHasLostItWritesNothingAnyMore() {
        try (var lease = take(ONE)) {
            cluster.remove(); // by hand, and then
            try (var other = take(OTHER)) {
                await(() -> lease.lost().isPresent() || other.lost().isPresent());
                var loser = lease.lost().isPresent() ? lease : other;
                assertThat(loser.obstacle()).isEqualTo(loser.lost());
                assertThat(loser == lease ? other.lost() : lease.lost()).isEmpty();
                loser.release();
                assertThat(holder()).isEqualTo(loser == lease ? "other" : "one");
            } catch (AnotherLogException e) {
                assertThat(lease.obstacle()).as("it was quicker").isEmpty();
            }
        }
    }

    @Test
    void oneThatCannotRenewItWritesNothingBeforeItRunsOut() {
        try (var lease = take(ONE)) {
            cluster.forbid();
            await(() -> lease.obstacle().isPresent());
            assertThat(lease.obstacle().orElseThrow())
                    .contains("claimstream/claimstream-log", "leases is forbidden", "rights-of-the-writer.yaml");
            assertThat(lease.lost()).isEmpty();
        }
    }

    @Test
    void aClusterThatDoesNotLetUsIsSaidWithTheRemedy() {
        cluster.forbid();
        assertThatThrownBy(() -> take(ONE))
                .isInstanceOf(ClusterFault.class)
                .hasMessageContaining("allow get, create and update of leases");
    }
}
