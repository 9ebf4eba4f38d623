package dev.claimstream.kubernetes.api;

import static dev.claimstream.kubernetes.api.StubServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import dev.claimstream.kubernetes.ClusterFault;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An API server whose first responses fail, and a lease that is not acquired yet. */
final class ApiClusterTest {
    private final StubServer server = new StubServer();
    private final ApiCluster cluster = ApiCluster.at(server.url(), ApiScope.ALL, Duration.ofSeconds(5));

    @AfterEach
    void close() {
        cluster.close();
        server.close();
    }

    @Test
    void versionFailsUntilServerResponds() {
        server.onRequest(
                "GET /version",
                json(503, "no server is available"),
                json(500, "{'kind':'Status','message':'no'}"),
                json(200, "{'gitVersion':'v1.36.4'}"));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(cluster::version)
                    .isInstanceOf(ClusterFault.class)
                    .hasMessageContaining("does not report its version");
        }
        assertThat(cluster.version()).isEqualTo("v1.36.4");
    }

    @Test
    void writesNothingBeforeLeaseIsAcquired() {
        assertThat(cluster.logId()).isEqualTo("-");
        cluster.acquireLeaseInBackground(() -> {
            throw new ClusterFault("no response from Kafka");
        });
        var change = StatusChange.deallocate(new ObjectKey("team", "a"), "uid-a", 1);
        assertThat(cluster.write(change)).isInstanceOf(WriteResult.TooManyRequests.class);
        assertThatThrownBy(cluster::logId)
                .isInstanceOf(ClusterFault.class)
                .hasMessageContaining("nothing is written without the lease");
        assertThat(cluster.isLeasePending()).isTrue();
        assertThat(cluster.writeBlocker()).isPresent();
        assertThat(cluster.leaseLossReason()).isEmpty();
        assertThat(server.requests()).isEmpty();
    }
}
