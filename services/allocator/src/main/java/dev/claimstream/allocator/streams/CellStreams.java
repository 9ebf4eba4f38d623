package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.dra.Selectors;
import dev.claimstream.kafka.ConsumerSettings;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.StreamSettings;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.ThreadMetadata;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the cells and the router of this process on Kafka Streams, including the checks before the start. */
public final class CellStreams implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CellStreams.class);
    private static final Duration STOP_WITHIN = Duration.ofSeconds(5);
    private static final Duration INTERRUPT_EVERY = Duration.ofSeconds(1);
    private static final int INTERRUPTS_MAX = 20;
    /** The maximum number of cells of {@code up}: further threads would be idle. */
    private static final int THREADS_MAX = 64;

    /** Timeout for offset requests about attempts, during which a cell is blocked. */
    private static final Duration OFFSETS_WITHIN = Duration.ofSeconds(1);

    private static final Duration RETRY_AFTER = Duration.ofMillis(500);

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final CellSettings settings;
    private final RuntimeOptions options;
    private final Selectors selectors;
    private final CellLog log;
    private final StateFormat format;
    private final StateFormatUpgrade upgrade;
    private final CellMeters cellMeters;
    private final StreamsMeters meters;
    private final GroupOffsets offsets;
    private final Watchdog watchdog;
    private final InputLag lag;
    private final Runnable onPrepared;
    private final Consumer<Throwable> onFailure;
    private final Thread starter = new Thread(this::prepareAndRun, "cells-start");
    private final CountDownLatch closing = new CountDownLatch(1);
    private volatile Optional<KafkaStreams> streams = Optional.empty();
    private volatile Optional<AdaptivePolling> polling = Optional.empty();
    private volatile String awaitedStep = "the start";

    /**
     * Options of the stream threads.
     *
     * @param instance unique name of this process, the same at every start
     * @param stateFolder folder of local state
     * @param threads number of stream threads that the cells and the router share
     * @param rebuild whether to rebuild the state before the start
     * @param snapshotEvery inputs between two snapshots; 0 for none
     */
    public record RuntimeOptions(String instance, Path stateFolder, int threads, boolean rebuild, long snapshotEvery) {
        public RuntimeOptions {
            if (threads < 1 || threads > THREADS_MAX) {
                throw new IllegalArgumentException(
                        "claimstream.allocator.threads is %d, it can be 1 to %d".formatted(threads, THREADS_MAX));
            }
            if (snapshotEvery < 0) {
                throw new IllegalArgumentException(
                        "claimstream.allocator.snapshot-every is %d, it is 0 (never) or more".formatted(snapshotEvery));
            }
        }
    }

    /**
     * Creates the cells without starting them.
     *
     * @param onPrepared called when the initial offsets are committed and a rebuild is done
     * @param onFailure called with the exception that ends the cells
     */
    public CellStreams(
            KafkaConnection kafka,
            SchemaRegistry registry,
            Selectors selectors,
            CellSettings settings,
            RuntimeOptions options,
            Meters meters,
            CellMeters cellMeters,
            Runnable onPrepared,
            Consumer<Throwable> onFailure) {
        this(
                kafka,
                registry,
                selectors,
                settings,
                options,
                StateFormat.CURRENT,
                meters,
                cellMeters,
                onPrepared,
                onFailure);
    }

    /** The same with another format of the state, as another version of this program has it. */
    CellStreams(
            KafkaConnection kafka,
            SchemaRegistry registry,
            Selectors selectors,
            CellSettings settings,
            RuntimeOptions options,
            StateFormat format,
            Meters meters,
            CellMeters cellMeters,
            Runnable onPrepared,
            Consumer<Throwable> onFailure) {
        this.format = format;
        this.kafka = kafka;
        this.registry = registry;
        this.settings = settings;
        this.options = options;
        this.onPrepared = onPrepared;
        this.onFailure = onFailure;
        offsets = new GroupOffsets(kafka, options.instance() + "-offsets", OFFSETS_WITHIN);
        watchdog = new Watchdog(new GroupAttemptLog(offsets), meters, InstantSource.system(), System::nanoTime);
        lag = new InputLag(
                offsets, AllocatorTopology.APPLICATION, this::inputs, watchdog::nextOffset, System::nanoTime);
        this.meters = new StreamsMeters(meters, () -> streams, lag);
        this.selectors = selectors;
        this.cellMeters = cellMeters;
        log = new KafkaCellLog(kafka, registry, options.instance());
        upgrade = new StateFormatUpgrade(
                kafka, registry, log, format, options.instance(), this::rebuild, InstantSource.system());
    }

    private TaskEnvironment environment() {
        int cells;
        try (var offsets = new KafkaAdmin(kafka)) {
            cells = offsets.partitions(Topics.CELLS_IN).size();
        }
        if (settings.observeOnly() && cells > 1) {
            throw new LogContinuityException(
                    "claimstream.observe-only is true and cells.in has %d partitions: observe-only mode works with one cell only; use a Kafka or topic prefix of its own with one partition of cells.in"
                            .formatted(cells));
        }
        return new TaskEnvironment(
                cells,
                selectors,
                log,
                settings.engine(),
                format,
                options.snapshotEvery(),
                cellMeters,
                watchdog,
                InstantSource.system());
    }

    /** Starts the cells in the background. */
    public void start() {
        starter.start();
    }

    private void prepareAndRun() {
        try {
            boolean isReady = !options.rebuild()
                    || retryUntilComplete(() -> {
                        awaitedStep = "the rebuild";
                        rebuild();
                        return true;
                    });
            awaitedStep = "topic cells.in; if it is missing, create it with 'claimstream topics'";
            if (isReady
                    && retryUntilComplete(() -> new OffsetInitializer(kafka, log).prepare())
                    && retryUntilComplete(upgrade::isComplete)
                    && retryUntilComplete(this::removeFormerMembers)) {
                onPrepared.run();
                run();
            }
        } catch (Throwable e) { // the owner must learn of an Error too
            if (closing.getCount() > 0) {
                onFailure.accept(e);
            }
        }
    }

    private void rebuild() {
        new StateRebuild(kafka, registry, settings, options.instance(), InstantSource.system()).run();
    }

    /** Removes group members of an earlier process of this name that had more threads; always returns true. */
    private boolean removeFormerMembers() {
        try (var offsets = new KafkaAdmin(kafka)) {
            offsets.removeMembersBeyond(AllocatorTopology.APPLICATION, options.instance(), options.threads());
        }
        return true;
    }

    private interface StartStep {
        boolean isComplete();
    }

    /**
     * Repeats a step until it is complete.
     *
     * @return false if the cells are closed before
     */
    private boolean retryUntilComplete(StartStep step) throws InterruptedException {
        do {
            try {
                if (step.isComplete()) {
                    return true;
                }
            } catch (RetriableException e) {
                LOG.atWarn().addKeyValue("why", e.getMessage()).log("no response from Kafka; retrying");
            } catch (RegistryException e) {
                if (!e.errorCode().isRetriable()) {
                    throw e;
                }
                LOG.atWarn().addKeyValue("why", e.getMessage()).log("no response from the schema registry; retrying");
            }
        } while (!closing.await(RETRY_AFTER.toMillis(), TimeUnit.MILLISECONDS));
        return false;
    }

    private synchronized void run() {
        if (closing.getCount() == 0) {
            return;
        }
        var commits = new CommitScheduler(InstantSource.system());
        var clients = new AdaptivePolling(commits::markTransactionEnded);
        polling = Optional.of(clients);
        TaskEnvironment environment = environment();
        var now = new KafkaStreams(
                AllocatorTopology.of(registry, environment, commits),
                streamSettings(environment.cells()).properties(),
                clients);
        now.setUncaughtExceptionHandler(e -> {
            if (closing.getCount() > 0) {
                meters.countFailure();
                watchdog.handleThreadFailure(e);
                onFailure.accept(e);
            }
            return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
        now.setGlobalStateRestoreListener(meters);
        streams = Optional.of(now);
        watchdog.start(() -> cellMeters.reportDueAlarms(InstantSource.system().instant()));
        now.start();
    }

    /** With several partitions, a partition that was paused in a backlog would wait for the open fetch of the others. */
    private StreamSettings streamSettings(int cells) {
        StreamSettings settings = StreamSettings.of(
                        kafka,
                        AllocatorTopology.APPLICATION,
                        options.instance(),
                        options.stateFolder(),
                        CommitScheduler.INTERVAL)
                .withThreads(options.threads());
        return cells == 1 ? settings.withFetchWait(ConsumerSettings.IDLE) : settings;
    }

    /** Whether the stream threads have their partitions and process inputs. */
    public boolean isRunning() {
        return streams.filter(each -> each.state() == KafkaStreams.State.RUNNING)
                .isPresent();
    }

    /** Records that the cells and the router have not processed; empty if the brokers do not respond. */
    public OptionalLong lag() {
        return lag.total();
    }

    private Set<TopicPartition> inputs() {
        return streams.map(StreamsMeters::inputs).orElseGet(Set::of);
    }

    /** Health of the inputs: degraded while an input is slow or fails repeatedly. */
    public Health.Condition inputCondition() {
        return watchdog.condition();
    }

    /** Number of polls of the stream threads. */
    long polls() {
        return meters.polls();
    }

    /** Number of commits of the stream threads. */
    long commits() {
        return (long) meters.commits();
    }

    static String describeActivity(long cells, long threads) {
        String sentence = cells == 1 ? "1 cell active" : "%d cells active".formatted(cells);
        return threads > 1 ? "%s in %d threads".formatted(sentence, threads) : sentence;
    }

    /**
     * What the cells wait for because their state has the format of another version; empty if they do not. The process
     * counts as ready meanwhile, so that a rolling change goes on to the allocators that it waits for.
     */
    public Optional<String> otherFormat() {
        return streams.isEmpty() ? upgrade.waitingReason() : Optional.empty();
    }

    public Health.Condition condition() {
        Optional<String> otherFormat = otherFormat();
        if (otherFormat.isPresent()) {
            return Health.Condition.degraded(otherFormat.get());
        }
        if (streams.isEmpty()) {
            return Health.Condition.down("waiting for " + awaitedStep);
        }
        KafkaStreams.State state = streams.get().state();
        return switch (state) {
            case RUNNING -> Health.Condition.up(describeActivity(meters.tasks(), meters.threads()));
            case CREATED, REBALANCING ->
                Health.Condition.down("restoring cells, %d changelog records remaining".formatted(meters.toRestore()));
            case PENDING_SHUTDOWN, NOT_RUNNING -> Health.Condition.down("stopping");
            case PENDING_ERROR, ERROR -> Health.Condition.terminal("stopped by an error");
        };
    }

    @Override
    public void close() {
        closing.countDown();
        starter.interrupt();
        synchronized (this) {
            polling.ifPresent(AdaptivePolling::endPolls);
            streams.ifPresent(CellStreams::stop);
        }
        watchdog.close();
        offsets.close();
    }

    /** Stops the stream, which leaves its group: another process takes over the cells at once. */
    private static void stop(KafkaStreams streams) {
        boolean isStopped = streams.close(CloseOptions.timeout(STOP_WITHIN)
                .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
        for (int tries = 0; !isStopped && tries < INTERRUPTS_MAX; tries++) {
            interrupt(streams);
            isStopped = streams.close(INTERRUPT_EVERY);
        }
    }

    /** Interrupts the stream threads. A thread that commits waits a minute for a broker that is down, and then tries again. */
    private static void interrupt(KafkaStreams streams) {
        Set<String> names = streams.metadataForLocalThreads().stream()
                .map(ThreadMetadata::threadName)
                .collect(Collectors.toSet());
        Thread.getAllStackTraces().keySet().stream()
                .filter(each -> names.contains(each.getName()))
                .forEach(Thread::interrupt);
    }
}
