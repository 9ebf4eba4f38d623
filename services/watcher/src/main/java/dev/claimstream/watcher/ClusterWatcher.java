package dev.claimstream.watcher;

import dev.claimstream.allocation.cell.Stamp;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import dev.claimstream.observability.Traces;
import dev.claimstream.observability.WatcherMeter;
import dev.claimstream.watcher.streams.ClaimSpans;
import dev.claimstream.watcher.streams.OrphanedKeyReader;
import dev.claimstream.watcher.streams.PublicTopicPublisher;
import dev.claimstream.watcher.streams.PublishException;
import dev.claimstream.watcher.streams.PublishedClusterReader;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Value;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches every kind of a cluster and publishes the objects to the public topics.
 *
 * <p>One thread per kind lists and publishes; a virtual thread reads its watch. Faults of the cluster, the broker or the schema registry are retried without limit. Two
 * watchers of one cluster are harmless: each record is then published twice (ADR 15). Public methods are safe for use
 * by several threads.
 */
@Context
@Requires(property = "claimstream.watcher.enabled", notEquals = "false")
@Requires(beans = ClusterWatch.class)
public final class ClusterWatcher {
    /** Name of this source in records. */
    public static final String SOURCE = SnapshotPublisher.SOURCE;

    private static final Logger LOG = LoggerFactory.getLogger(ClusterWatcher.class);

    private final PublicTopicPublisher publisher;
    private final Epochs epochs;
    private final OrphanedKeys orphanedKeys;
    private final List<KindWatch> kinds;
    private final List<Thread> threads = new ArrayList<>();
    private volatile Optional<RuntimeException> failure = Optional.empty();
    private volatile boolean isClosing;

    ClusterWatcher(
            ClusterWatch cluster,
            KafkaConnection kafka,
            SchemaRegistry registry,
            Meters meters,
            Traces traces,
            Health health,
            @Value("${claimstream.watcher.recorded-parameters:}") List<String> recordedDrivers) {
        var recording = new ConfigRecording(recordedDrivers);
        InstantSource clock = InstantSource.system();
        publisher = new PublicTopicPublisher(kafka, registry, SOURCE);
        epochs = new Epochs(clock);
        var spans = new ClaimSpans(traces, clock);
        orphanedKeys = new OrphanedKeys(new OrphanedKeyReader(kafka, registry, SOURCE));
        var identified =
                new IdentifiedCluster(cluster, new PublishedClusterReader(kafka, registry, SOURCE, () -> isClosing));
        var pods = new KindWatch(
                Kind.POD,
                identified,
                publisher,
                epochs,
                clock,
                meters,
                spans,
                orphanedKeys,
                recording,
                Optional.empty());
        kinds = Arrays.stream(Kind.values())
                .map(kind -> kind == Kind.POD
                        ? pods
                        : new KindWatch(
                                kind,
                                identified,
                                publisher,
                                epochs,
                                clock,
                                meters,
                                spans,
                                orphanedKeys,
                                recording,
                                Optional.of(pods).filter(_ -> kind == Kind.RESOURCE_CLAIM)))
                .toList();
        meters.create(WatcherMeter.WATCHER_RETRIES);
        kinds.forEach(
                each -> meters.create(WatcherMeter.WATCHER_RECORDS, each.kind().apiName()));
        meters.show(WatcherMeter.WATCHER_SYNCED, () -> byKind(each -> each.isFresh() ? 1 : 0));
        meters.show(WatcherMeter.WATCHER_LAG, () -> byKind(KindWatch::lag));
        health.register("watcher", this::condition);
    }

    private Map<List<String>, Integer> byKind(ToIntFunction<KindWatch> value) {
        return kinds.stream()
                .collect(Collectors.toMap(each -> List.of(each.kind().apiName()), value::applyAsInt));
    }

    @PostConstruct
    void start() {
        kinds.forEach(each -> startThread("publish-" + each.kind().apiName(), each::run));
        startThread("orphaned-keys", orphanedKeys::read);
    }

    private interface InterruptibleTask {
        void run() throws InterruptedException;
    }

    private void startThread(String name, InterruptibleTask work) {
        Thread thread = new Thread(() -> run(work), name);
        threads.add(thread);
        thread.start();
    }

    private void run(InterruptibleTask work) {
        try {
            work.run();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ClusterMismatchException e) {
            failure = failure.or(() -> Optional.of(e));
            LOG.atError().addKeyValue("why", e.getMessage()).log("the watcher stops");
        } catch (RuntimeException e) {
            failure = failure.or(() -> Optional.of(e));
            LOG.atError().setCause(e).log("the watcher stops");
        }
    }

    /** Whether all kinds are synced and their watches are open. */
    public boolean isFresh() {
        return kinds.stream().allMatch(KindWatch::isFresh);
    }

    /** Whether all kinds are watched; an unavailable cluster or broker does not stop the watcher. */
    public boolean isAlive() {
        return failure.isEmpty();
    }

    private Health.Condition condition() {
        if (failure.isPresent()) {
            return Health.Condition.terminal("stopped: " + failureText().orElse(""));
        }
        List<String> missing = kinds.stream()
                .filter(each -> !each.isFresh())
                .map(each -> each.kind().apiName()
                        + each.problem().map(reason -> " (" + reason + ")").orElse(""))
                .toList();
        if (missing.isEmpty()) {
            int behind = kinds.stream().mapToInt(KindWatch::lag).sum();
            String followed = "watching %d kinds, %d changes not published".formatted(kinds.size(), behind);
            return publisher
                    .disconnectReason()
                    .map(reason -> "cannot publish: " + reason)
                    .or(() -> orphanedKeys
                            .problem()
                            .map(reason -> "records of deleted objects stay, retrying: " + reason))
                    .map(reason -> Health.Condition.degraded("%s; %s".formatted(followed, reason)))
                    .orElseGet(() -> Health.Condition.up(followed));
        }
        String sentence = "not watching " + String.join(", ", missing);
        boolean isBegun = kinds.stream().allMatch(KindWatch::hasSynced);
        return isBegun ? Health.Condition.degraded(sentence) : Health.Condition.down(sentence);
    }

    /** Returns why the watcher has stopped, for people. */
    public Optional<String> failureText() {
        return failure.map(
                each -> each instanceof ClusterMismatchException ? String.valueOf(each.getMessage()) : each.toString());
    }

    /** Returns the fault that stopped the watcher. */
    public Optional<RuntimeException> failure() {
        return failure;
    }

    /**
     * Publishes a probe: {@code explanations.v1} gets an answer once all records before it are decided.
     *
     * @throws PublishException if the broker does not accept the probe
     */
    public void probe(String id) {
        publisher.probe(new Stamp(SOURCE, epochs.next(), 0), id);
    }

    @PreDestroy
    void stop() {
        isClosing = true;
        orphanedKeys.close();
        kinds.forEach(KindWatch::close);
        try {
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        publisher.close();
    }
}
