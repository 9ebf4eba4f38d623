package dev.claimstream.systemtests.process;

import dev.claimstream.dra.Kind;
import dev.claimstream.watcher.ClusterWatcher;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Starts the allocator as a separate process. */
public final class AllocatorProgram {
    private AllocatorProgram() {}

    /**
     * Starts an allocator, which allocates once the watcher has synced every kind.
     *
     * @param folder of its state and its output
     * @param name stable instance name: a restart under this name restores the same state
     */
    public static Program start(Path folder, String name, String bootstrap, String registry) throws IOException {
        return start(folder, name, bootstrap, registry, Map.of());
    }

    /** Starts an allocator with additional settings. */
    public static Program start(Path folder, String name, String bootstrap, String registry, Map<String, String> more)
            throws IOException {
        Map<String, String> settings = new LinkedHashMap<>(Map.of(
                "CLAIMSTREAM_KAFKA_BOOTSTRAP", bootstrap,
                "CLAIMSTREAM_REGISTRY_URL", registry,
                "CLAIMSTREAM_ALLOCATOR_INSTANCE", name,
                "CLAIMSTREAM_ALLOCATOR_STATE_FOLDER", folder.resolve(name).toString()));
        String sources = Arrays.stream(Kind.values())
                .map(kind -> "-Dclaimstream.allocator.sources.%s=%s".formatted(kind.apiName(), ClusterWatcher.SOURCE))
                .collect(Collectors.joining(" "));
        settings.putAll(more);
        settings.merge("JAVA_TOOL_OPTIONS", sources, (given, own) -> given + " " + own);
        return Program.start(folder, settings, "dev.claimstream.allocator.Main");
    }
}
