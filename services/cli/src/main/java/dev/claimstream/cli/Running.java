package dev.claimstream.cli;

import static dev.claimstream.kubernetes.doctor.Finding.failed;
import static dev.claimstream.kubernetes.doctor.Finding.ok;
import static dev.claimstream.kubernetes.doctor.Finding.warning;

import dev.claimstream.kubernetes.doctor.Finding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of a {@code claimstream up}, and the findings on it.
 *
 * @param place data folder and process, for people
 * @param again option text of the data folder for suggested commands
 * @param silence error if the process does not respond
 * @param parts health of its components
 * @param cluster id of the served cluster, from the data folder
 * @param topics missing topics
 * @param registry subjects of the schema registry
 */
record Running(
        String place,
        String again,
        Optional<String> silence,
        Parts parts,
        Optional<String> cluster,
        Asked<List<String>> topics,
        Asked<List<String>> registry) {
    private static final String UP = "up";

    /**
     * Returns the findings.
     *
     * @param id of the checked cluster, if known
     */
    List<Finding> findings(Optional<String> id) {
        if (silence.isPresent()) {
            return List.of(failed(UP, silence.get(), "start it again: claimstream up" + again));
        }
        List<Finding> findings = new ArrayList<>();
        findings.add(whole());
        findings.add(served(id));
        findings.add(part(Parts.WATCHER, Parts.WATCHER_REMEDY));
        findings.add(part(
                Parts.LAG, "wait; where it does not fall, see the part that is not up: claimstream status" + again));
        findings.add(part(Parts.ALARMS, Parts.ALARMS_REMEDY));
        findings.add(LogFindings.topics(
                topics,
                "see the broker of claimstream status" + again,
                "start it again, which makes them: claimstream up" + again));
        findings.add(LogFindings.registry(registry, "see claimstream status" + again));
        return findings;
    }

    private Finding whole() {
        return parts.trouble()
                .map(part -> new Parts.Part(part.status(), "%s: %s".formatted(place, part.sentence()))
                        .finding(
                                UP,
                                part.isDown()
                                        ? "see what it says, and start it again where it does not come back: claimstream up"
                                                + again
                                        : "see claimstream status" + again))
                .orElseGet(() -> ok(
                        UP,
                        "%s: all of its %d parts are up"
                                .formatted(place, parts.all().size())));
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
        return parts.find(name)
                .map(part -> part.finding(name, remedy))
                .orElseGet(() -> warning(name, "it says nothing of it", "is it of another version?"));
    }
}
