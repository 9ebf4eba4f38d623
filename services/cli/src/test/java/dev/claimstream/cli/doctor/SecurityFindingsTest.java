package dev.claimstream.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.cli.console.ComponentStatuses;
import dev.claimstream.cli.doctor.KafkaReport.TopicReplication;
import dev.claimstream.kafka.examination.PermissionFacts;
import dev.claimstream.kafka.examination.SubjectFacts;
import dev.claimstream.kafka.examination.TopicFacts;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import dev.claimstream.kubernetes.doctor.DoctorFinding.FindingStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the findings on replication, settings, ACLs, schemas, certificates and versions, each from its facts. */
final class SecurityFindingsTest {
    private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

    private record SecurityCase(List<DoctorFinding> findings, String check, FindingStatus status, String text) {
        @Override
        public String toString() {
            return "%s %s: %s".formatted(check, status.text(), text);
        }
    }

    private static List<DoctorFinding> topics(int brokers, int replication, int minInSync, long lagging, long blocked) {
        return kafka(
                "SASL_SSL",
                new TopicReplication(
                        brokers, List.of(new TopicFacts("claims.v1", replication, minInSync, lagging, blocked))),
                Map.of(),
                new PermissionFacts.AclDifferences(List.of(), List.of()));
    }

    private static List<DoctorFinding> acls(PermissionFacts facts) {
        return kafka("SSL", new TopicReplication(3, List.of()), Map.of(), facts);
    }

    private static List<DoctorFinding> kafka(
            String protocol, TopicReplication topics, Map<String, String> settings, PermissionFacts permissions) {
        return new KafkaReport(
                        protocol,
                        new QueryResult.Value<>(topics),
                        new QueryResult.Value<>(new TreeMap<>(settings)),
                        new QueryResult.Value<>(permissions),
                        Optional.empty())
                .findings();
    }

    private static List<DoctorFinding> subject(String level, List<String> objections) {
        return new RegistryReport(
                        new QueryResult.Value<>(List.of(new SubjectFacts("claims.v1-value", level, objections))))
                .findings();
    }

    private static List<DoctorFinding> expiry(int days) {
        return new CertificateReport(new TreeMap<>(Map.of(
                        "kafka-0:9093", new QueryResult.Value<>(NOW.plus(Duration.ofDays(days))),
                        "kafka-1:9093", new QueryResult.Value<>(NOW.plus(Duration.ofDays(400))))))
                .findings(NOW);
    }

