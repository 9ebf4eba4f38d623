package dev.claimstream.cli.doctor;

import static dev.claimstream.kubernetes.doctor.DoctorFinding.failed;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.ok;
import static dev.claimstream.kubernetes.doctor.DoctorFinding.warning;

import dev.claimstream.cli.console.ComponentStatuses;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The observed state of a {@code claimstream up}, and the findings on it.
 *
 * @param location data folder and process, for people
 * @param folderOption option text of the data folder for suggested commands
 * @param unreachableReason error if the process does not respond
 * @param components health of its components
 * @param cluster id of the served cluster, from the data folder
 * @param topics missing topics
 * @param registry subjects of the schema registry
 */
public record StandaloneReport(
        String location,
        String folderOption,
        Optional<String> unreachableReason,
        ComponentStatuses components,
        Optional<String> cluster,
        QueryResult<List<String>> topics,
        QueryResult<List<String>> registry) {
    private static final String UP = "up";

    /**
     * Returns the findings.
     *
     * @param id of the checked cluster, if known
     */
    public List<DoctorFinding> findings(Optional<String> id) {
        if (unreachableReason.isPresent()) {
            return List.of(failed(UP, unreachableReason.get(), "start it again: claimstream up" + folderOption));
        }
        List<DoctorFinding> findings = new ArrayList<>();
        findings.add(overallFinding());
        components
                .find(ComponentStatuses.MODE)
                .ifPresent(mode -> findings.add(ok(ComponentStatuses.MODE, mode.sentence())));
        findings.add(clusterFinding(id));
        findings.add(componentFinding(ComponentStatuses.WATCHER, ComponentStatuses.WATCHER_REMEDY));
        findings.add(componentFinding(
                ComponentStatuses.LAG,
                "wait; if the lag does not fall, see the part that is not up: claimstream status" + folderOption));
        findings.add(componentFinding(ComponentStatuses.ALARMS, ComponentStatuses.ALARMS_REMEDY));
        findings.add(KafkaFindings.topics(
                topics,
                "see the broker of claimstream status" + folderOption,
                "start it again, which creates them: claimstream up" + folderOption));
        findings.add(KafkaFindings.registry(registry, "see claimstream status" + folderOption));
        return findings;
    }

    /** Returns whether it only observes. */
    public boolean isObserving() {
        return components.find(ComponentStatuses.MODE).isPresent();
    }

    private DoctorFinding overallFinding() {
        return components
                .otherProblem()
                .map(part -> new ComponentStatuses.ComponentStatus(
                                part.status(), "%s: %s".formatted(location, part.sentence()))
                        .finding(
                                UP,
                                part.isDown()
                                        ? "see its message; restart it if it does not recover: claimstream up"
                                                + folderOption
                                        : "see claimstream status" + folderOption))
                .orElseGet(() -> ok(
                        UP,
                        "%s: all of its %d parts are up"
                                .formatted(location, components.all().size())));
    }

    private DoctorFinding clusterFinding(Optional<String> id) {
        String check = "cluster of up";
        if (id.isEmpty() || cluster.isEmpty()) {
            return warning(check, "cannot determine whether it serves this cluster", "allow get of namespaces");
        }
        return id.equals(cluster)
                ? ok(check, "it serves this one")
                : failed(
                        check,
                        "it serves %s, and this one is %s".formatted(cluster.get(), id.get()),
                        "name the folder of the one that serves it with --data, or another cluster with --kubeconfig and --context");
    }

    private DoctorFinding componentFinding(String name, String remedy) {
        return components
                .find(name)
                .map(part -> part.finding(name, remedy))
                .orElseGet(() -> warning(name, "it does not report this", "check that both have the same version"));
    }
}
