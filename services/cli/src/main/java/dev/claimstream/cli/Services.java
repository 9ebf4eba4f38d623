package dev.claimstream.cli;

import static dev.claimstream.kubernetes.doctor.Finding.failed;
import static dev.claimstream.kubernetes.doctor.Finding.ok;
import static dev.claimstream.kubernetes.doctor.Finding.warning;

import dev.claimstream.kafka.Brokers;
import dev.claimstream.kubernetes.doctor.Finding;
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
 * @param brokers empty if no broker is given
 * @param topics missing topics; empty if no broker responds
 * @param registry subjects of the schema registry; empty if no registry is given
 * @param health component health of each service, by address
 */
record Services(
        Optional<Brokers> brokers,
        Optional<Asked<List<String>>> topics,
        Optional<Asked<List<String>>> registry,
        SortedMap<String, Asked<Parts>> health) {
    private static final String BROKERS = "brokers";

    Services {
        health = Collections.unmodifiableSortedMap(new TreeMap<>(health));
    }

    List<Finding> findings() {
        List<Finding> findings = new ArrayList<>();
        findings.add(brokers.map(Services::ofBrokers)
                .orElseGet(() -> unnamed(BROKERS, "brokers and topics were", "--bootstrap HOST:PORT,...")));
        topics.ifPresent(each -> findings.add(LogFindings.topics(
                each,
                "set that right, and look again",
                "make them: claimstream topics --bootstrap HOST:PORT, with --cells as the others have it")));
        findings.add(registry.map(each -> LogFindings.registry(
                        each,
                        "see whether it runs; its address has the path of Confluent's protocol where there is one"))
                .orElseGet(() -> unnamed("registry", "it was", "--registry URL")));
        if (health.isEmpty()) {
            findings.add(unnamed(
                    "services",
                    "health, watcher, lag and alarms were",
                    "--console URL and --health URL,... (CLAIMSTREAM_OBSERVABILITY_PORT of each)"));
            return findings;
        }
        health.forEach((address, asked) -> findings.add(ofService(address, asked)));
        findings.add(part(Parts.WATCHER, Parts.WATCHER_REMEDY));
        findings.add(part(Parts.LAG, "wait; where it does not fall, see the service that is not up"));
        findings.add(part(Parts.ALARMS, Parts.ALARMS_REMEDY));
        return findings;
    }

    private static Finding unnamed(String check, String what, String options) {
        return warning(check, "not named: %s not looked at".formatted(what), "name it with " + options);
    }

    private static Finding ofBrokers(Brokers brokers) {
        String answering = String.join(", ", brokers.answering());
        String silent = String.join(", ", brokers.silent());
        if (brokers.silent().isEmpty()) {
            return ok(BROKERS, "all answer: " + answering);
        }
        String remedy = "see whether they run, and whether clients reach them by these names (advertised.listeners)";
        return brokers.answering().isEmpty()
                ? failed(BROKERS, "none answers: " + silent, remedy)
                : warning(BROKERS, "no answer from %s; %s".formatted(silent, "others do: " + answering), remedy);
    }

    private static Finding ofService(String address, Asked<Parts> asked) {
        String check = "service " + address;
        return switch (asked) {
            case Asked.Silent<Parts>(String why) ->
                failed(check, why, "see whether it runs, and with which CLAIMSTREAM_OBSERVABILITY_PORT");
            case Asked.Answered<Parts>(Parts parts) ->
                parts.trouble()
                        .map(part ->
                                part.finding(check, "see what it says, and start it again where it does not come back"))
                        .orElseGet(() ->
                                ok(check, "up: " + String.join(", ", parts.all().keySet())));
        };
    }

    /** Returns the finding on a component, merged over all services that have it. */
    private Finding part(String name, String remedy) {
        SortedMap<String, Parts.Part> having = new TreeMap<>();
        health.forEach((address, asked) -> {
            if (asked instanceof Asked.Answered<Parts>(Parts parts)) {
                parts.find(name).ifPresent(part -> having.put(address, part));
            }
        });
        return Parts.asOne(having.values(), sentence(having))
                .map(part -> part.finding(name, remedy))
                .orElseGet(() -> warning(
                        name,
                        "nobody who was asked says anything of it",
                        "name the %s too with --health"
                                .formatted(name.equals(Parts.WATCHER) ? "watcher" : "allocator")));
    }

    private static String sentence(SortedMap<String, Parts.Part> having) {
        Collection<Parts.Part> parts = having.values();
        return parts.size() == 1
                ? parts.iterator().next().sentence()
                : having.entrySet().stream()
                        .map(each ->
                                "%s %s".formatted(each.getKey(), each.getValue().sentence()))
                        .collect(Collectors.joining("; "));
    }
}
