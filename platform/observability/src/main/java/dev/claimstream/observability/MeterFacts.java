package dev.claimstream.observability;

import java.util.List;

/**
 * The documentation of a meter.
 *
 * @param base name without the suffixes of Prometheus, with dots
 * @param unit base unit; the name has it if it is seconds or bytes
 * @param source processes that have the meter
 * @param presence when the meter has series
 * @param meaning one sentence
 * @param labels in the order of their values
 */
public record MeterFacts(
        String base,
        MeterType type,
        String unit,
        MeterSource source,
        String presence,
        String meaning,
        List<MeterLabel> labels) {
    public MeterFacts {
        labels = List.copyOf(labels);
    }
}
