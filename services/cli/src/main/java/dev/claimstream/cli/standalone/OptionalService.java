package dev.claimstream.cli.standalone;

import dev.claimstream.kafka.broker.LoopbackPorts;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** A service that {@code claimstream up} starts only on demand, for views of the console. */
public enum OptionalService {
    /** Usage over time, and past holders. Its database is in the data folder. */
    HISTORY,
    /** What-if. It keeps the state of the cell a second time. */
    SIMULATOR;

    public static Optional<OptionalService> named(String name) {
        return Arrays.stream(values()).filter(each -> each.text().equals(name)).findFirst();
    }

    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Adds the settings of the service, and its address for the console. */
    void addSettings(Map<String, Object> settings, Path folder) {
        int port = LoopbackPorts.free();
        settings.put("claimstream.%s.enabled".formatted(text()), true);
        settings.put("claimstream.%s.port".formatted(text()), port);
        settings.put("claimstream.console.%s-url".formatted(text()), "http://%s:%d".formatted(Loopback.HOST, port));
        if (this == HISTORY) {
            settings.put("claimstream.history.folder", folder.resolve("history").toString());
        }
    }
}
