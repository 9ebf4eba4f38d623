package dev.claimstream.cli.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.failed;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.ok;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.warning;

import dev.claimstream.kafka.examination.KafkaExamination;
import dev.claimstream.kafka.examination.PermissionFacts;
import dev.claimstream.kafka.examination.TopicFacts;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Security and durability of a Kafka cluster, and the findings on them.
 *
 * @param protocol value of {@code security.protocol}
 * @param replication brokers and topics
 * @param settings settings of the brokers
 * @param permissions all ACLs, compared with the table of permissions
 * @param own what the current user lacks, if doctor uses the credentials of a service
 */
public record KafkaReport(
        String protocol,
        QueryResult<TopicReplication> replication,
        QueryResult<SortedMap<String, String>> settings,
        QueryResult<PermissionFacts> permissions,
        Optional<OwnPermissions> own) {
    private static final int REPLICAS_WANTED = 3;
    private static final int NAMED_MAX = 8;
    private static final String KAFKA_ADMIN = "run doctor with the credentials of an administrator of Kafka";
    private static final String ACL_COMMANDS = "claimstream topics acls --bootstrap HOST:PORT | grep -v '^#' | sh";

    /** Number of brokers, and the existing topics of the contracts. */
    public record TopicReplication(int brokers, List<TopicFacts> topics) {
        public TopicReplication {
            topics = List.copyOf(topics);
        }
    }

    /**
     * The permissions of the current user.
     *
     * @param principal name in {@code principals.yaml}
     * @param missing one text for each that it lacks
     */
    public record OwnPermissions(String principal, QueryResult<List<String>> missing) {}

    /** Returns the findings, in an order in which the problems can be fixed. */
    public List<DoctorFinding> findings() {
        List<DoctorFinding> findings = new ArrayList<>();
        findings.add(encryption());
        findings.add(replicationFinding());
        findings.addAll(settingsFindings());
        own.ifPresent(each -> findings.add(ownFinding(each)));
        findings.add(permissionFinding());
        return findings;
    }

    private DoctorFinding encryption() {
        String check = "kafka security";
        return switch (protocol) {
            case "SASL_SSL", "SSL" -> ok(check, protocol + ": encrypted and authenticated");
            case "SASL_PLAINTEXT" ->
                warning(
                        check,
                        "SASL_PLAINTEXT: not encrypted, records and passwords can be read on the network",
                        "use a listener with TLS: claimstream.kafka.security.protocol=SASL_SSL");
            default ->
                warning(
                        check,
                        "neither encrypted nor authenticated: every process on the network can write decisions",
                        "use a listener with TLS and credentials (deploy/SECURITY.md)");
        };
    }

    // ---- replication

    private DoctorFinding replicationFinding() {
        String check = "replication";
        return switch (replication) {
            case QueryResult.Failure<TopicReplication>(String why) ->
                warning(check, "not checked: " + why, KAFKA_ADMIN);
            case QueryResult.Value<TopicReplication>(TopicReplication found) -> replicationFinding(check, found);
        };
    }

    private static DoctorFinding replicationFinding(String check, TopicReplication found) {
        Optional<String> blocked = names(found, each -> each.blocked() > 0);
        if (blocked.isPresent()) {
            return failed(
                    check,
                    "fewer replicas are in sync than min.insync.replicas, so writes fail: " + blocked.get(),
                    "start the missing brokers");
        }
        if (found.brokers() < REPLICAS_WANTED) {
            return warning(
                    check,
                    "Kafka has %d %s: the loss of one can lose records or stop all decisions"
                            .formatted(found.brokers(), found.brokers() == 1 ? "broker" : "brokers"),
                    "use three brokers or more, and three replicas for each topic");
        }
        Optional<String> few = names(found, each -> each.replication() < REPLICAS_WANTED);
        if (few.isPresent()) {
            return warning(
                    check,
                    "fewer than three replicas: " + few.get(),
                    "add replicas with kafka-reassign-partitions; for topics to come set default.replication.factor=3 on the brokers");
        }
        Optional<String> weak = names(found, each -> each.minInSync() < 2);
        if (weak.isPresent()) {
            return warning(
                    check,
                    "min.insync.replicas is 1, so a write that one broker has counts as kept: " + weak.get(),
                    "kafka-configs --alter --entity-type topics --entity-name TOPIC --add-config min.insync.replicas=2");
        }
        Optional<String> stopping = names(found, each -> each.minInSync() >= each.replication());
        if (stopping.isPresent()) {
            return warning(
                    check,
                    "min.insync.replicas equals the number of replicas, so the restart of one broker stops writes: "
                            + stopping.get(),
                    "kafka-configs --alter --entity-type topics --entity-name TOPIC --add-config min.insync.replicas=2");
        }
        return names(found, each -> each.lagging() > 0)
                .map(lagging -> warning(
                        check,
                        "a replica is not in sync: " + lagging,
                        "wait if a broker has just started; otherwise start it"))
                .orElseGet(() -> ok(
                        check,
                        "all %d topics have at least three replicas, two of them in sync for a write"
                                .formatted(found.topics().size())));
    }

    private static Optional<String> names(TopicReplication found, Predicate<TopicFacts> which) {
        List<String> names =
                found.topics().stream().filter(which).map(TopicFacts::name).toList();
        return names.isEmpty() ? Optional.empty() : Optional.of(shortened(names, ", "));
    }

    private static String shortened(List<String> texts, String between) {
        String first = texts.stream().limit(NAMED_MAX).collect(Collectors.joining(between));
        return texts.size() <= NAMED_MAX ? first : first + between + "and %d more".formatted(texts.size() - NAMED_MAX);
    }

    // ---- settings of the brokers

    private List<DoctorFinding> settingsFindings() {
        return switch (settings) {
            case QueryResult.Failure<SortedMap<String, String>> _ ->
                List.of(warning(
                        "broker settings",
                        "this user may not read %s and %s"
                                .formatted(KafkaExamination.AUTO_CREATION, KafkaExamination.OPEN_WITHOUT_ACL),
                        KAFKA_ADMIN));
            case QueryResult.Value<SortedMap<String, String>>(SortedMap<String, String> values) ->
                List.of(
                        setting(
                                values,
                                "automatic topics",
                                KafkaExamination.AUTO_CREATION,
                                "a misspelled topic name creates a topic with the wrong partitions and cleanup policy"),
                        setting(
                                values,
                                "topics without ACLs",
                                KafkaExamination.OPEN_WITHOUT_ACL,
                                "a topic without ACLs is open to every user"));
        };
    }

    private static DoctorFinding setting(SortedMap<String, String> values, String check, String name, String harm) {
        return Boolean.parseBoolean(values.get(name))
                ? warning(check, "%s is true: %s".formatted(name, harm), "set %s=false on all brokers".formatted(name))
                : ok(check, name + " is false");
    }

    // ---- permissions

    private static DoctorFinding ownFinding(OwnPermissions own) {
        String check = "permissions of " + own.principal();
        return switch (own.missing()) {
            case QueryResult.Failure<List<String>>(String why) ->
                warning(check, "not checked: " + why, "correct this, and run doctor again");
            case QueryResult.Value<List<String>>(List<String> missing) ->
                missing.isEmpty()
                        ? ok(check, "this user has all of them")
                        : failed(
                                check,
                                "this user lacks " + shortened(missing, ", "),
                                "claimstream topics acls --only %s prints the commands that grant them"
                                        .formatted(own.principal()));
        };
    }

    private DoctorFinding permissionFinding() {
        String check = "ACLs";
        return switch (permissions) {
            case QueryResult.Failure<PermissionFacts>(String why) -> warning(check, "not checked: " + why, KAFKA_ADMIN);
            case QueryResult.Value<PermissionFacts>(PermissionFacts found) ->
                switch (found) {
                    case PermissionFacts.NoAuthorizer _ ->
                        warning(
                                check,
                                "the brokers have no authorizer: every client may write decisions",
                                "set authorizer.class.name on the brokers, then: " + ACL_COMMANDS);
                    case PermissionFacts.Denied(String why) ->
                        warning(check, "not checked, this user may not read them: " + why, KAFKA_ADMIN);
                    case PermissionFacts.AclDifferences(List<String> missing, List<String> excess) ->
                        comparison(check, missing, excess);
                };
        };
    }

    private static DoctorFinding comparison(String check, List<String> missing, List<String> excess) {
        if (!missing.isEmpty()) {
            return failed(check, shortened(missing, "; "), "grant them: " + ACL_COMMANDS);
        }
        return excess.isEmpty()
                ? ok(check, "each principal has the permissions of the table, and no other may write internal topics")
                : warning(
                        check,
                        "more than the table of permissions: " + shortened(excess, "; "),
                        "remove them with kafka-acls --remove");
    }
}
