package dev.claimstream.load.services;

import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.RecordKey;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kubernetes.api.ApiAccess;
import dev.claimstream.kubernetes.api.ApiCluster;
import dev.claimstream.kubernetes.api.ApiScope;
import dev.claimstream.kubernetes.controlplane.ControlPlaneException;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.kubernetes.controlplane.RawApiClient;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;

/**
 * Creates pods with a claim for one device each at a constant rate, and records when each claim was decided
 * ({@code decisions.v1}) and written (its status on the API server). Times are of {@link System#nanoTime}.
 */
final class ClaimTraffic implements AutoCloseable {
    private static final int HTTP_CREATED = 201;
    private static final int HTTP_CONFLICT = 409;
    private static final Duration RETRY = Duration.ofMillis(100);
    private static final Duration POLL = Duration.ofMillis(200);
    private static final String CLAIMS =
            "/apis/resource.k8s.io/v1/namespaces/%s/resourceclaims".formatted(ServiceInstallation.NAMESPACE);
    private static final String PODS = "/api/v1/namespaces/%s/pods".formatted(ServiceInstallation.NAMESPACE);

    private final RawApiClient api;
    private final ApiCluster cluster;
    private final long intervalNanos;
    private final AtomicInteger next = new AtomicInteger();
    private final Map<String, Long> created = new ConcurrentHashMap<>();
    private final Map<String, Long> decided = new ConcurrentHashMap<>();
    private final Map<String, Long> written = new ConcurrentHashMap<>();
    private final List<LivenessRecord> liveness = new CopyOnWriteArrayList<>();
    private final DeviceOwners owners = new DeviceOwners();
    private final KafkaConsumer<String, byte[]> consumer;
    private final AllocationWatch watch;
    private final Thread creator =
            Thread.ofPlatform().daemon().name("load-pods").unstarted(this::create);
    private final Thread reader =
            Thread.ofPlatform().daemon().name("load-decisions").unstarted(this::read);
    private volatile boolean isCreating = true;
    private volatile boolean isReading = true;

    /** A record about the heartbeats of a node. */
    record LivenessRecord(String node, long at) {}

    /** @param rate pods per second */
    ClaimTraffic(ServiceInstallation installation, int rate) throws InterruptedException {
        intervalNanos = Duration.ofSeconds(1).toNanos() / rate;
        api = new RawApiClient(installation.plane(), ControlPlaneUser.ADMIN);
        cluster = ApiCluster.open(
                ApiAccess.of(installation.plane().kubeconfig(ControlPlaneUser.ADMIN), Optional.empty()), ApiScope.ALL);
        watch = AllocationWatch.start(cluster, this::recordWrite);
        consumer = new KafkaConsumer<>(
                ConsumerSettings.of(installation.kafka(), "load-decisions").properties(),
                new StringDeserializer(),
                new ByteArrayDeserializer());
        consumer.assign(List.of(new TopicPartition(Topics.DECISIONS, 0), new TopicPartition(Topics.INVENTORY, 0)));
        consumer.seekToEnd(consumer.assignment());
        consumer.assignment().forEach(consumer::position);
        creator.start();
        reader.start();
    }

    private void recordWrite(ResourceClaim claim) {
        written.putIfAbsent(claim.meta().uid(), System.nanoTime());
        owners.add(claim);
    }

    private void create() {
        long due = System.nanoTime();
        while (isCreating) {
            try {
                createOne("pod-%06d".formatted(next.getAndIncrement()));
            } catch (ControlPlaneException e) {
                System.err.println("a claim of the measurement was not created: " + e.getMessage());
            }
            due += intervalNanos;
            LockSupport.parkNanos(due - System.nanoTime());
        }
    }

