package dev.claimstream.observability;

/** How a meter changes, as Prometheus distinguishes it. */
public enum MeterType {
    /** A value that goes up and down. */
    GAUGE("gauge"),
    /** A value that only goes up; the name ends in _total. */
    COUNTER("counter"),
    /** Durations in seconds, in buckets; the name ends in _seconds. */
    HISTOGRAM("histogram");

    private final String text;

    MeterType(String text) {
        this.text = text;
    }

    /** The type's name in Prometheus. */
    public String text() {
        return text;
    }
}
