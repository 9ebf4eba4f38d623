package dev.claimstream.watcher;

import dev.claimstream.process.ServiceProcess;
import io.micronaut.context.ApplicationContext;
import java.util.List;

/** The watcher as a process of its own. */
public final class Main {
    private static final String FILES = "claimstream.watcher.files";

    private Main() {}

    /** Shows what is in files, and ends when it is kept. */
    public static void main(String[] args) {
        System.exit(ServiceProcess.of("watcher")
                .with("claimstream.show-at-start", false)
                .run(Main::checked, context -> new Showing(context.getBean(Watcher.class))));
    }

    /** There is no adapter to a Kubernetes API server yet. */
    private static List<Object> checked(ApplicationContext settings) {
        if (!settings.containsProperty(FILES)) {
            throw new IllegalArgumentException(
                    FILES + " is not set: set it, or CLAIMSTREAM_WATCHER_FILES, to files and folders of manifests");
        }
        return List.of();
    }
}
