package dev.claimstream.history.streams;

import dev.claimstream.audit.ArchiveLog;
import dev.claimstream.audit.ArchiveStore;
import dev.claimstream.audit.AuditException;
import dev.claimstream.audit.AuditLog;
import dev.claimstream.audit.JoinedLog;
import dev.claimstream.audit.LogVerifier;
import dev.claimstream.audit.streams.TopicLog;
import dev.claimstream.history.store.HistoryException;
import dev.claimstream.history.store.HistoryReader;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.StoreFigures;
import dev.claimstream.history.store.StoreSettings;
import dev.claimstream.kafka.AuthorizationFault;
import dev.claimstream.kafka.KafkaConnection;
import dev.claimstream.kafka.registry.RegistryException;
import dev.claimstream.kafka.registry.SchemaRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a store up to date with the topics, in a thread of its own.
 *
 * <p>It reads committed records without a consumer group; the positions are in the store. After a failure it opens the store again and
 * retries, and questions about what is stored are answered meanwhile.
 */
public final class HistoryConsumer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(HistoryConsumer.class);
    private static final String CLIENT = "claimstream-history";
    private static final Duration PAUSE = Duration.ofMillis(500);
    private static final Duration RETRY = Duration.ofSeconds(5);
    private static final Duration STOP_WITHIN = Duration.ofSeconds(10);
    private static final Duration ERASE_EVERY = Duration.ofHours(1);

    private final KafkaConnection kafka;
    private final SchemaRegistry registry;
    private final StoreSettings settings;
    private final Optional<String> archive;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final Thread thread = Thread.ofPlatform().name("history").unstarted(this::work);
    private volatile Optional<HistoryStore> store = Optional.empty();
    private volatile Optional<String> problem = Optional.of("the log has not been read yet");
    private volatile long lag;
    private volatile Instant complete = Instant.now();
    private StoreFigures closed = StoreFigures.NONE;
    private long reported;
    private int openedCells;
    private final Duration namesKeep;
    private Instant erased = Instant.EPOCH;

    /**
     * @param archive location of an archive with records that the topics no longer have; empty for none
     * @param namesKeep time after the end of an interval at which its names are erased; zero to keep them
     */
    public HistoryConsumer(
            KafkaConnection kafka,
            SchemaRegistry registry,
            StoreSettings settings,
            Optional<String> archive,
            Duration namesKeep) {
        this.namesKeep = namesKeep;
        this.kafka = kafka;
        this.registry = registry;
        this.settings = settings;
        this.archive = archive;
    }

    /** Starts the thread. */
    public void start() {
        thread.start();
    }

    /** A reader of what is stored; empty before the store is open. */
    public Optional<HistoryReader> reader() {
        return store.map(HistoryStore::reader);
    }

    /** Why the history does not follow the log; empty while it does. */
    public Optional<String> problem() {
        return problem;
    }

    /** Figures since the start of this consumer, at the last flush. */
    public synchronized StoreFigures figures() {
        return store.map(each -> closed.then(each.figures())).orElse(closed);
    }

    /** Records that were not folded at the last comparison. */
    public long lag() {
        return lag;
    }

    /** Seconds since everything that the cells have committed was folded; before the first time, since the start. */
    public double ageSeconds() {
        return Duration.between(complete, Instant.now()).toMillis() / 1e3;
    }

    private void work() {
        try {
            while (!isStopped()) {
                try {
                    follow();
                } catch (AuditException | HistoryException | KafkaException | RegistryException e) {
                    fail(AuthorizationFault.textOr(e, kafka));
                    openAgain();
                    pause(RETRY);
                }
            }
        } finally {
            closeStore();
        }
    }

    private void fail(String reason) {
        if (!problem.equals(Optional.of(reason))) {
            LOG.atWarn().addKeyValue("why", reason).log("the history does not follow the log; retrying");
        }
        problem = Optional.of(reason);
    }

    private void follow() {
        try (var topics = new TopicLog(kafka, registry, CLIENT);
                var cut = new CommittedCut(kafka, CLIENT + "-cut")) {
            int cells = topics.partitions(LogVerifier.INPUTS).size();
            if (cells == 0) {
                fail("the topics do not exist: create them with claimstream topics");
                pause(RETRY);
                return;
            }
            HistoryStore opened = opened(cells);
            if (archive.isPresent()) {
                ArchiveStore files = ArchiveStore.of(archive.get());
                try (var archived = ArchiveLog.strict(files)) {
                    new ArchivedTelemetry(opened, problem -> LOG.atWarn().log("telemetry is left out: {}", problem))
                            .add(files);
                    follow(new JoinedLog(archived, topics), topics, cut, opened);
                }
            } else {
                follow(topics, topics, cut, opened);
            }
        }
    }

    private HistoryStore opened(int cells) {
        if (store.isEmpty()) {
            store = Optional.of(HistoryStore.open(settings, cells));
            openedCells = cells;
        }
        return store.get();
    }

    /**
     * Drops what was not stored before a failure. A database that could not be written answers nothing until it is
     * opened again. If that fails, because a question still uses it, the next failure of the log tries again.
     */
    private void openAgain() {
        if (openedCells > 0) {
            try {
                closeStore();
                var unused = opened(openedCells);
            } catch (HistoryException e) {
                fail(String.valueOf(e.getMessage()));
            }
        }
    }

    private boolean isStopped() {
        return stop.getCount() == 0;
    }

    /** Returns early if the archive, which is opened once, may have got records that the topics have lost. */
    private void follow(AuditLog log, AuditLog topics, CommittedCut cut, HistoryStore opened) {
        var fold = new LogFold(log, opened, warning -> LOG.atError().log(warning));
        boolean isFirst = true;
        var telemetry = new TelemetryFold(opened, registry);
        while (!isStopped()) {
            Optional<LogFold.Cut> present = cut.present(topics);
            if (present.isPresent()) {
                if (archive.isPresent() && !isFirst && fold.hasGap(present.get())) {
                    return;
                }
                isFirst = false;
                telemetry.run(topics, this::isStopped);
                lag = fold.lag(present.get());
                fold.run(present.get(), this::isStopped);
                lag = fold.lag(present.get());
                if (isStopped()) {
                    return;
                }
                complete = Instant.now();
                eraseNames(opened);
                report(opened.figures().overlaps());
                problem = Optional.empty();
            }
            pause(PAUSE);
        }
    }

    private void eraseNames(HistoryStore opened) {
        if (namesKeep.isPositive() && erased.plus(ERASE_EVERY).isBefore(Instant.now())) {
            opened.eraseNames(EventReader.micros(Instant.now().minus(namesKeep)));
            erased = Instant.now();
        }
    }

    private void report(long overlaps) {
        if (overlaps > reported) {
            LOG.atError()
                    .addKeyValue("overlaps", overlaps)
                    .log(
                            "one device was allocated to two claims beyond its sharing; see the table device_overlaps of the history");
        }
        reported = overlaps;
    }

    private void closeStore() {
        takeStore().ifPresent(HistoryStore::close);
    }

    private synchronized Optional<HistoryStore> takeStore() {
        Optional<HistoryStore> open = store;
        closed = figures();
        store = Optional.empty();
        return open;
    }

    private void pause(Duration time) {
        try {
            var unused = stop.await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stop.countDown();
        }
    }

    /** Stops the thread and closes the store. */
    @Override
    public void close() {
        stop.countDown();
        try {
            thread.join(STOP_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
