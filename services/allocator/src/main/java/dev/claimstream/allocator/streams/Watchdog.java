package dev.claimstream.allocator.streams;

import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.observability.AllocatorMeter;
import dev.claimstream.observability.Health;
import dev.claimstream.observability.Meters;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks from a separate thread how long cells and router take for one input.
 *
 * <p>A check runs one second after the last check. An input that was being processed at {@link #SLOW_AFTER_CHECKS} checks in a row is slow:
 * health is degraded, and a warning is logged. Checks are counted instead of reading a clock, and checks that a pause of the process
 * prevented are not repeated: so a paused process is not slow. Another thread records attempts. Safe for many threads. See ADR 42.
 */
final class Watchdog implements AutoCloseable {
    static final Duration CHECK_EVERY = Duration.ofSeconds(1);

    /** Number of checks after which an attempt is recorded, in case the process is killed while it processes the input. */
    private static final int RECORD_AFTER_CHECKS = 1;

    static final int SLOW_AFTER_CHECKS = 5;

    private static final Logger LOG = LoggerFactory.getLogger(Watchdog.class);

    private final AttemptLog attempts;
    private final Meters meters;
    private final InstantSource clock;
    private final LongSupplier nanos;
    private final ConcurrentSkipListMap<String, TrackerState> trackers = new ConcurrentSkipListMap<>();
    private final ScheduledExecutorService checkExecutor;
    private final Executor recordExecutor;

    /** A tracker and the last observation of its input. Only the watchdog changes it. */
    private static final class TrackerState {
        private final InputTracker tracker;
        private volatile Optional<InputTracker.InputInProgress> observed = Optional.empty();
        private volatile int checks;

        /** The input whose attempt is recorded. */
        private volatile Optional<InputTracker.InputInProgress> recorded = Optional.empty();

        private final AtomicBoolean isRecording = new AtomicBoolean();

        TrackerState(InputTracker tracker) {
            this.tracker = tracker;
        }

        /** The current input, if it is slow. */
        Optional<InputTracker.InputInProgress> slow() {
            return tracker.current().filter(now -> isObserved(now) && checks >= SLOW_AFTER_CHECKS);
        }

        boolean isObserved(InputTracker.InputInProgress now) {
            return observed.filter(now::isSame).isPresent();
        }

        boolean isRecorded(InputTracker.InputInProgress now) {
            return recorded.filter(now::isSame).isPresent();
        }

        /** Reads the suspect and records the observed attempt. */
        void record() {
            try {
                tracker.loadLastAttempt();
                observed.filter(input -> checks >= RECORD_AFTER_CHECKS)
                        .filter(tracker::recordSlow)
                        .ifPresent(input -> recorded = Optional.of(input));
            } catch (RuntimeException e) {
                LOG.atWarn().setCause(e).log("watchdog: attempt not recorded");
            } finally {
                isRecording.set(false);
            }
        }
    }

    Watchdog(AttemptLog attempts, Meters meters, InstantSource clock, LongSupplier nanos) {
        this(
                attempts,
                meters,
                clock,
                nanos,
                Executors.newSingleThreadScheduledExecutor(
                        Thread.ofPlatform().daemon().name("cells-watchdog").factory()),
                Executors.newSingleThreadExecutor(
                        Thread.ofPlatform().daemon().name("cells-attempts").factory()));
    }

    /**
     * A watchdog with these executors.
     *
     * @param checkExecutor executor of the checks, with one thread
     * @param recordExecutor executor for requests to the store of attempts, which block
     */
    Watchdog(
            AttemptLog attempts,
            Meters meters,
            InstantSource clock,
            LongSupplier nanos,
            ScheduledExecutorService checkExecutor,
            Executor recordExecutor) {
        this.attempts = attempts;
        this.checkExecutor = checkExecutor;
        this.recordExecutor = recordExecutor;
        this.meters = meters;
        this.clock = clock;
        this.nanos = nanos;
        meters.show(AllocatorMeter.INPUT_SECONDS, () -> gauge(this::seconds));
        meters.show(AllocatorMeter.INPUT_ATTEMPTS, () -> gauge(Watchdog::attempts));
    }

    /**
     * Starts the checks.
     *
     * @param then runs after each check, in the thread of the watchdog; for periodic work that belongs to no task
     */
    void start(Runnable then) {
        start(CHECK_EVERY, then);
    }

    /** Starts the checks with this delay between them. */
    void start(Duration every, Runnable then) {
        var unused = checkExecutor.scheduleWithFixedDelay(
                () -> {
                    check();
                    guard(then);
                },
                every.toMillis(),
                every.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /**
     * Tracks a cell that was just taken over.
     *
     * @param applied offset of the last input in its state; -1 for none
     * @param item the item that it evaluates; safe for any thread
     */
    InputTracker trackCell(int cell, long applied, Supplier<Optional<ItemId>> item) {
        return track(Integer.toString(cell), KafkaAdmin.log(cell), applied, item);
    }

    /**
     * Tracks the router, which was just taken over.
     *
     * @param applied offset of the last input in its state; -1 for none
     */
    InputTracker trackRouter(long applied) {
        return track(InputTracker.ROUTER, KafkaAdmin.ROUTER, applied, Optional::empty);
    }

    private InputTracker track(String label, TopicPartition log, long applied, Supplier<Optional<ItemId>> item) {
        var tracker = new InputTracker(
                label, new AttemptRecorder(attempts, log), clock, nanos, applied, item, this::raiseAlarm);
        trackers.put(label, new TrackerState(tracker));
        tracker.loadLastAttempt();
        return tracker;
    }

    /**
     * Stops tracking a cell, unless this process has taken it over again. A cell whose processing threw is reported until the process ends.
     */
    void untrack(InputTracker tracker) {
        trackers.computeIfPresent(
                tracker.label(), (_, now) -> now.tracker == tracker && !tracker.isFailed() ? null : now);
    }

    /**
     * Handles an exception that ended the stream threads. After a fault of the cluster, the attempts of this process do not count.
     *
     * <p>If the store does not respond, it waits for one timeout only.
     */
    void handleThreadFailure(Throwable cause) {
        if (FaultKind.of(cause) == FaultKind.CLUSTER) {
            boolean unused = trackers.values().stream().allMatch(each -> each.tracker.retract());
        }
    }

    /** Offset of the first input that is not processed, if this process has the cell or the router. */
    OptionalLong nextOffset(TopicPartition log) {
        return trackers.values().stream()
                .filter(each -> each.tracker.log().equals(log))
                .mapToLong(each -> each.tracker.nextOffset())
                .max();
    }

    // ---- checks

    /** Runs one check. */
    void check() {
        guard(() -> trackers.values().forEach(this::check));
    }

    private static void guard(Runnable work) {
        try {
            work.run();
        } catch (RuntimeException e) { // otherwise the executor would cancel all further checks
            LOG.atWarn().setCause(e).log("watchdog: check failed");
        }
    }

    private void check(TrackerState cell) {
        Optional<InputTracker.InputInProgress> now = cell.tracker.current();
        if (now.isEmpty() || !cell.isObserved(now.get())) {
            if (cell.checks >= SLOW_AFTER_CHECKS && !cell.tracker.isFailed()) {
                cell.observed.ifPresent(before -> logDone(cell.tracker, before));
            }
            cell.checks = 0;
            cell.observed = now;
            recordUnless(!cell.tracker.isLastAttemptUnknown(), cell);
            return;
        }
        int checks = cell.checks + 1;
        cell.checks = checks;
        recordUnless(cell.isRecorded(now.get()), cell);
        if (checks == SLOW_AFTER_CHECKS) {
            logSlow(cell.tracker, now.get());
        }
    }

    /** Starts recording in the background. At most one recording per cell is pending, because each blocks on the brokers. */
    private void recordUnless(boolean isDone, TrackerState cell) {
        if (!isDone && cell.isRecording.compareAndSet(false, true)) {
            recordExecutor.execute(cell::record);
        }
    }

    /** Raises the alarm of an input that fails repeatedly, once per attempt. */
    private void raiseAlarm(InputTracker cell, InputAttempt failing) {
        meters.count(AllocatorMeter.ALARMS, CellMeters.INPUT_FAILING);
        LOG.atError()
                .addKeyValue("cell", cell.name())
                .addKeyValue("offset", failing.offset())
                .addKeyValue("input", failing.subject())
                .addKeyValue("attempt", failing.count())
                .addKeyValue("since", failing.since())
                .addKeyValue("failure", failing.failure())
                .log(
                        "an input fails repeatedly and stops its cell; no input is skipped: see services/allocator/README.md");
    }

    private static void logSlow(InputTracker cell, InputTracker.InputInProgress input) {
        LOG.atWarn()
                .addKeyValue("cell", cell.name())
                .addKeyValue("offset", input.offset())
                .addKeyValue("input", input.about().get())
                .addKeyValue("item", cell.item().map(ItemId::toString).orElse(""))
                .addKeyValue("attempt", input.count())
                .log("a cell has worked on one input for more than 5 s");
    }

    private static void logDone(InputTracker cell, InputTracker.InputInProgress input) {
        LOG.atWarn()
                .addKeyValue("cell", cell.name())
                .addKeyValue("offset", input.offset())
                .addKeyValue("attempt", input.count())
                .log("the cell has finished the slow input");
    }

    // ---- results

    /** Health of the inputs: degraded while an input is slow or fails repeatedly. */
    Health.Condition condition() {
        List<String> problems = trackers.values().stream()
                .flatMap(each -> Stream.concat(
                        each.slow().map(input -> slow(each.tracker, input)).stream(),
                        each.tracker.failingAttempt().map(attempt -> failing(each.tracker, attempt)).stream()))
                .toList();
        return problems.isEmpty()
                ? Health.Condition.up("no slow or failing input")
                : Health.Condition.degraded(String.join("; ", problems));
    }

    private static String slow(InputTracker cell, InputTracker.InputInProgress input) {
        return "%s has worked for %d s %s offset %d of %s (%s%s), attempt %d, since %s"
                .formatted(
                        cell.name(),
                        cell.elapsed(input).toSeconds(),
                        input.isInput() ? "on" : "after",
                        input.offset(),
                        cell.log().topic(),
                        input.about().get(),
                        cell.item().map(item -> "; evaluates " + item).orElse(""),
                        input.count(),
                        input.since());
    }

    private static String failing(InputTracker cell, InputAttempt attempt) {
        return "%s fails repeatedly at offset %d of %s (%s%s), attempt %d, since %s"
                .formatted(
                        cell.name(),
                        attempt.offset(),
                        cell.log().topic(),
                        attempt.subject(),
                        attempt.failure().isEmpty() ? "" : "; " + attempt.failure(),
                        attempt.count(),
                        attempt.since());
    }

    private SortedMap<List<String>, Double> gauge(ToDoubleFunction<InputTracker> value) {
        return trackers.values().stream()
                .map(each -> each.tracker)
                .collect(Collectors.toMap(
                        tracker -> List.of(tracker.label()),
                        value::applyAsDouble,
                        (a, b) -> b,
                        () -> new TreeMap<>((a, b) -> a.getFirst().compareTo(b.getFirst()))));
    }

    private double seconds(InputTracker tracker) {
        return tracker.current()
                .map(input -> tracker.elapsed(input).toMillis() / 1e3)
                .orElse(0.0);
    }

    private static double attempts(InputTracker tracker) {
        return tracker.current()
                .map(InputTracker.InputInProgress::count)
                .or(() -> tracker.failingAttempt().map(InputAttempt::count))
                .orElse(0);
    }

    @Override
    public void close() {
        checkExecutor.shutdownNow();
        if (recordExecutor instanceof ExecutorService service) {
            service.shutdownNow();
        }
        trackers.clear();
    }
}
