package dev.claimstream.systemtests.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.systemtests.process.SlowPoll;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * Creates one pod with a claim per second, and deletes each pod once it runs, so that its device serves a later one. A
 * pod shuts down gracefully, so that its device is not quarantined.
 */
final class PodStream implements AutoCloseable {
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private final Kubernetes cluster;
    private final String set;
    private final Set<String> running = new TreeSet<>();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("pod-stream").unstarted(this::run);
    private volatile Optional<Throwable> failure = Optional.empty();
    private volatile boolean isCreating = true;
    private int created;

    private PodStream(Kubernetes cluster, String set) {
        this.cluster = cluster;
        this.set = set;
    }

    /** @param set label and begin of the names of the pods */
    static PodStream start(Kubernetes cluster, String set) {
        var stream = new PodStream(cluster, set);
        stream.thread.start();
        return stream;
    }

    private void run() {
        try {
            while (isCreating) {
                cluster.apply(pod(set, created++));
                deleteRunning();
                TimeUnit.MILLISECONDS.sleep(INTERVAL.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | AssertionError e) {
            failure = Optional.of(e);
        }
    }

    private static String pod(String set, int number) {
        return """
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s-%2$d, namespace: team, labels: {set: %1$s}}
                spec:
                  terminationGracePeriodSeconds: 1
                  resourceClaims: [{name: gpu, resourceClaimTemplateName: one-gpu}]
                  containers: [{name: main, image: none, resources: {claims: [{name: gpu}]}}]
                """.formatted(set, number);
    }

    /** Pods that end are still in this phase, so that a pod can be deleted again. */
    private void deleteRunning() {
        cluster.kubectl(
                        "",
                        "delete",
                        "pods",
                        "-n",
                        "team",
                        "-l",
                        "set=" + set,
                        "--field-selector=status.phase=Running",
                        "--wait=false",
                        "-o",
                        "name")
                .lines()
                .filter(line -> line.startsWith("pod/")) // without pods kubectl prints a sentence
                .forEach(running::add);
    }

    /** Stops the creation of pods, and waits until each pod has run and is deleted; returns their number. */
    int finish() throws InterruptedException {
        isCreating = false;
        thread.join();
        assertThat(failure).isEmpty();
        SlowPoll.await(
                () -> {
                    deleteRunning();
                    return running.size() == created && cluster.states(set).isEmpty();
                },
                () -> "pods of %s: %d created, %d have run; %s"
                        .formatted(set, created, running.size(), cluster.states(set)));
        return created;
    }

    @Override
    public void close() {
        isCreating = false;
        thread.interrupt();
    }
}
