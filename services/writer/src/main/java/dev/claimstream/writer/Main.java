package dev.claimstream.writer;

import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.LogIdentity;
import dev.claimstream.kafka.LogProgress;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.CandidateLog;
import dev.claimstream.observability.Health;
import dev.claimstream.process.ClusterSettings;
import dev.claimstream.process.ServiceProcess;
import dev.claimstream.writer.streams.StoredVersion;
import io.micronaut.context.ApplicationContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Entry point of the writer as a process of its own. */
public final class Main {
    private static final String FOLDER = "claimstream.writer.folder";

    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);

    private Main() {}

    /** Runs until the process is stopped; exits with code 1 after a fault or an invalid configuration. */
    public static void main(String[] args) {
        System.exit(run());
    }

    /** Runs the writer with the settings of the environment until the process is stopped; returns the exit code. */
    public static int run() {
        return ServiceProcess.of("writer").run(Main::checked, Main::work);
    }

    private static ServiceProcess.ServiceHandle work(ApplicationContext context) {
        var writer = context.getBean(Writer.class);
        Optional<ApiCluster> cluster = context.findBean(ApiCluster.class);
        cluster.ifPresent(each -> context.getBean(Health.class).register("cluster", () -> condition(each)));
        return () ->
                writer.failure().map(RuntimeException::toString).or(() -> cluster.flatMap(ApiCluster::leaseLossReason));
    }

    private static Health.Condition condition(ApiCluster cluster) {
        if (cluster.leaseLossReason().isPresent()) {
            return Health.Condition.terminal(cluster.leaseLossReason().get());
        }
        boolean isPending = cluster.isLeasePending();
        return cluster.writeBlocker()
                .map(reason -> isPending ? Health.Condition.down(reason) : Health.Condition.degraded(reason))
                .orElseGet(() -> Health.Condition.up("writes to " + cluster.url()));
    }

    private static CandidateLog log(KafkaConnection kafka) {
        LogIdentity log = LogIdentity.read(kafka, ANSWER_WITHIN);
        String where = "Kafka %s (a writer, process %d)"
                .formatted(kafka.bootstrap(), ProcessHandle.current().pid());
        long version = StoredVersion.read(kafka, ANSWER_WITHIN);
        return new CandidateLog(log.id(), !log.hasServed(), where, LogProgress.of(kafka, ANSWER_WITHIN), version);
    }

    private static List<Object> checked(ApplicationContext settings, KafkaConnection kafka) {
        if (ClusterSettings.isObserveOnly(settings.getEnvironment())) {
            throw new IllegalArgumentException(
                    "%s is true: a writer does not start in observe-only mode, because nothing is written to the cluster; do not start it, or set %s to false for all services"
                            .formatted(ClusterSettings.OBSERVE_ONLY, ClusterSettings.OBSERVE_ONLY));
        }
        Optional<ApiCluster> cluster = ClusterSettings.cluster(settings.getEnvironment());
        if (cluster.isEmpty() && !settings.containsProperty(FOLDER)) {
            throw new IllegalArgumentException(FOLDER
                    + " is not set: set it, or CLAIMSTREAM_WRITER_FOLDER, to a folder for the status of claims; or "
                    + ClusterSettings.remedy());
        }
        cluster.ifPresent(each -> each.acquireLeaseInBackground(() -> log(kafka)));
        return List.copyOf(cluster.stream().toList());
    }
}
