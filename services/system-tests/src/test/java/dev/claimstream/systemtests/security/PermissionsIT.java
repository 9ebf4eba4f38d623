package dev.claimstream.systemtests.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.claimstream.cli.doctor.SecurityInspector;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.ProducerSettings;
import dev.claimstream.kafka.TopicSetup;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.EmbeddedRegistry;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.RegistryServer;
import dev.claimstream.kafka.registry.RestRegistry;
import dev.claimstream.kafka.registry.RestRegistry.Registration;
import dev.claimstream.kafka.registry.RestRegistry.RegistrySettings;
import dev.claimstream.kafka.security.KafkaPermission;
import dev.claimstream.kafka.security.KafkaPrincipal;
import dev.claimstream.kafka.security.PrincipalTable;
import dev.claimstream.kafka.security.RegistryLogin;
import dev.claimstream.kafka.security.SecretFile;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus;
import dev.claimstream.systemtests.process.CommandResult;
import dev.claimstream.systemtests.security.PermissionProofs.PermissionRow;
import dev.claimstream.systemtests.workload.ClusterManifests;
import dev.claimstream.systemtests.workload.Users;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.avro.Schema;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
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
@Timeout(600)
final class PermissionsIT {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final PrincipalTable TABLE = PrincipalTable.shipped();
    private static final int PARTS = 5;
    private static final int FLOOD_RECORDS = 500;
    private static final int FLOOD_RECORD_BYTES = 50_000;

    @TempDir
    private static Path folder = Path.of("");

    private static final String READER = "token of a reader";

