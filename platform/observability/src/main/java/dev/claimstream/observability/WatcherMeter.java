package dev.claimstream.observability;

import java.util.List;

/** Each metric of the watcher, with its type, labels and help text. */
public enum WatcherMeter implements Meter {
    WATCHER_SYNCED(
            "claimstream.watcher.synced",
            MeterType.GAUGE,
            "0 or 1",
            "always",
            "1 if the kind is synced and published, 0 if it is not synced yet or is not watched, by kind.",
            MeterLabel.KIND),
    WATCHER_LAG(
            "claimstream.watcher.lag.changes",
            MeterType.GAUGE,
            "changes",
            "always",
            "Changes that the watcher has received and not published yet, by kind.",
            MeterLabel.KIND),
    WATCHER_RECORDS(
            "claimstream.watcher.records",
            MeterType.COUNTER,
            "records",
            "always",
            "Records that the watcher has published, by kind.",
            MeterLabel.KIND),
    WATCHER_RETRIES(
            "claimstream.watcher.retries",
            MeterType.COUNTER,
            "retries",
            "always",
            "Retries of a kind because the API server, Kafka or the schema registry did not respond.");

    @SuppressWarnings("ImmutableEnumChecker") // immutable: it copies its list
    private final MeterFacts facts;

    WatcherMeter(String base, MeterType type, String unit, String presence, String meaning, MeterLabel... labels) {
        facts = new MeterFacts(base, type, unit, MeterSource.WATCHER, presence, meaning, List.of(labels));
    }

    @Override
    public MeterFacts facts() {
        return facts;
    }
}
