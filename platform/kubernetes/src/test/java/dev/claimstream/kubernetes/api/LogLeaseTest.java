package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kafka.LogProgress;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.api.LogLease.LeaseTiming;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The lease that binds a cluster to one log, with several candidates. */
@Timeout(60)
final class LogLeaseTest {
    private static final LeaseTiming QUICK = new LeaseTiming(
            Duration.ofSeconds(2),
            Duration.ofSeconds(1),
            Duration.ofMillis(50),
            Duration.ofMillis(20),
            Duration.ofSeconds(1));
    private static final CandidateLog ONE = new CandidateLog("one", true, "here", LogProgress.NONE);
    private static final CandidateLog OTHER = new CandidateLog("other", true, "there", LogProgress.NONE);

    private final LeaseServer cluster = new LeaseServer();
    private final ApiHttpClient server = ApiHttpClient.at(cluster.url(), Duration.ofSeconds(5));

    @AfterEach
    void close() {
        server.close();
        cluster.close();
    }

    private LogLease acquire(CandidateLog log) {
        return LogLease.acquire(server, log, QUICK, InstantSource.system());
    }

    private static CandidateLog nonEmptyLog(CandidateLog log) {
        return new CandidateLog(log.id(), false, log.location(), log.progress());
    }

    private static CandidateLog withVersion(CandidateLog log, long version) {
        return new CandidateLog(log.id(), false, log.location(), log.progress(), version);
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
    void firstCandidateAcquiresLeaseAndCreatesNamespace() {
        try (var lease = acquire(ONE)) {
            assertThat(lease.writeBlocker()).isEmpty();
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
    void renewsLease() {
        try (var lease = acquire(ONE)) {
            var first = cluster.lease().path("spec").path("renewTime");
            await(() -> !cluster.lease().path("spec").path("renewTime").equals(first));
            assertThat(lease.writeBlocker()).isEmpty();
        }
    }

    /** The monotonic clock stands still while a virtual machine is paused. */
    @Test
    void blocksWritesAfterClockJumpUntilRenewal() {
        var now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));
        var seldom = new LeaseTiming(
                Duration.ofSeconds(60),
                Duration.ofSeconds(30),
                Duration.ofSeconds(30),
                Duration.ofMillis(20),
                Duration.ZERO);
        try (var lease = LogLease.acquire(server, ONE, seldom, now::get)) {
            now.updateAndGet(then -> then.plusSeconds(29));
            assertThat(lease.writeBlocker()).isEmpty();
            now.updateAndGet(then -> then.plusSeconds(1));
            assertThat(lease.writeBlocker()).isPresent();
            assertThat(lease.lossReason()).isEmpty();
        }
    }

    @Test
    void blocksWritesForAWhileAfterVersionsWentBack() {
        try (var lease = acquire(ONE)) {
            cluster.setVersion(1000);
            await(() -> cluster.lease().path("metadata").path("resourceVersion").asLong() > 1001);
            assertThat(lease.writeBlocker()).isEmpty();
            cluster.setVersion(500);
            await(() -> lease.writeBlocker().isPresent());
            assertThat(lease.writeBlocker().orElseThrow()).contains("the cluster was restored from a backup");
            long until = System.nanoTime() + QUICK.relistPeriod().dividedBy(2).toNanos();
            while (System.nanoTime() < until) {
                assertThat(lease.writeBlocker()).isPresent();
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
            await(() -> lease.writeBlocker().isEmpty());
            assertThat(lease.lossReason()).isEmpty();
        }
    }

    /** The restore came while no process of the log ran. */
    @Test
    void blocksWritesAfterStartOnLowerVersionThanStored() {
        acquire(ONE).close();
        long version = cluster.lease().path("metadata").path("resourceVersion").asLong();
        for (boolean isInBackup : List.of(true, false)) {
            if (!isInBackup) {
                cluster.remove();
            }
            try (var lease = acquire(withVersion(ONE, version + 1))) {
                assertThat(lease.writeBlocker().orElseThrow()).contains("the cluster was restored from a backup");
                await(() -> lease.writeBlocker().isEmpty());
                await(() -> pauseInLease().isEmpty());
            }
        }
        version = cluster.lease().path("metadata").path("resourceVersion").asLong();
        try (var lease = acquire(withVersion(ONE, version))) {
            assertThat(lease.writeBlocker()).isEmpty();
            assertThat(lease.version()).isGreaterThan(version);
        }
    }

    @Test
    void rejectsOtherLogWhileLeaseIsRenewed() {
        try (var lease = acquire(ONE)) {
            assertThatThrownBy(() -> acquire(OTHER))
                    .isInstanceOf(CompetingLogException.class)
                    .hasMessageContaining("one at here");
            assertThat(lease.writeBlocker()).isEmpty();
            assertThat(holder()).isEqualTo("one");
        }
    }

    @Test
    void processesOfOneLogShareLease() {
        try (var one = acquire(ONE);
                var same = acquire(nonEmptyLog(ONE))) {
            long until = System.nanoTime() + QUICK.leaseDuration().toNanos();
            while (System.nanoTime() < until) {
                assertThat(one.writeBlocker()).isEmpty();
                assertThat(same.writeBlocker()).isEmpty();
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }
    }

    @Test
    void newLogTakesExpiredLeaseAndOldLogIsRejected() {
        acquire(ONE).close(); // as after a kill
        long began = System.nanoTime();
        try (var lease = acquire(OTHER)) {
            assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(QUICK.leaseDuration());
            assertThat(lease.writeBlocker()).isEmpty();
            assertThat(cluster.lease().path("spec").path("leaseTransitions").asInt())
                    .isEqualTo(1);
        }
        assertThatThrownBy(() -> acquire(nonEmptyLog(ONE)))
                .isInstanceOf(CompetingLogException.class)
                .hasMessageContaining("the log of here is outdated");
        assertThat(holder()).isEqualTo("other");
    }

    /** As with separate services: the allocator of a new Kafka decides before its first writer has the lease. */
    @Test
    void newLogWithDecisionsPausesAfterOtherLog() {
        acquire(ONE).close();
        CandidateLog decided = decidedLog();
        try (var lease = acquire(decided)) {
            assertThat(lease.writeBlocker().orElseThrow()).contains("another log has served the cluster");
            await(() -> lease.writeBlocker().isEmpty());
            await(() -> pauseInLease().isEmpty());
        }
        try (var again = acquire(decided)) {
            assertThat(again.writeBlocker()).isEmpty();
        }
    }

    /** A second writer, or one that starts again: it is not the process that has taken over. */
    @Test
    void everyProcessOfNewLogPausesAfterOtherLog() {
        acquire(ONE).close();
        CandidateLog decided = decidedLog();
        acquire(decided).close();
        assertThat(pauseInLease()).endsWith(" another log has served the cluster");
        try (var second = acquire(decided)) {
            assertThat(second.writeBlocker().orElseThrow()).contains("another log has served the cluster");
            await(() -> second.writeBlocker().isEmpty());
            await(() -> pauseInLease().isEmpty());
        }
    }

    /** The process that has seen the restore ends during the pause. */
    @Test
    void laterProcessContinuesPauseAfterRestore() {
        long restored;
        try (var lease = acquire(ONE)) {
            cluster.setVersion(1000);
            await(() -> lease.version() > 1000);
            cluster.setVersion(500);
            await(() -> lease.writeBlocker().isPresent() && lease.version() < 1000);
            restored = lease.version();
        }
        assertThat(pauseInLease()).endsWith(" the cluster was restored from a backup");
        try (var later = acquire(withVersion(ONE, restored))) {
            assertThat(later.writeBlocker().orElseThrow()).contains("the cluster was restored from a backup");
            await(() -> later.writeBlocker().isEmpty());
        }
    }

    /** Until the Lease has the pause, a later process recognises the restore by the version alone. */
    @Test
    void keepsVersionFromBeforeRestoreUntilPauseIsWritten() {
        acquire(ONE).close();
        long version = cluster.lease().path("metadata").path("resourceVersion").asLong();
        try (var lease = acquire(withVersion(ONE, version + 1000))) {
            assertThat(pauseInLease()).endsWith(" the cluster was restored from a backup");
            assertThat(lease.version()).isLessThan(version + 1000);
        }
    }

    private String pauseInLease() {
        return cluster.lease()
                .path("metadata")
                .path("annotations")
                .path("claimstream.dev/writes-paused")
                .asText();
    }

    private static CandidateLog decidedLog() {
        return new CandidateLog("other", true, "there", new LogProgress() {
            @Override
            public long read() {
                return 2;
            }

            @Override
            public long last() {
                return 2;
            }

            @Override
            public void close() {}
        });
    }

    @Test
    void sameLogResumesAtOnceAfterKill() {
        acquire(ONE).close();
        try (var lease = acquire(nonEmptyLog(ONE))) {
            assertThat(lease.writeBlocker()).isEmpty();
            assertThat(cluster.lease().path("spec").path("leaseTransitions").asInt())
                    .isZero();
        }
    }

    @Test
    void otherLogAcquiresSoonAfterRelease() {
        acquire(ONE).release();
        assertThat(cluster.lease().path("spec").path("leaseDurationSeconds").asInt())
                .isEqualTo(1);
        try (var lease = acquire(OTHER)) {
            assertThat(lease.writeBlocker()).isEmpty();
            assertThat(holder()).isEqualTo("other");
        }
    }

    @Test
    void blocksWritesAfterLeaseIsLost() {
        try (var lease = acquire(ONE)) {
            cluster.remove(); // deletes the lease as an operator would
            try (var other = acquire(OTHER)) {
                await(() -> lease.lossReason().isPresent() || other.lossReason().isPresent());
                var loser = lease.lossReason().isPresent() ? lease : other;
                assertThat(loser.writeBlocker()).isEqualTo(loser.lossReason());
                assertThat(loser == lease ? other.lossReason() : lease.lossReason())
                        .isEmpty();
                loser.release();
                assertThat(holder()).isEqualTo(loser == lease ? "other" : "one");
            } catch (CompetingLogException e) {
                assertThat(lease.writeBlocker()).as("it was quicker").isEmpty();
            }
        }
    }

    @Test
    void blocksWritesBeforeUnrenewedLeaseExpires() {
        try (var lease = acquire(ONE)) {
            cluster.forbid();
            await(() -> lease.writeBlocker().isPresent());
            assertThat(lease.writeBlocker().orElseThrow())
                    .contains("claimstream/claimstream-log", "leases is forbidden", "rights-of-the-writer.yaml");
            assertThat(lease.lossReason()).isEmpty();
        }
    }

    @Test
    void reportsForbiddenLeaseWithRemedy() {
        cluster.forbid();
        assertThatThrownBy(() -> acquire(ONE))
                .isInstanceOf(ClusterFault.class)
                .hasMessageContaining("allow get, create and update of leases");
    }
}
