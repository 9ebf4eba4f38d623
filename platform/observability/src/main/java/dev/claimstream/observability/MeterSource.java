package dev.claimstream.observability;

/** The processes that have a meter. {@code claimstream up} has all meters; those of the history only with {@code --with}. */
public enum MeterSource {
    ALLOCATOR("allocator"),
    WATCHER("watcher"),
    WRITER("writer"),
    CONSOLE("console"),
    HISTORY("history"),
    /** {@code claimstream up} only: its process has the broker. */
    UP("`up`"),
    /** Every service. */
    ALL("all");

    private final String text;

    MeterSource(String text) {
        this.text = text;
    }

    /** The name in the documentation. */
    public String text() {
        return text;
    }
}
