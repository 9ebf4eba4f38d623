package dev.claimstream.systemtests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.kafka.security.PrincipalTable;
import dev.claimstream.systemtests.security.PermissionProofs.PermissionRow;
import dev.claimstream.systemtests.workload.ClusterManifests;
import dev.claimstream.systemtests.workload.Users;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that allocators with two cells need the permissions of their router, and report a missing one. */
@Tag("part-3")
@Timeout(300)
final class RouterPermissionsIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int CELLS = 2;
    private static final List<String> USED = List.of("watcher", "allocator", "writer");

    @TempDir
    private Path folder = Path.of("");

    private int claims;

    @Test
    void allocatorNamesMissingPermissionOfRouter() throws Exception {
        try (var broker = AuthorizedBroker.start(folder)) {
            var unused = TopicSetup.createMissing(
                    broker.connection("topics"),
                    Topics.shipped().forCells(CELLS).withChangelogs(),
                    TIMEOUT);
            try (var services = new AuthorizedServices(broker, folder, SchemaRegistry.inMemory())) {
                for (String service : USED) {
                    services.start(service);
                }
                services.apply(ClusterManifests.ofDevices(20));
                assertClaimIsAllocated(services);
                List<PermissionRow> rows = PermissionProofs.rows(
                                PrincipalTable.shipped().get("allocator"))
                        .stream()
                        .filter(row -> PermissionProofs.ROUTER.contains(row.toString()))
                        .toList();
                assertThat(rows).hasSameSizeAs(PermissionProofs.ROUTER);
                for (PermissionRow row : rows) {
                    removeFromAllocator(broker, services, row);
                }
                assertClaimIsAllocated(services);
            }
        }
    }

    /** A new node has a new placement, and a new claim is an input of the router. */
    private void removeFromAllocator(AuthorizedBroker broker, AuthorizedServices services, PermissionRow row)
            throws Exception {
        services.stop("allocator");
        broker.remove(List.of(row.acl()));
        try {
            services.start("allocator", broker.connection("allocator"), row.settings());
            services.apply(ClusterManifests.usedClaim("claim-" + ++claims, 1) + """
                    ---
                    apiVersion: v1
                    kind: Node
                    metadata: {name: new-node-%d}
                    """.formatted(claims));
            String denied = "denies %s access to %s"
                    .formatted(
                            AuthorizedBroker.user("allocator"), row.permission().resourceText());
            await(
                    () -> services.report("allocator").contains(denied),
                    () -> "%s: no '%s' in%n%s".formatted(row, denied, services.report("allocator")));
        } finally {
            services.stop("allocator");
            broker.allow(List.of(row.acl()));
            services.start("allocator");
        }
    }

    private void assertClaimIsAllocated(AuthorizedServices services) {
        String name = "claim-" + ++claims;
        services.apply(ClusterManifests.usedClaim(name, 1));
        await(() -> services.isAllocated(name), services::report);
    }

    private static void await(BooleanSupplier condition, Supplier<String> otherwise) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as(otherwise).isLessThan(end);
            Users.pause(Duration.ofMillis(20));
        }
    }
}
