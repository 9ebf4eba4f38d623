package dev.claimstream.observability;

import java.util.List;

/** Each metric of the history, with its type, labels and help text. */
public enum HistoryMeter implements Meter {
    HISTORY_EVENTS(
            "claimstream.history.events",
            MeterType.COUNTER,
            "events",
            "in a process with the history",
            "Inputs and ledger events that the history has folded since its start."),
    HISTORY_AGE(
            "claimstream.history.age.seconds",
            MeterType.GAUGE,
            "seconds",
            "in a process with the history",
            "Seconds since the history had every input that the cells have processed, and its ledger events. Before the first time: since its start."),
    HISTORY_LAG(
            "claimstream.history.lag.records",
            MeterType.GAUGE,
            "records",
            "in a process with the history",
            "Records of `cells.in` and `ledger.v1` that the history had not folded at its last comparison."),
    HISTORY_INTERVALS(
            "claimstream.history.intervals",
            MeterType.GAUGE,
            "intervals",
            "in a process with the history",
            "Intervals in the database, by state: open, ended.",
            MeterLabel.INTERVAL_STATE),
    HISTORY_OVERLAPS(
            "claimstream.history.overlaps",
            MeterType.COUNTER,
            "overlaps",
            "in a process with the history",
            "Overlaps of two claims on one device beyond its sharing, found since the start of the process. A history that is built again finds all of them again."),
    HISTORY_GAPS(
            "claimstream.history.gaps",
            MeterType.GAUGE,
            "gaps",
            "in a process with the history",
            "Ranges of offsets that were deleted before the history folded them. The table `log_gaps` of the history has them."),
    HISTORY_QUERY(
            "claimstream.history.query",
            MeterType.HISTOGRAM,
            "seconds",
            "in a process with the history",
            "Time to answer or reject a query, by type of query.",
            MeterLabel.HISTORY_QUESTION);

    @SuppressWarnings("ImmutableEnumChecker") // immutable: it copies its list
    private final MeterFacts facts;

    HistoryMeter(String base, MeterType type, String unit, String presence, String meaning, MeterLabel... labels) {
        facts = new MeterFacts(base, type, unit, MeterSource.HISTORY, presence, meaning, List.of(labels));
    }

    @Override
    public MeterFacts facts() {
        return facts;
    }
}
