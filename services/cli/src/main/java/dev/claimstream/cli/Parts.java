package dev.claimstream.cli;

import dev.claimstream.kubernetes.doctor.Finding;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The health of the components of a process, by component name. */
record Parts(SortedMap<String, Part> all) {
    static final String WATCHER = "watcher";
    static final String LAG = "lag";
    static final String ALARMS = "alarms";

    /** Remedy if the watcher is not up. */
    static final String WATCHER_REMEDY =
            "see the cluster's checks above: what it cannot follow it may not read, or the server does not answer";

    /** Remedy if alarms are raised. */
    static final String ALARMS_REMEDY =
            "delete one of the claims that have the device, or have its driver publish it again; see who else allocates: policy claimstream-single-writer";

    /** Components that have a finding of their own in {@code doctor}. */
    private static final List<String> OWN_LINES = List.of(WATCHER, LAG, ALARMS);

    Parts {
        all = Collections.unmodifiableSortedMap(new TreeMap<>(all));
    }

    /** The health of one component: {@code up}, {@code degraded} or {@code down}. */
    record Part(String status, String sentence) {
        private static final Comparator<Part> BETTER_FIRST =
                Comparator.comparing(Part::isDown).thenComparing(each -> !each.isUp());

        boolean isUp() {
            return status.equals("up");
        }

        boolean isDown() {
            return !isUp() && !status.equals("degraded");
        }

        /**
         * Returns the component's finding.
         *
         * @param remedy used if the component is not up
         */
        Finding finding(String check, String remedy) {
            if (isUp()) {
                return Finding.ok(check, sentence);
            }
            return isDown() ? Finding.failed(check, sentence, remedy) : Finding.warning(check, sentence, remedy);
        }
    }

    /** Parses the report of {@code /health}; empty if the document is not such a report. */
    static Parts of(Item report) {
        Item parts = report.item("parts");
        SortedMap<String, Part> all = new TreeMap<>();
        parts.names()
                .forEach(name -> all.put(
                        name,
                        new Part(
                                parts.item(name).text("status"),
                                parts.item(name).text("sentence"))));
        return new Parts(all);
    }

    Optional<Part> find(String name) {
        return Optional.ofNullable(all.get(name));
    }

    /** Merges the unhealthy components without a finding of their own; empty if all of them are up. */
    Optional<Part> trouble() {
        SortedMap<String, Part> troubled = new TreeMap<>(all);
        troubled.keySet().removeAll(OWN_LINES);
        troubled.values().removeIf(Part::isUp);
        return asOne(
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
    static Optional<Part> asOne(Collection<Part> parts, String sentence) {
        return parts.stream().max(Part.BETTER_FIRST).map(worst -> new Part(worst.status(), sentence));
    }
}
