package dev.claimstream.process.settings;

import java.util.Arrays;
import java.util.Locale;

/** A service that runs as a process of its own. */
public enum ServiceName {
    /** Publishes the devices of a node. */
    AGENT,
    /** Allocates the devices. */
    ALLOCATOR,
    /** Answers questions over HTTP. */
    CONSOLE,
    /** Answers questions about the past. */
    HISTORY,
    /** Answers what would happen if the cluster changed. */
    SIMULATOR,
    /** Publishes the objects of a cluster. */
    WATCHER,
    /** Writes the decisions to a cluster. */
    WRITER;

    /** The name in settings and messages, for example {@code allocator}. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns the service with this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static ServiceName of(String text) {
        return Arrays.stream(values())
                .filter(each -> each.text().equals(text))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no service " + text));
    }
}
