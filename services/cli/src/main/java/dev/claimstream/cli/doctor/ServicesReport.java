package dev.claimstream.cli.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.failed;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.ok;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.warning;

import dev.claimstream.cli.console.ComponentStatuses;
import dev.claimstream.kafka.BrokerReachability;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The observed state of individually started services, and the findings on it.
 *
 * @param rejected why Kafka grants no access, with the setting
 * @param brokers empty if no broker is given, or Kafka grants no access
 * @param topics missing topics; empty if no broker responds
 * @param registry subjects of the schema registry; empty if no registry is given
 * @param health component health of each service, by address
 */
public record ServicesReport(
        Optional<String> rejected,
        Optional<BrokerReachability> brokers,
        Optional<QueryResult<List<String>>> topics,
        Optional<QueryResult<List<String>>> registry,
        SortedMap<String, QueryResult<ComponentStatuses>> health) {
    private static final String BROKERS = "brokers";

    public ServicesReport {
        health = Collections.unmodifiableSortedMap(new TreeMap<>(health));
    }

    public List<DoctorFinding> findings() {
        List<DoctorFinding> findings = new ArrayList<>();
        findings.add(rejected.map(why -> failed(BROKERS, why, "correct this setting, and run doctor again"))
                .or(() -> brokers.map(ServicesReport::brokerFinding))
                .orElseGet(() -> notConfigured(BROKERS, "brokers and topics were", "--bootstrap HOST:PORT,...")));
        topics.ifPresent(each -> findings.add(KafkaFindings.topics(
                each,
                "correct this, and run doctor again",
                "create them: claimstream topics --bootstrap HOST:PORT, with the --cells of the other topics")));
        findings.add(registry.map(each -> KafkaFindings.registry(
                        each,
                        "check that it runs; its address includes the path of Confluent's protocol, if it has one"))
                .orElseGet(() -> notConfigured("registry", "it was", "--registry URL")));
        if (health.isEmpty()) {
            findings.add(notConfigured(
                    "services",
                    "health, watcher, lag and alarms were",
                    "--console URL and --health URL,... (CLAIMSTREAM_OBSERVABILITY_PORT of each)"));
            return findings;
        }
        health.forEach((address, asked) -> findings.add(serviceFinding(address, asked)));
        versionFinding().ifPresent(findings::add);
        if (isObserving()) {
            findings.add(componentFinding(ComponentStatuses.MODE, ""));
        }
        findings.add(componentFinding(ComponentStatuses.WATCHER, ComponentStatuses.WATCHER_REMEDY));
        findings.add(componentFinding(
                ComponentStatuses.LAG, "wait; if the lag does not fall, see the service that is not up"));
        findings.add(componentFinding(ComponentStatuses.ALARMS, ComponentStatuses.ALARMS_REMEDY));
        return findings;
    }

    /** Returns whether an allocator reports that it only observes. */
    public boolean isObserving() {
        return health.values().stream()
                .anyMatch(asked -> asked instanceof QueryResult.Value<ComponentStatuses>(ComponentStatuses parts)
                        && parts.find(ComponentStatuses.MODE).isPresent());
    }

    private static DoctorFinding notConfigured(String check, String what, String options) {
        return warning(check, "not named: %s not checked".formatted(what), "name it with " + options);
    }

    private static DoctorFinding brokerFinding(BrokerReachability brokers) {
        String answering = String.join(", ", brokers.reachable());
        String silent = String.join(", ", brokers.unreachable());
        if (brokers.unreachable().isEmpty()) {
            return ok(BROKERS, "all respond: " + answering);
        }
        String remedy = "check that they run, and that clients reach them by these names (advertised.listeners)";
        return brokers.reachable().isEmpty()
                ? failed(BROKERS, "no response: " + silent, remedy)
                : warning(BROKERS, "no response from %s; %s".formatted(silent, "others respond: " + answering), remedy);
    }

    private static DoctorFinding serviceFinding(String address, QueryResult<ComponentStatuses> asked) {
        String check = "service " + address;
        return switch (asked) {
            case QueryResult.Failure<ComponentStatuses>(String why) ->
                failed(check, why, "check that it runs, and its CLAIMSTREAM_OBSERVABILITY_PORT");
            case QueryResult.Value<ComponentStatuses>(ComponentStatuses parts) ->
                parts.otherProblem()
                        .map(part -> part.finding(check, "see its message; restart it if it does not recover"))
                        .orElseGet(() ->
                                ok(check, "up: " + String.join(", ", parts.all().keySet())));
        };
    }

    /** Returns the finding on the versions of the services; empty if none reports its version. */
    private Optional<DoctorFinding> versionFinding() {
        SortedMap<String, List<String>> byVersion = new TreeMap<>();
        health.forEach((address, asked) -> {
            if (asked instanceof QueryResult.Value<ComponentStatuses>(ComponentStatuses parts)) {
                parts.version()
                        .ifPresent(each -> byVersion
                                .computeIfAbsent(each, _ -> new ArrayList<>())
                                .add(address));
            }
        });
        String check = "versions";
        return switch (byVersion.size()) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(ok(check, "all services have version " + byVersion.firstKey()));
            default ->
                Optional.of(
                        warning(
                                check,
                                byVersion.entrySet().stream()
                                        .map(each ->
                                                "%s: %s".formatted(each.getKey(), String.join(", ", each.getValue())))
                                        .collect(Collectors.joining("; ")),
                                "finish the upgrade or the rollback; services of one minor release apart work together (deploy/UPGRADES.md)"));
        };
    }

    /** Returns the finding on a component, merged over all services that have it. */
    private DoctorFinding componentFinding(String name, String remedy) {
        SortedMap<String, ComponentStatuses.ComponentStatus> having = new TreeMap<>();
        health.forEach((address, asked) -> {
            if (asked instanceof QueryResult.Value<ComponentStatuses>(ComponentStatuses parts)) {
                parts.find(name).ifPresent(part -> having.put(address, part));
            }
        });
        return ComponentStatuses.merge(having.values(), sentence(having))
                .map(part -> part.finding(name, remedy))
                .orElseGet(() -> warning(
                        name,
                        "no checked service reports it",
                        "also name the %s with --health"
                                .formatted(name.equals(ComponentStatuses.WATCHER) ? "watcher" : "allocator")));
    }

    private static String sentence(SortedMap<String, ComponentStatuses.ComponentStatus> having) {
        Collection<ComponentStatuses.ComponentStatus> parts = having.values();
        return parts.size() == 1
                ? parts.iterator().next().sentence()
                : having.entrySet().stream()
                        .map(each ->
                                "%s %s".formatted(each.getKey(), each.getValue().sentence()))
                        .collect(Collectors.joining("; "));
    }
}
