package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.LogProgress;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.api.LeaseAcquisition.AcquisitionTiming;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A log that requests the lease before Kafka or the API server responds. */
@Timeout(60)
final class LeaseAcquisitionTest {
    private static final String CLOSED = "http://127.0.0.1:1";
    private static final AcquisitionTiming QUICK =
            new AcquisitionTiming(Duration.ofMillis(10), Duration.ofMillis(20), Duration.ofMillis(500));

    private final AtomicInteger closedLogs = new AtomicInteger();
    private final CompletableFuture<LogLease> acquired = new CompletableFuture<>();

    private CandidateLog log(String id) {
        return new CandidateLog(id, true, "here", new LogProgress() {
            @Override
            public long read() {
                return 0;
            }

            @Override
            public long last() {
                return 0;
            }

            @Override
            public void close() {
                closedLogs.incrementAndGet();
            }
        });
    }

    private LeaseAcquisition start(ApiHttpClient server, Supplier<CandidateLog> log) {
        return LeaseAcquisition.start(server, log, acquired::complete, QUICK);
    }

    private static ApiHttpClient client(String url) {
        return ApiHttpClient.at(url, Duration.ofSeconds(5));
    }

    private static void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
        }
    }

    @Test
    void retriesWithoutLimitWhileServerDoesNotRespond() {
        try (var server = client(CLOSED);
                var acquisition = start(server, () -> log("one"))) {
            await(() -> closedLogs.get() > 50); // longer than the limit of a denial
            assertThat(acquisition.abortReason()).isEmpty();
            assertThat(acquisition.problem())
                    .contains("claimstream/claimstream-log", "no response from " + CLOSED, "kubectl version");
            assertThat(acquired).isNotDone();
        }
    }

    @Test
    void acquiresLeaseOnceKafkaResponds() throws Exception {
        var attempts = new AtomicInteger();
        try (var cluster = new LeaseServer();
                var server = client(cluster.url());
                var acquisition = start(server, () -> {
                    if (attempts.incrementAndGet() < 4) {
                        throw new ClusterFault("no response from Kafka");
                    }
                    return log("one");
                });
                var lease = acquired.get()) {
            assertThat(lease.writeBlocker()).isEmpty();
            assertThat(lease.log()).isEqualTo("one");
            assertThat(acquisition.abortReason()).isEmpty();
            assertThat(attempts).hasValue(4);
        }
    }

    @Test
    void endsAfterLastingDenial() {
        try (var cluster = new LeaseServer();
                var server = client(cluster.url())) {
            cluster.forbid();
            long began = System.nanoTime();
            try (var acquisition = start(server, () -> log("one"))) {
                await(() -> acquisition.abortReason().isPresent());
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThanOrEqualTo(QUICK.denialLimit());
                assertThat(acquisition.abortReason().orElseThrow())
                        .contains("leases is forbidden", "rights-of-the-writer.yaml");
                assertThat(closedLogs).hasPositiveValue();
            }
        }
    }

    @Test
    void endsIfOtherLogServesCluster() {
        try (var cluster = new LeaseServer();
                var server = client(cluster.url());
                var other =
                        LogLease.acquire(server, log("other"), LogLease.LeaseTiming.DEFAULT, InstantSource.system());
                var acquisition = start(server, () -> new CandidateLog("one", false, "here", LogProgress.NONE))) {
            await(() -> acquisition.abortReason().isPresent());
            assertThat(acquisition.abortReason().orElseThrow()).contains("served by another decision log, other");
            assertThat(other.writeBlocker()).isEmpty();
            assertThat(acquired).isNotDone();
        }
    }
}
