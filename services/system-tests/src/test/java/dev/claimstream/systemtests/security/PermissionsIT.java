package dev.claimstream.systemtests.security;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.security.KafkaPermission;
import dev.claimstream.kafka.security.KafkaPrincipal;
import dev.claimstream.kafka.security.PrincipalTable;
import dev.claimstream.systemtests.workload.ClusterManifests;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.errors.AuthorizationException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the table of permissions on a broker with an authorizer: the services need each permission and no other, and
 * report a missing one.
 */
@Timeout(300)
final class PermissionsIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final long PAUSE_MS = 20;
    private static final PrincipalTable TABLE = PrincipalTable.shipped();
    private static final int PARTS = 5;

    /** Permissions that a service with one cell and without a rebuild uses only in other modes, or after a fault. */
    private static final List<String> OTHER_MODES = List.of(
            "allocator READ topic router.in",
            "allocator WRITE topic router.in",
            "allocator READ topic placement.v1",
            "allocator WRITE topic placement.v1",
            "allocator READ topic claimstream-allocator-router-rows-changelog",
            "allocator WRITE topic claimstream-allocator-router-rows-changelog",
            "allocator READ topic decisions.v1",
            "allocator READ topic explanations.v1",
            "allocator READ topic comparisons.v1",
            "allocator WRITE topic comparisons.v1",
            "allocator WRITE topic bad-records.v1",
            "allocator WRITE topic inventory.v1",
            "allocator WRITE TransactionalId claimstream-rebuild",
            "watcher READ topic inventory.v1",
            "watcher READ topic claims.v1");

    @TempDir
    private static Path folder = Path.of("");

    private static AuthorizedBroker broker;
    private static AuthorizedServices services;
    private static int claims;

    @SuppressWarnings("NullAway.Init") // JUnit calls start before any test
    PermissionsIT() {}

    @BeforeAll
    static void start() throws Exception {
        broker = AuthorizedBroker.start(folder);
        List<String> created = TopicSetup.createMissing(
                broker.connection("topics"), Topics.shipped().withChangelogs(), TIMEOUT);
        assertThat(created).contains(Topics.LEDGER, Topics.CELL_CHANGELOG);
        services = new AuthorizedServices(broker, folder);
        services.startAll();
        services.apply(ClusterManifests.ofDevices(1));
    }

    @AfterAll
    static void stop() {
        services.close();
        broker.close();
    }

    private record Row(KafkaPermission permission, AclOperation operation) {
        AclBinding acl() {
            return new AclBinding(
                    permission.resource(),
                    new AccessControlEntry(
                            AuthorizedBroker.user(permission.principal()),
                            "*",
                            operation,
                            AclPermissionType.ALLOW));
        }

        @Override
        public String toString() {
            return "%s %s %s".formatted(permission.principal(), operation, permission.resourceText());
        }
    }

    private static List<Row> rows(KafkaPrincipal principal) {
        List<Row> rows = new ArrayList<>();
        principal
                .permissions()
                .forEach(permission -> permission.operations().forEach(each -> rows.add(new Row(permission, each))));
        return rows;
    }

    /** Applies a claim with a pod, and waits until the writer has committed its allocation. Then the pod is deleted. */
    private static void assertClaimIsAllocated() {
        String name = "claim-" + ++claims;
        services.apply(ClusterManifests.usedClaim(name, 1));
        await(() -> services.isAllocated(name), () -> "%s is pending:%n%s".formatted(name, services.report()));
        delete(name);
    }

    private static void delete(String name) {
        services.delete(Kind.POD, name);
        services.delete(Kind.RESOURCE_CLAIM, name);
    }

    private interface Condition {
        boolean isMet();
    }

    private static void await(Condition condition, Supplier<String> otherwise) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.isMet()) {
            assertThat(System.nanoTime()).as(otherwise).isLessThan(end);
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void claimIsAllocatedWithPermissionsOfTable() {
        assertClaimIsAllocated();
        await(
                () -> !services.report().contains("DEGRADED")
                        && !services.report().contains("DOWN"),
                services::report);
        assertThat(services.report()).doesNotContain("denies");
    }

    @Test
    void brokerDeniesRequestsOutsideTable() throws Exception {
        for (KafkaPrincipal principal : TABLE.all()) {
            try (var probe = new PermissionProbe(broker.connection(principal.name()))) {
                List<String> written = new ArrayList<>();
                for (String topic : Topics.shipped().withChangelogs().byName().keySet()) {
                    if (probe.write(topic).isEmpty()) {
                        written.add(topic);
                    }
                }
                assertThat(written)
                        .as("topics that %s may write", principal.name())
                        .containsExactlyInAnyOrderElementsOf(principal.permissions().stream()
                                .filter(each -> each.operations().contains(AclOperation.WRITE))
                                .map(each -> each.resource().name())
                                .filter(name -> Topics.shipped()
                                        .withChangelogs()
                                        .find(name)
                                        .isPresent())
                                .toList());
                assertThat(probe.changes(Topics.LEDGER))
                        .as("delete and alter %s as %s", Topics.LEDGER, principal.name())
                        .allMatch(Optional::isPresent);
                assertThat(probe.create("another-topic"))
                        .as("create a topic as %s", principal.name())
                        .isPresent();
            }
        }
    }

    /** Of an agent and of an external producer, in the words of a review. */
    @Test
    void agentsAndProducersWriteNoClaimDecisionOrLedger() {
        for (String principal : List.of("agent", "producer")) {
            assertThat(TABLE.get(principal).permissions())
                    .as(principal)
                    .extracting(KafkaPermission::resourceText)
                    .isSubsetOf("topic inventory.v1", "topic telemetry.v1");
        }
    }

    @Test
    void eachPermissionIsNeededForItsRequest() throws Exception {
        for (KafkaPrincipal principal : TABLE.all()) {
            try (var probe = new PermissionProbe(broker.connection(principal.name()))) {
                // the services run: a permission that they use all the time is removed in the tests below
                for (Row row : rows(principal)) {
                    if (isUsedBySomeService(row)) {
                        continue;
                    }
                    assertThat(probe.denial(row.permission(), row.operation()))
                            .as(row.toString())
                            .isEmpty();
                    broker.remove(row.acl());
                    try {
                        assertThat(text(awaitDenial(probe, row), principal.name()))
                                .as(row.toString())
                                .contains("denies %s access".formatted(AuthorizedBroker.user(principal.name())))
                                .contains("claimstream topics acls");
                    } finally {
                        broker.allow(row.acl());
                    }
                    awaitPermission(probe, row);
                }
            }
        }
    }

    private static String text(AuthorizationException denial, String principal) throws Exception {
        return AuthorizationFault.textOr(denial, broker.connection(principal));
    }

    private static AuthorizationException awaitDenial(PermissionProbe probe, Row row) throws InterruptedException {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            Optional<AuthorizationException> denial = probe.denial(row.permission(), row.operation());
            if (denial.isPresent()) {
                return denial.get();
            }
            assertThat(System.nanoTime()).as("no denial of %s", row).isLessThan(end);
            pause();
        }
    }

    private static void awaitPermission(PermissionProbe probe, Row row) throws InterruptedException {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (probe.denial(row.permission(), row.operation()).isPresent()) {
            assertThat(System.nanoTime()).as("%s stays denied", row).isLessThan(end);
            pause();
        }
    }

    private static boolean isUsedBySomeService(Row row) {
        return AuthorizedServices.NAMES.contains(row.permission().principal()) && !OTHER_MODES.contains(row.toString());
    }

    @Test
    void serviceNamesMissingPermissionPart0() throws Exception {
        removeFromServices(0);
    }

    @Test
    @Tag("part-1")
    void serviceNamesMissingPermissionPart1() throws Exception {
        removeFromServices(1);
    }

    @Test
    @Tag("part-2")
    void serviceNamesMissingPermissionPart2() throws Exception {
        removeFromServices(2);
    }

    @Test
    @Tag("part-3")
    void serviceNamesMissingPermissionPart3() throws Exception {
        removeFromServices(3);
    }

    @Test
    @Tag("part-4")
    void serviceNamesMissingPermissionPart4() throws Exception {
        removeFromServices(4);
    }

    private static void removeFromServices(int part) throws Exception {
        List<Row> rows = AuthorizedServices.NAMES.stream()
                .flatMap(name -> rows(TABLE.get(name)).stream())
                .filter(PermissionsIT::isUsedBySomeService)
                .toList();
        assertThat(rows.stream().map(Row::toString)).doesNotContainAnyElementsOf(OTHER_MODES);
        for (int i = part; i < rows.size(); i += PARTS) {
            removeFromService(rows.get(i));
        }
        assertClaimIsAllocated();
    }

    /** Restarts the service without the permission, gives it work, and reads its health. */
    private static void removeFromService(Row row) throws Exception {
        String service = row.permission().principal();
        services.stop(service);
        broker.remove(row.acl());
        String name = "claim-" + ++claims;
        try {
            services.start(service);
            services.apply(ClusterManifests.usedClaim(name, 1));
            String denied = "denies %s access to %s"
                    .formatted(AuthorizedBroker.user(service), textOfRow(row.permission()));
            await(
                    () -> services.report(service).contains(denied),
                    () -> "%s: no '%s' in%n%s".formatted(row, denied, services.report(service)));
            assertThat(services.report(service)).contains("claimstream topics acls");
        } finally {
            services.stop(service);
            broker.allow(row.acl());
            services.start(service);
            delete(name);
        }
    }

    private static String textOfRow(KafkaPermission permission) {
        return switch (permission.resource().resourceType()) {
            case TRANSACTIONAL_ID -> "its TransactionalIds";
            case GROUP -> "group " + permission.resource().name();
            default -> permission.resourceText();
        };
    }
}