    private void createOne(String name) {
        long now = System.nanoTime();
        var claim = api.createOrThrow(CLAIMS, """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata: {name: %s}
                spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: %s}}]}}
                """.formatted(name, ServiceInstallation.DEVICE_CLASS));
        created.put(claim.uid(), now);
        createPod("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %1$s}
                spec:
                  terminationGracePeriodSeconds: 0
                  resourceClaims: [{name: gpu, resourceClaimName: %1$s}]
                  containers: [{name: main, image: none, resources: {claims: [{name: gpu}]}}]
                """.formatted(name));
    }

    /** Creates the pod of a claim that exists: without it, the claim would stay pending. */
    private void createPod(String yaml) {
        while (isCreating) {
            try {
                int status = api.create(PODS, yaml).status();
                if (status == HTTP_CREATED || status == HTTP_CONFLICT) {
                    return;
                }
            } catch (ControlPlaneException e) {
                System.err.println("a pod of the measurement is created again: " + e.getMessage());
            }
            LockSupport.parkNanos(RETRY.toNanos());
        }
    }

    private void read() {
        while (isReading) {
            for (ConsumerRecord<String, byte[]> record : consumer.poll(POLL)) {
                if (record.topic().equals(Topics.DECISIONS)) {
                    decided.putIfAbsent(record.key(), System.nanoTime());
                } else if (record.key().startsWith("Liveness/")) {
                    liveness.add(new LivenessRecord(
                            RecordKey.parse(record.key()).parts().get(1), System.nanoTime()));
                }
            }
        }
        consumer.close();
    }

    /** Returns the time of the first decision about a claim that was created after this time. */
    OptionalLong decisionAfter(long time) {
        return first(decided, time);
    }

    /** Returns the time of the first write of a claim that was created after this time. */
    OptionalLong writeAfter(long time) {
        return first(written, time);
    }

    private OptionalLong first(Map<String, Long> times, long time) {
        return after(time).stream()
                .map(times::get)
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .min();
    }

    private Collection<String> after(long time) {
        return created.entrySet().stream()
                .filter(each -> each.getValue() > time)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the longest time from the creation of a claim to its write, for claims created after a time. */
    long longestWait(long time) {
        ToLongFunction<String> wait =
                uid -> written.getOrDefault(uid, System.nanoTime()) - Objects.requireNonNull(created.get(uid));
        return after(time).stream().mapToLong(wait).max().orElse(0);
    }

    /**
     * Returns a percentile of the time from the creation of a claim to its write, for written claims created after a
     * time.
     */
    long waitPercentile(long time, double percentile) {
        long[] waits = after(time).stream()
                .filter(written::containsKey)
                .mapToLong(uid -> Objects.requireNonNull(written.get(uid)) - Objects.requireNonNull(created.get(uid)))
                .sorted()
                .toArray();
        return waits.length == 0 ? 0 : waits[(int) Math.ceil(waits.length * percentile / 100) - 1];
    }

    /** Returns the number of claims that are not written. */
    long unwritten() {
        return unwrittenBefore(Long.MAX_VALUE);
    }

    /** Returns the number of claims that were created before a time and are not written. */
    long unwrittenBefore(long time) {
        return created.entrySet().stream()
                .filter(each -> each.getValue() < time && !written.containsKey(each.getKey()))
                .count();
    }

    /** Returns the time of the last write of a claim that was created before a time. */
    OptionalLong lastWriteBefore(long time) {
        return created.entrySet().stream()
                .filter(each -> each.getValue() < time)
                .map(each -> written.get(each.getKey()))
                .filter(Objects::nonNull)
                .mapToLong(Long::longValue)
                .max();
    }

    /**
     * Returns one line for each device that was written for two claims, and each claim that was written with other
     * devices.
     */
    List<String> conflicts() {
        return owners.conflicts();
    }

    /**
     * Returns a device that is allocated to a claim.
     *
     * @throws IllegalStateException if no claim was written yet
     */
    DeviceId allocatedDevice() {
        return owners.anyDevice().orElseThrow(() -> new IllegalStateException("no claim was written yet"));
    }

    /** Returns the number of claims that were created. */
    int count() {
        return created.size();
    }

    /** Returns the time of the first record about the heartbeats of a node after a time. */
    OptionalLong livenessAfter(String node, long time) {
        return liveness.stream()
                .filter(each -> each.node().equals(node) && each.at() > time)
                .mapToLong(LivenessRecord::at)
                .min();
    }

    /** Creates no more pods. */
    void stopCreating() throws InterruptedException {
        isCreating = false;
        creator.join();
    }

    @Override
    public void close() {
        isCreating = false;
        isReading = false;
        try {
            creator.join();
            reader.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        watch.close();
        cluster.close();
        api.close();
    }
}
