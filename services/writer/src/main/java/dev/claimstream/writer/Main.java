package dev.claimstream.writer;

import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.process.ClusterSettings;
import dev.claimstream.process.ServiceProcess;
import io.micronaut.context.ApplicationContext;
import java.util.List;
import java.util.Optional;

/** The writer as a process of its own. */
public final class Main {
    private static final String FOLDER = "claimstream.writer.folder";

    private Main() {}

    /** Runs until it is stopped, or ends with exit code 1 where it cannot go on. */
    public static void main(String[] args) {
        System.exit(ServiceProcess.of("writer").run(Main::checked, context -> {
            var writer = context.getBean(Writer.class);
            return () -> writer.failure().map(RuntimeException::toString);
        }));
    }

    private static List<Object> checked(ApplicationContext settings) {
        Optional<ApiCluster> cluster = ClusterSettings.cluster(settings.getEnvironment());
        if (cluster.isEmpty() && !settings.containsProperty(FOLDER)) {
            throw new IllegalArgumentException(FOLDER
                    + " is not set: set it, or CLAIMSTREAM_WRITER_FOLDER, to a folder for the status of claims; or "
                    + ClusterSettings.remedy());
        }
        return List.copyOf(cluster.stream().toList());
    }
}
