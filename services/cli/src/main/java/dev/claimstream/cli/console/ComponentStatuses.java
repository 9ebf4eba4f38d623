package dev.claimstream.cli.console;

import dev.claimstream.cli.input.JsonObject;
import dev.claimstream.kubernetes.doctor.DoctorFinding;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The health of the components of a process.
 *
 * @param all by component name
 * @param version of the program, if the process reports it
 */
public record ComponentStatuses(SortedMap<String, ComponentStatus> all, Optional<String> version) {
    public static final String WATCHER = "watcher";
    public static final String LAG = "lag";
    public static final String ALARMS = "alarms";

    /** Reported by an allocator that only observes. */
    public static final String MODE = "mode";

    /** Remedy if the watcher is not up. */
    public static final String WATCHER_REMEDY =
            "see the checks of the cluster above: the watcher lacks permission to read a kind, or the server does not respond";

    /** Remedy if alarms are raised. */
    public static final String ALARMS_REMEDY =
            "delete one of the claims with the device, or let its DRA driver publish it again; find other allocators: policy claimstream-single-writer";

    /** Components that have a finding of their own in {@code doctor}. */
    private static final List<String> OWN_LINES = List.of(WATCHER, LAG, ALARMS);

    public ComponentStatuses {
        all = Collections.unmodifiableSortedMap(new TreeMap<>(all));
    }

    /** Health of a process that does not report its version. */
    public ComponentStatuses(SortedMap<String, ComponentStatus> all) {
        this(all, Optional.empty());
    }

    /** The health of one component: {@code up}, {@code degraded} or {@code down}. */
    public record ComponentStatus(String status, String sentence) {
        private static final Comparator<ComponentStatus> BETTER_FIRST =
                Comparator.comparing(ComponentStatus::isDown).thenComparing(each -> !each.isUp());

        boolean isUp() {
            return status.equals("up");
        }

        public boolean isDown() {
            return !isUp() && !status.equals("degraded");
        }

        /**
         * Returns the component's finding.
         *
         * @param remedy used if the component is not up
         */
        public DoctorFinding finding(String check, String remedy) {
            if (isUp()) {
                return DoctorFinding.ok(check, sentence);
            }
            return isDown()
                    ? DoctorFinding.failed(check, sentence, remedy)
                    : DoctorFinding.warning(check, sentence, remedy);
        }
    }

    /** Parses the report of {@code /health}; empty if the document is not such a report. */
    public static ComponentStatuses of(JsonObject report) {
        JsonObject parts = report.item("parts");
        SortedMap<String, ComponentStatus> all = new TreeMap<>();
        parts.names()
                .forEach(name -> all.put(
                        name,
                        new ComponentStatus(
                                parts.item(name).text("status"),
                                parts.item(name).text("sentence"))));
        return new ComponentStatuses(all, Optional.of(report.text("version")).filter(each -> !each.isEmpty()));
    }

    public Optional<ComponentStatus> find(String name) {
        return Optional.ofNullable(all.get(name));
    }

    /** Merges the unhealthy components without a finding of their own; empty if all of them are up. */
    public Optional<ComponentStatus> otherProblem() {
        SortedMap<String, ComponentStatus> troubled = new TreeMap<>(all);
        troubled.keySet().removeAll(OWN_LINES);
        troubled.values().removeIf(ComponentStatus::isUp);
        return merge(
                troubled.values(),
                troubled.entrySet().stream()
                        .map(each -> "%s is %s: %s"
                                .formatted(
                                        each.getKey(),
                                        each.getValue().status(),
                                        each.getValue().sentence()))
                        .collect(Collectors.joining("; ")));
    }

    /** Returns one component with the worst status of all; empty if there are none. */
    public static Optional<ComponentStatus> merge(Collection<ComponentStatus> parts, String sentence) {
        return parts.stream()
                .max(ComponentStatus.BETTER_FIRST)
                .map(worst -> new ComponentStatus(worst.status(), sentence));
    }
}
