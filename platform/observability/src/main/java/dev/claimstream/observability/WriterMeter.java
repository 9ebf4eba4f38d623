package dev.claimstream.observability;

import java.util.List;

/** Each metric of the writer, with its type, labels and help text. */
public enum WriterMeter implements Meter {
    WRITER_DECISIONS(
            "claimstream.writer.decisions",
            MeterType.COUNTER,
            "decisions",
            "always",
            "Completed decisions, by outcome.",
            MeterLabel.OUTCOME),
    WRITER_PENDING_DECISIONS(
            "claimstream.writer.pending.decisions",
            MeterType.GAUGE,
            "decisions",
            "always",
            "Decisions that the writer has read and not completed."),
    COMMIT(
            "claimstream.writer.commit",
            MeterType.HISTOGRAM,
            "seconds",
            "always",
            "Time from the timestamp of the input that led to an allocation to the report that the allocation is committed."),
    WRITER_RETRIES(
            "claimstream.writer.retries",
            MeterType.COUNTER,
            "retries",
            "always",
            "Retries of decisions that could not be committed.");

    @SuppressWarnings("ImmutableEnumChecker") // immutable: it copies its list
    private final MeterFacts facts;

    WriterMeter(String base, MeterType type, String unit, String presence, String meaning, MeterLabel... labels) {
        facts = new MeterFacts(base, type, unit, MeterSource.WRITER, presence, meaning, List.of(labels));
    }

    @Override
    public MeterFacts facts() {
        return facts;
    }
}
