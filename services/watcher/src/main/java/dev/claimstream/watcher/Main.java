package dev.claimstream.watcher;

import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.observability.Health;
import dev.claimstream.process.ClusterSettings;
import dev.claimstream.process.ServiceProcess;
import io.micronaut.context.ApplicationContext;
import java.util.List;
import java.util.Optional;

/** Entry point of the watcher as a process of its own. */
public final class Main {
    private static final String FILES = "claimstream.watcher.files";

    private Main() {}

    /**
     * Watches a cluster until the process is stopped, or publishes manifest files and exits with 0 once they are
     * acknowledged.
     */
    public static void main(String[] args) {
        System.exit(run());
    }

    /** Runs the watcher with the settings of the environment until it is stopped or done; returns the exit code. */
    public static int run() {
        return ServiceProcess.of("watcher")
                .with("claimstream.show-at-start", false)
                .run((settings, _) -> checked(settings), Main::work);
    }

    private static ServiceProcess.ServiceHandle work(ApplicationContext context) {
        return context.findBean(ClusterWatcher.class)
                .<ServiceProcess.ServiceHandle>map(watcher -> watcher::failureText)
                .orElseGet(() -> snapshotJob(context));
    }

    private static SnapshotJob snapshotJob(ApplicationContext context) {
        var job = new SnapshotJob(context.getBean(SnapshotPublisher.class));
        context.getBean(Health.class).register("watcher", job::condition);
        return job;
    }

    private static List<Object> checked(ApplicationContext settings) {
        Optional<ApiCluster> cluster = ClusterSettings.cluster(settings.getEnvironment());
        if (cluster.isEmpty() && !settings.containsProperty(FILES)) {
            throw new IllegalArgumentException(
                    FILES + " is not set: set it, or CLAIMSTREAM_WATCHER_FILES, to files and folders of manifests; or "
                            + ClusterSettings.remedy());
        }
        return List.copyOf(cluster.stream().toList());
    }
}
