package dev.claimstream.cli;

import static dev.claimstream.kubernetes.doctor.Finding.failed;
import static dev.claimstream.kubernetes.doctor.Finding.ok;
import static dev.claimstream.kubernetes.doctor.Finding.warning;

import dev.claimstream.kubernetes.doctor.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Collectors;

/**
 * What was seen of a {@code claimstream up}, and what follows from it.
 *
 * @param place its data folder and process, for a person
 * @param again how the folder is named in a command that is proposed
 * @param silence why it does not answer, where it does not
 * @param parts what each part of it says of itself
 * @param cluster which one it belongs to, as its folder knows it
 * @param topics those that are missing
 * @param registry the subjects that it has
 */
record Running(
        String place,
        String again,
        Optional<String> silence,
        SortedMap<String, Part> parts,
        Optional<String> cluster,
        Asked<List<String>> topics,
        Asked<List<String>> registry) {
    private static final String UP = "up";
    private static final String WATCHER = "watcher";
    private static final String LAG = "lag";
    private static final String ALARMS = "alarms";
    private static final List<String> SUBJECTS = List.of("inventory.v1-value", "claims.v1-value");

    /** A part as its health shows it: up, degraded or down. */
    record Part(String status, String sentence) {
        boolean isUp() {
            return status.equals("up");
        }
    }

    /** An answer, or why there is none. */
    sealed interface Asked<T> {
        /** It answered. */
        record Answered<T>(T answer) implements Asked<T> {}

        /** It did not, or not as it should. */
        record Silent<T>(String why) implements Asked<T> {}
    }

    /** @param id of the cluster that is looked at, where it is known */
    List<Finding> findings(Optional<String> id) {
        if (silence.isPresent()) {
            return List.of(failed(UP, silence.get(), "start it again: claimstream up" + again));
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(whole());
        findings.add(served(id));
        findings.add(
                part(
                        WATCHER,
                        "see the cluster's checks above: what it cannot follow it may not read, or the server does not answer"));
        findings.add(
                part(LAG, "wait; where it does not fall, see the part that is not up: claimstream status" + again));
        findings.add(
                part(
                        ALARMS,
                        "delete one of the claims that have the device, or have its driver publish it again; see who else allocates: policy claimstream-single-writer"));
        findings.add(ofTopics());
        findings.add(ofRegistry());
        return findings;
    }

    private Finding whole() {
        List<Map.Entry<String, Part>> others = parts.entrySet().stream()
                .filter(each -> !List.of(WATCHER, LAG, ALARMS).contains(each.getKey()))
                .toList();
        String troubled = others.stream()
                .filter(each -> !each.getValue().isUp())
                .map(each -> "%s is %s: %s"
                        .formatted(
                                each.getKey(),
                                each.getValue().status(),
                                each.getValue().sentence()))
                .collect(Collectors.joining("; "));
        if (troubled.isEmpty()) {
            return ok(UP, "%s: all of its %d parts are up".formatted(place, parts.size()));
        }
        boolean isDown =
                others.stream().anyMatch(each -> each.getValue().status().equals("down"));
        String seen = "%s: %s".formatted(place, troubled);
        return isDown
                ? failed(
                        UP,
                        seen,
                        "see what it says, and start it again where it does not come back: claimstream up" + again)
                : warning(UP, seen, "see claimstream status" + again);
    }

    private Finding served(Optional<String> id) {
        String check = "cluster of up";
        if (id.isEmpty() || cluster.isEmpty()) {
            return warning(check, "it is not known whether it serves this cluster", "allow get of namespaces");
        }
        return id.equals(cluster)
                ? ok(check, "it serves this one")
                : failed(
                        check,
                        "it serves %s, and this one is %s".formatted(cluster.get(), id.get()),
                        "name the folder of the one that serves it with --data, or another cluster with --kubeconfig and --context");
    }

    private Finding part(String name, String remedy) {
        return Optional.ofNullable(parts.get(name))
                .map(part -> switch (part.status()) {
                    case "up" -> ok(name, part.sentence());
                    case "degraded" -> warning(name, part.sentence(), remedy);
                    default -> failed(name, part.sentence(), remedy);
                })
                .orElseGet(() -> warning(name, "it says nothing of it", "is it of another version?"));
    }

    private Finding ofTopics() {
        String check = "topics";
        return switch (topics) {
            case Asked.Silent<List<String>>(String why) ->
                failed(check, why, "see the broker of claimstream status" + again);
            case Asked.Answered<List<String>>(List<String> missing) ->
                missing.isEmpty()
                        ? ok(check, "all are there, with the partitions and settings of the contracts")
                        : failed(
                                check,
                                "missing: " + String.join(", ", missing),
                                "start it again, which makes them: claimstream up" + again);
        };
    }

    private Finding ofRegistry() {
        String check = "registry";
        return switch (registry) {
            case Asked.Silent<List<String>>(String why) -> failed(check, why, "see claimstream status" + again);
            case Asked.Answered<List<String>>(List<String> subjects) -> {
                List<String> missing = SUBJECTS.stream()
                        .filter(each -> !subjects.contains(each))
                        .toList();
                yield missing.isEmpty()
                        ? ok(check, "has %d subjects".formatted(subjects.size()))
                        : warning(
                                check,
                                "has no subject " + String.join(", ", missing),
                                "wait for the watcher, which registers them with its first records");
            }
        };
    }
}