    private static List<DoctorFinding> versions(String... versions) {
        var health = new TreeMap<String, QueryResult<ComponentStatuses>>();
        for (String each : versions) {
            health.put(
                    "http://s" + health.size(),
                    new QueryResult.Value<>(new ComponentStatuses(new TreeMap<>(), Optional.of(each))));
        }
        return new ServicesReport(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), health)
                .findings();
    }

    static Stream<SecurityCase> rows() {
        Map<String, String> open =
                Map.of("auto.create.topics.enable", "true", "allow.everyone.if.no.acl.found", "true");
        var none = new PermissionFacts.AclDifferences(List.of(), List.of());
        var plain = kafka("PLAINTEXT", new TopicReplication(3, List.of()), open, none);
        return Stream.of(
                new SecurityCase(plain, "kafka security", FindingStatus.WARNING, "neither encrypted nor authenticated"),
                new SecurityCase(plain, "automatic topics", FindingStatus.WARNING, "auto.create.topics.enable=false"),
                new SecurityCase(plain, "topics without ACLs", FindingStatus.WARNING, "open to every user"),
                new SecurityCase(topics(3, 3, 2, 0, 0), "kafka security", FindingStatus.OK, "SASL_SSL"),
                new SecurityCase(topics(3, 3, 2, 0, 0), "automatic topics", FindingStatus.OK, "is false"),
                new SecurityCase(topics(3, 3, 2, 0, 0), "replication", FindingStatus.OK, "all 1 topics"),
                new SecurityCase(topics(1, 1, 1, 0, 0), "replication", FindingStatus.WARNING, "Kafka has 1 broker"),
                new SecurityCase(
                        topics(3, 1, 1, 0, 0),
                        "replication",
                        FindingStatus.WARNING,
                        "fewer than three replicas: claims.v1"),
                new SecurityCase(
                        topics(3, 3, 1, 0, 0), "replication", FindingStatus.WARNING, "min.insync.replicas is 1"),
                new SecurityCase(
                        topics(3, 3, 3, 0, 0),
                        "replication",
                        FindingStatus.WARNING,
                        "restart of one broker stops writes"),
                new SecurityCase(topics(3, 3, 2, 1, 0), "replication", FindingStatus.WARNING, "not in sync: claims.v1"),
                new SecurityCase(
                        topics(3, 3, 2, 1, 1), "replication", FindingStatus.FAILED, "so writes fail: claims.v1"),
                new SecurityCase(acls(none), "ACLs", FindingStatus.OK, "permissions of the table"),
                new SecurityCase(
                        acls(new PermissionFacts.NoAuthorizer()),
                        "ACLs",
                        FindingStatus.WARNING,
                        "authorizer.class.name"),
                new SecurityCase(
                        acls(new PermissionFacts.Denied("no")),
                        "ACLs",
                        FindingStatus.WARNING,
                        "an administrator of Kafka"),
                new SecurityCase(
                        acls(new PermissionFacts.AclDifferences(List.of("x lacks Write"), List.of())),
                        "ACLs",
                        FindingStatus.FAILED,
                        "claimstream topics acls"),
                new SecurityCase(
                        acls(new PermissionFacts.AclDifferences(List.of(), List.of("x may Write"))),
                        "ACLs",
                        FindingStatus.WARNING,
                        "kafka-acls --remove"),
                new SecurityCase(subject("FULL_TRANSITIVE", List.of()), "schemas", FindingStatus.OK, "1 subjects"),
                new SecurityCase(
                        subject("BACKWARD", List.of()),
                        "compatibility level",
                        FindingStatus.WARNING,
                        "claims.v1-value (BACKWARD)"),
                new SecurityCase(
                        subject("FULL_TRANSITIVE", List.of("version 2: TYPE")),
                        "schemas",
                        FindingStatus.FAILED,
                        "version 2: TYPE"),
                new SecurityCase(expiry(31), "certificates", FindingStatus.OK, "kafka-0:9093 expires on 2026-02-01"),
                new SecurityCase(expiry(29), "certificates", FindingStatus.WARNING, "renew it"),
                new SecurityCase(expiry(6), "certificates", FindingStatus.FAILED, "expires on 2026-01-07"),
                new SecurityCase(expiry(-1), "certificates", FindingStatus.FAILED, "expired on 2025-12-31"),
                new SecurityCase(versions("1.0", "1.0"), "versions", FindingStatus.OK, "all services have version 1.0"),
                new SecurityCase(
                        versions("1.0", "1.1"), "versions", FindingStatus.WARNING, "1.0: http://s0; 1.1: http://s1"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("rows")
    void findingFollowsFromFacts(SecurityCase row) {
        assertThat(row.findings())
                .filteredOn(each -> each.check().equals(row.check()))
                .singleElement()
                .satisfies(each -> {
                    assertThat(each.status()).as(each.toString()).isEqualTo(row.status());
                    assertThat(each.observation() + " " + each.remedy()).contains(row.text());
                });
    }

    /** Without TLS there is no finding; a server that cannot be read does not hide one that expires. */
    @Test
    void unreadableCertificateIsReportedAfterExpiringOne() {
        assertThat(new CertificateReport(new TreeMap<>()).findings(NOW)).isEmpty();
        var unreadable = new TreeMap<String, QueryResult<Instant>>(Map.of("a:1", new QueryResult.Failure<>("refused")));
        assertThat(new CertificateReport(unreadable).findings(NOW))
                .singleElement()
                .matches(each -> each.observation().contains("a:1 cannot be read"));
        unreadable.put("b:1", new QueryResult.Value<>(NOW.plus(Duration.ofDays(3))));
        assertThat(new CertificateReport(unreadable).findings(NOW))
                .singleElement()
                .matches(each -> each.status() == FindingStatus.FAILED
                        && each.observation().contains("b:1"));
    }
}