    private static AuthorizedBroker broker;
    private static EmbeddedRegistry schemas;
    private static RegistryServer plainRegistry;
    private static SecuredRegistry securedRegistry;
    private static RestRegistry registry;
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
        schemas = EmbeddedRegistry.open(broker.administrator());
        plainRegistry = schemas.serve(0);
        securedRegistry =
                SecuredRegistry.start(broker.authority(), plainRegistry.url(), Set.of(), Set.of("Bearer " + READER));
        var token = new SecretFile(Files.writeString(folder.resolve("registry-token"), READER));
        registry = new RestRegistry(RegistrySettings.of(securedRegistry.url())
                .trusting(broker.caFile())
                .as(new RegistryLogin.Bearer(token))
                .with(Registration.LOOK_UP));
        registerSchemas();
        services = new AuthorizedServices(broker, folder, registry);
        services.startAll();
        services.apply(ClusterManifests.ofDevices(1));
    }

    /** Registers the schemas of the services as the administrator. The services may read only. */
    private static void registerSchemas() {
        CommandResult missing = runTopics("--check", "--register");
        assertThat(missing.exitCode()).isEqualTo(1);
        assertThat(missing.err())
                .contains("is not registered under bad-records.v1-value: run 'claimstream topics --register'");
        assertThat(runTopics("--register").exitCode()).isZero();
        assertThat(runTopics("--check", "--register").exitCode()).isZero();
    }

    private static CommandResult runTopics(String... options) {
        List<String> command = new ArrayList<>(List.of("topics"));
        command.addAll(List.of("--bootstrap", broker.administrator().bootstrap()));
        command.addAll(List.of("--registry", plainRegistry.url().toString()));
        command.addAll(List.of(options));
        return CommandResult.run(command.toArray(String[]::new));
    }

    @AfterAll
    static void stop() {
        services.close();
        registry.close();
        securedRegistry.close();
        plainRegistry.close();
        schemas.close();
        broker.close();
    }

    /** Every other test runs with this registry, so the services need no permission to write there. */
    @Test
    void registryDeniesRegistrationToServices() {
        try (var registering = new RestRegistry(registry.settings().with(Registration.REGISTER))) {
            assertThatExceptionOfType(RegistryException.class)
                    .isThrownBy(() -> registering.register("a-value", Schema.create(Schema.Type.STRING)))
                    .withMessageContaining("403");
        }
        assertThatExceptionOfType(RegistryException.class)
                .isThrownBy(() -> registry.register("a-value", Schema.create(Schema.Type.STRING)))
                .withMessageContaining("not registered under a-value: run 'claimstream topics --register'");
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

    private interface WaitCondition {
        boolean isMet();
    }

    private static void await(WaitCondition condition, Supplier<String> otherwise) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (!condition.isMet()) {
            assertThat(System.nanoTime()).as(otherwise).isLessThan(end);
            Users.pause(PAUSE);
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
    @Tag("part-2")
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

    /**
     * Archive, history, shadow and simulator run, each as its own user. The history names a permission that it loses,
     * and continues once it has it.
     */
    @Test
    @Tag("part-1")
    void followersWorkWithPermissionsOfTable() throws Exception {
        String claim = "claim-" + ++claims;
        try {
            for (String follower : AuthorizedServices.FOLLOWERS) {
                services.start(follower);
            }
            services.apply(ClusterManifests.usedClaim(claim, 1));
            awaitAnswer("cell 0", "audit", "verify", "--archive", services.archive());
            awaitReport("archive", "[1-9]\\d* records archived to ");
            awaitReport("shadow", "UP: [1-9]\\d* inputs decided alike");
            awaitAnswer(claim, "who", "gpu-0", "--history", services.address("history"));
            Path asked = Files.writeString(folder.resolve("asked.yaml"), ClusterManifests.usedClaim("asked", 1));
            awaitReport("simulator", "follows the log");
            awaitAnswer("asked", "simulate", "-f", asked.toString(), "--simulator", services.address("simulator"));
            assertHistoryContinues();
            for (String follower : AuthorizedServices.FOLLOWERS) {
                assertThat(services.report(follower)).doesNotContain("denies", "DOWN");
            }
        } finally {
            AuthorizedServices.FOLLOWERS.forEach(services::stop);
            delete(claim);
        }
    }

    private static void assertHistoryContinues() throws InterruptedException {
        List<AclBinding> group = List.of(acl("history", "group claimstream-allocator", AclOperation.DESCRIBE));
        broker.remove(group);
        try {
            awaitReport("history", "denies User:claimstream-history access to group claimstream-allocator");
        } finally {
            broker.allow(group);
        }
        awaitReport("history", "history UP");
    }

    /** Repeats a command until its output contains the text. */
    private static void awaitAnswer(String text, String... command) {
        await(() -> answer(command).contains(text), () -> answer(command));
    }

    private static void awaitReport(String service, String pattern) {
        await(
                () -> Pattern.compile(pattern).matcher(services.report(service)).find(),
                () -> "no '%s' in%n%s".formatted(pattern, services.report(service)));
    }

    /** The output of a command. */
    private static String answer(String... command) {
        CommandResult result = CommandResult.run(command);
        return result.out() + result.err();
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

    /**
     * Removes the permissions for an operation together: none of them includes another one. The services run; the next
     * tests remove what these use all the time.
     */
    @Test
    void eachPermissionIsNeededForItsRequest() throws Exception {
        for (KafkaPrincipal principal : TABLE.all()) {
            try (var probe = new PermissionProbe(broker.connection(principal.name()))) {
                Map<AclOperation, List<PermissionRow>> byOperation = PermissionProofs.rows(principal).stream()
                        .filter(row -> !row.isShownWithOneCell())
                        .collect(Collectors.groupingBy(PermissionRow::operation));
                for (List<PermissionRow> rows : byOperation.values()) {
                    assertAllAreNeeded(principal.name(), probe, rows);
                }
            }
        }
    }

    private static void assertAllAreNeeded(String principal, PermissionProbe probe, List<PermissionRow> rows)
            throws Exception {
        for (PermissionRow row : rows) {
            assertThat(probe.denial(row.permission(), row.operation()))
                    .as(row.toString())
                    .isEmpty();
        }
        broker.remove(rows.stream().map(PermissionRow::acl).toList());
        try {
            for (PermissionRow row : rows) {
                assertThat(text(awaitDenial(probe, row), principal))
                        .as(row.toString())
                        .contains("denies %s access".formatted(AuthorizedBroker.user(principal)))
                        .contains("claimstream topics acls");
            }
        } finally {
            broker.allow(rows.stream().map(PermissionRow::acl).toList());
        }
        for (PermissionRow row : rows) {
            awaitPermission(probe, row);
        }
    }

    private static String text(AuthorizationException denial, String principal) throws Exception {
        return AuthorizationFault.textOr(denial, broker.connection(principal));
    }

    private static AuthorizationException awaitDenial(PermissionProbe probe, PermissionRow row)
            throws InterruptedException {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            Optional<AuthorizationException> denial = probe.denial(row.permission(), row.operation());
            if (denial.isPresent()) {
                return denial.get();
            }
            assertThat(System.nanoTime()).as("no denial of %s", row).isLessThan(end);
            Users.pause(PAUSE);
        }
    }

    private static void awaitPermission(PermissionProbe probe, PermissionRow row) throws InterruptedException {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (probe.denial(row.permission(), row.operation()).isPresent()) {
            assertThat(System.nanoTime()).as("%s stays denied", row).isLessThan(end);
            Users.pause(PAUSE);
        }
    }

    /** The services that run use neither of the two permissions. */
    @Test
    void doctorReportsMissingPermissions() throws Exception {
        assertThat(finding(broker.administrator(), Optional.empty(), "ACLs").status())
                .isEqualTo(FindingStatus.OK);
        for (String principal : List.of("writer", "allocator", "topics")) {
            DoctorFinding own = ownFinding(principal);
            assertThat(own.status()).as(own.toString()).isEqualTo(FindingStatus.OK);
        }
        List<AclBinding> removed = List.of(
                acl("writer", "topic explanations.v1", AclOperation.READ),
                acl("allocator", "TransactionalId claimstream-rebuild", AclOperation.WRITE));
        broker.remove(removed);
        try {
            await(
                    () -> finding(broker.administrator(), Optional.empty(), "ACLs")
                            .observation()
                            .equals("User:claimstream-allocator lacks Write on TransactionalId claimstream-rebuild; "
                                    + "User:claimstream-writer lacks Read on topic explanations.v1"),
                    () -> finding(broker.administrator(), Optional.empty(), "ACLs")
                            .toString());
            assertThat(ownFinding("writer"))
                    .isEqualTo(DoctorFinding.failed(
                            "permissions of writer",
                            "this user lacks Read on topic explanations.v1",
                            "claimstream topics acls --only writer prints the commands that grant them"));
            assertThat(ownFinding("allocator").observation())
                    .isEqualTo("this user lacks Write on TransactionalId claimstream-rebuild");
        } finally {
            broker.allow(removed);
        }
    }

    @Test
    void doctorReportsMissingQuota() throws Exception {
        assertThat(finding(broker.administrator(), Optional.empty(), "quotas").status())
                .isEqualTo(FindingStatus.OK);
        broker.setQuota("agent", "producer_byte_rate", Optional.empty());
        try {
            await(
                    () -> finding(broker.administrator(), Optional.empty(), "quotas")
                            .observation()
                            .contains("User:claimstream-agent has no producer_byte_rate"),
                    () -> finding(broker.administrator(), Optional.empty(), "quotas")
                            .toString());
        } finally {
            broker.setQuota("agent", "producer_byte_rate", Optional.of(1e7));
        }
        assertThat(finding(broker.connection("topics"), Optional.empty(), "quotas"))
                .matches(each -> each.status() == FindingStatus.WARNING
                        && each.observation().contains("not checked"));
    }

    @Test
    void doctorReportsSecurityAndDurability() throws Exception {
        KafkaConnection topics = broker.connection("topics");
        assertThat(finding(topics, Optional.empty(), "kafka security").status()).isEqualTo(FindingStatus.OK);
        assertThat(finding(topics, Optional.empty(), "certificates"))
                .matches(each ->
                        each.status() == FindingStatus.OK && each.observation().contains("127.0.0.1:"));
        assertThat(finding(topics, Optional.empty(), "ACLs"))
                .matches(each -> each.status() == FindingStatus.WARNING
                        && each.observation().contains("may not read"));
        assertThat(finding(broker.administrator(), Optional.empty(), "kafka security")
                        .observation())
                .contains("neither encrypted nor authenticated");
        assertThat(finding(broker.administrator(), Optional.empty(), "replication")
                        .observation())
                .contains("Kafka has 1 broker");
        assertThat(finding(broker.administrator(), Optional.empty(), "topics without ACLs")
                        .status())
                .isEqualTo(FindingStatus.OK);
    }

    private static AclBinding acl(String principal, String resource, AclOperation operation) {
        return TABLE.get(principal).permissions().stream()
                .filter(each -> each.resourceText().equals(resource))
                .flatMap(each -> each.bindings(AuthorizedBroker.user(principal)).stream())
                .filter(each -> each.entry().operation() == operation)
                .findFirst()
                .orElseThrow();
    }

    private static DoctorFinding ownFinding(String principal) throws IOException {
        return finding(broker.connection(principal), Optional.of(principal), "permissions of " + principal);
    }

    private static DoctorFinding finding(KafkaConnection kafka, Optional<String> principal, String check) {
        return new SecurityInspector(
                        Optional.of(kafka),
                        Optional.empty(),
                        Optional.empty(),
                        principal,
                        "User:" + AuthorizedBroker.PREFIX)
                .findings(Instant.now()).stream()
                        .filter(each -> each.check().equals(check))
                        .findFirst()
                        .orElseThrow();
    }

    /** A certificate is the same principal as a user, by a rule of the broker. */
    @Test
    void certificateHasPermissionsOfItsPrincipal() throws Exception {
        KafkaConnection agent = broker.certificateConnection("agent");
        try (var probe = new PermissionProbe(agent)) {
            assertThat(probe.write(Topics.TELEMETRY)).isEmpty();
            assertThat(probe.write(Topics.CLAIMS))
                    .get()
                    .extracting(denial -> AuthorizationFault.textOr(denial, agent))
                    .asString()
                    .contains("denies the principal of certificate", "claimstream-agent.pem access to topic claims.v1");
        }
    }

    /** The flood is of one principal; the claim comes from another. */
    @Test
    @Tag("part-3")
    void quotaThrottlesFloodOfProducer() throws Exception {
        try (var flood = new KafkaProducer<>(
                ProducerSettings.of(broker.connection("producer"), "flood").properties(),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (int i = 0; i < FLOOD_RECORDS; i++) {
                var unused = flood.send(
                        new ProducerRecord<>(Topics.INVENTORY, 0, new byte[] {1}, new byte[FLOOD_RECORD_BYTES]));
            }
            await(() -> throttleMs(flood) > 0, () -> "no throttling");
            assertClaimIsAllocated();
            flood.close(Duration.ZERO);
        }
    }

    private static double throttleMs(KafkaProducer<?, ?> producer) {
        return producer.metrics().values().stream()
                .filter(each -> each.metricName().name().equals("produce-throttle-time-max"))
                .mapToDouble(each -> each.metricValue() instanceof Double value && !value.isNaN() ? value : 0)
                .max()
                .orElse(0);
    }

    @Test
    @Tag("part-0")
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
        List<PermissionRow> rows = PermissionProofs.SERVICES.stream()
                .flatMap(name -> PermissionProofs.rows(TABLE.get(name)).stream())
                .filter(PermissionRow::isShownWithOneCell)
                .toList();
        for (int i = part; i < rows.size(); i += PARTS) {
            removeFromService(rows.get(i));
        }
        assertClaimIsAllocated();
    }

    /** Restarts the service without the permission, gives it work, and reads its health. */
    private static void removeFromService(PermissionRow row) throws Exception {
        String service = row.permission().principal();
        boolean isFollower = AuthorizedServices.FOLLOWERS.contains(service);
        services.stop(service);
        broker.remove(List.of(row.acl()));
        String name = "claim-" + ++claims;
        try {
            if (isFollower) {
                try (var probe = new PermissionProbe(broker.connection(service))) {
                    var unused = awaitDenial(probe, row); // it reads some topics only once
                }
            }
            services.start(service, broker.connection(service), row.settings());
            services.apply(ClusterManifests.usedClaim(name, 1));
            if (row.isForBadRecord()) {
                sendBadRecord();
            }
            if (row.isForSilentNode()) {
                services.stop("agent");
            }
            String denied =
                    "denies %s access to %s".formatted(AuthorizedBroker.user(service), textOfRow(row.permission()));
            await(
                    () -> services.report(service).contains(denied),
                    () -> "%s: no '%s' in%n%s".formatted(row, denied, services.report(service)));
            assertThat(services.report(service)).contains("claimstream topics acls");
        } finally {
            services.stop(service);
            broker.allow(List.of(row.acl()));
            if (!isFollower) {
                services.start(service);
            }
            if (row.isForSilentNode()) {
                services.stop("agent");
                services.start("agent");
            }
            delete(name);
        }
    }

    /** As the administrator, who may write every topic. */
    private static void sendBadRecord() throws Exception {
        try (var producer = new KafkaProducer<>(
                ProducerSettings.of(broker.administrator(), "bad-record").properties(),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.send(new ProducerRecord<>(Topics.INVENTORY, 0, new byte[] {1}, new byte[] {1}))
                    .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
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
