package dev.claimstream.cli.standalone;

import dev.claimstream.agent.SimulatedFleet;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocator.Allocator;
import dev.claimstream.cli.input.ManifestInputs;
import dev.claimstream.cli.output.RunFailure;
import dev.claimstream.console.ClaimResult;
import dev.claimstream.console.ExpressionValidator;
import dev.claimstream.console.PodExplainer;
import dev.claimstream.console.UnevaluatedPodFields;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.scenarios.SchedulerClaim;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.simulation.ManifestCell;
import dev.claimstream.watcher.SnapshotPublisher;
import io.micronaut.context.ApplicationContext;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import org.rocksdb.RocksDB;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs the services once over a real broker in this JVM, on the objects of manifests. */
public final class StandaloneRun {
    private static final Logger LOG = LoggerFactory.getLogger(StandaloneRun.class);
    private static final String PROBE = "run";
    private static final Duration IDLE_MAX = Duration.ofMinutes(5);
    private static final Duration CHECK_INTERVAL = Duration.ofMillis(2);

    /** Number of objects up to which a rehearsal ends before the cell runs. */
    private static final int REHEARSED_OBJECTS_MAX = 1_000;

    private final RunSettings settings;
    private final Consumer<String> progress;

    StandaloneRun(RunSettings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * The result of a run.
     *
     * @param brokerReady time from process start until the broker was ready
     * @param firstDecision time from process start until the first decision was read by a consumer of committed records
     * @param latenciesMs time from claim to decision in milliseconds, ascending
     * @param pendingExplanations explanations of pending items; also pods whose claims are all allocated to other pods
     * @param deallocationReasons reasons of deallocations of claims that were allocated in the manifests, one line each
     * @param schedulerClaims claims that kube-scheduler itself creates, and that Claimstream does not allocate
     */
    public record RunResult(
            ManifestInputs.CompletedManifests input,
            List<ClaimResult> answers,
            Duration brokerReady,
            Duration firstDecision,
            List<Long> latenciesMs,
            List<Explanation> pendingExplanations,
            List<String> deallocationReasons,
            List<SchedulerClaim> schedulerClaims) {
        /** Returns the explanation of an item if the item is pending. */
        public Optional<Explanation> pendingExplanation(ItemId item) {
            return pendingExplanations.stream()
                    .filter(each -> each.item().equals(item))
                    .findFirst();
        }

        /** Returns the claim that kube-scheduler creates for a pod. */
        public Optional<SchedulerClaim> schedulerClaim(ObjectKey pod) {
            return schedulerClaims.stream()
                    .filter(each -> each.pod().equals(pod))
                    .findFirst();
        }
    }

    /**
     * The started broker.
     *
     * @param after time from process start until the broker was ready
     */
    private record ReadyBroker(StandaloneStack stack, Duration after) {}

    /** What becomes of broker and services when the result is complete. After a failure they are closed in any case. */
    enum ServicesAfterRun {
        /** They are closed in order. */
        CLOSED,
        /** They run until the process ends. */
        RUNNING
    }

    /**
     * Runs to the end. While the broker starts, manifests are read, selectors compiled and RocksDB's library is loaded.
     *
     * @throws RunFailure if a component fails; the message has cause and remedy
     */
    RunResult execute(
            Path folder,
            Function<ExpressionValidator, ManifestInputs.CompletedManifests> reading,
            ServicesAfterRun afterwards) {
        progress.accept("starting the broker");
        var starting = CompletableFuture.supplyAsync(
                () -> new ReadyBroker(StandaloneStack.start(folder), sinceStart(Instant.now())));
        var selectors = new CelSelectors();
        ManifestInputs.CompletedManifests read;
        try {
            read = reading.apply(new ExpressionValidator(settings.features()));
            selectors.verifyFunctions();
            loadLibrary();
            if (afterwards == ServicesAfterRun.RUNNING) {
                rehearse(read.listing().objects(), selectors);
            }
        } catch (RuntimeException e) {
            starting.thenAccept(started -> started.stack.close())
                    .exceptionally(failed -> null)
                    .join();
            throw e;
        }
        ReadyBroker started = await(starting);
        try (var opened = new OpenedServices()) {
            opened.add(started.stack);
            RunResult result = serve(started, opened, selectors, read, folder);
            if (afterwards == ServicesAfterRun.RUNNING) {
                opened.release();
            }
            return result;
        }
    }

    /** Closes in reverse order what was opened. */
    private static final class OpenedServices implements AutoCloseable {
        private final Deque<AutoCloseable> lastFirst = new ArrayDeque<>();

        <T extends AutoCloseable> T add(T opened) {
            lastFirst.push(opened);
            return opened;
        }

        /** Leaves everything open. */
        void release() {
            lastFirst.clear();
        }

        @Override
        public void close() {
            var failures = new ArrayList<RuntimeException>();
            while (!lastFirst.isEmpty()) {
                try {
                    lastFirst.pop().close();
                } catch (RuntimeException e) {
                    failures.add(e);
                } catch (Exception e) {
                    failures.add(new IllegalStateException(e));
                }
            }
            if (!failures.isEmpty()) {
                throw failures.getFirst();
            }
        }
    }

    /** Loads RocksDB's library while the broker starts, and not with the first store, when nothing else is left to do. */
    private static void loadLibrary() {
        try {
            RocksDB.loadLibrary();
        } catch (RuntimeException | UnsatisfiedLinkError e) {
            LOG.atDebug().setCause(e).log("the first store tries again, and reports the failure");
        }
    }

    /**
     * Decides the objects without a log while broker and cell start, so that the cell decides with code that is loaded
     * and with selectors that are compiled. The process ends after the command, and the rehearsal with it. The cell
     * reports what fails.
     */
    private static void rehearse(List<ClusterObject> objects, CelSelectors selectors) {
        if (objects.size() <= REHEARSED_OBJECTS_MAX) {
            var unused = CompletableFuture.runAsync(
                            () -> ManifestCell.of(objects, CellSettings.defaults(), selectors, Instant.now()))
                    .whenComplete((_, failure) ->
                            LOG.atDebug().setCause(failure).log("the objects were decided without a log"));
        }
    }

    private static ReadyBroker await(CompletableFuture<ReadyBroker> starting) {
        try {
            return starting.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private RunResult serve(
            ReadyBroker broker,
            OpenedServices opened,
            CelSelectors selectors,
            ManifestInputs.CompletedManifests read,
            Path folder) {
        progress.accept("starting the services");
        StandaloneStack stack = broker.stack;
        ApplicationContext context =
                opened.add(stack.startServices(read.listing(), selectors, new DryRunCommits(), settings, folder));
        var follower = opened.add(new DecisionConsumer(stack.kafka(), stack.registry()));
        var liveness = new LivenessCheck(stack, context.getBean(Allocator.class), follower);
        follower.prepare();
        context.getBean(SimulatedFleet.class).publish(); // on the way to the cell while the cell starts
        liveness.await(liveness.allocator::isRunning);
        progress.accept("deciding");
        context.getBean(SnapshotPublisher.class).publish();
        context.getBean(SnapshotPublisher.class).probe(PROBE);
        follower.readUntilProbe(liveness::check);
        var cleared = new ClearedClaims(read);
        for (List<Decision> next = cleared.unclearedDeallocations(follower);
                !next.isEmpty();
                next = cleared.unclearedDeallocations(follower)) {
            context.getBean(SnapshotPublisher.class).update(cleared.clear(next));
            context.getBean(SnapshotPublisher.class).probe(PROBE + " " + cleared.claims.size());
            follower.readUntilProbe(liveness::check);
        }
        List<ClaimResult> answers = answers(read, cleared, follower);
        return new RunResult(
                read,
                answers,
                broker.after,
                follower.firstDecision().map(StandaloneRun::sinceStart).orElseGet(() -> sinceStart(Instant.now())),
                follower.latenciesMs(),
                follower.pendingExplanations(),
                List.copyOf(cleared.reasons),
                new PodExplainer(read.listing().objects(), answers)
                        .schedulerClaims(settings.features(), selectors, settings.searchStepsMax())
                        .all());
    }

    /** Clears deallocated claims, each once, because the manifests have no API server to which a writer could commit. */
    private static final class ClearedClaims {
        private final ManifestInputs.CompletedManifests input;
        private final Map<String, ResourceClaim> claims = new TreeMap<>();
        private final List<String> reasons = new ArrayList<>();

        ClearedClaims(ManifestInputs.CompletedManifests read) {
            this.input = read;
        }

        List<Decision> unclearedDeallocations(DecisionConsumer follower) {
            return follower.deallocations().stream()
                    .filter(each -> !claims.containsKey(each.claimUid()))
                    .toList();
        }

        List<ResourceClaim> clear(List<Decision> decisions) {
            List<ResourceClaim> cleared = new ArrayList<>();
            for (Decision decision : decisions) {
                if (decision.result()
                        instanceof Decision.DecisionResult.Deallocation(var _, var _, long _, String why)) {
                    reasons.add(why);
                }
                input.listing().objects().stream()
                        .filter(each -> each instanceof ResourceClaim
                                && each.meta().uid().equals(decision.claimUid()))
                        .map(ResourceClaim.class::cast)
                        .map(claim -> new ResourceClaim(claim.meta(), claim.spec(), Optional.empty(), List.of()))
                        .forEach(claim -> {
                            claims.put(decision.claimUid(), claim);
                            cleared.add(claim);
                        });
            }
            return cleared;
        }

        ResourceClaim current(ResourceClaim claim) {
            return claims.getOrDefault(claim.meta().uid(), claim);
        }
    }

    /** Checks the components that must be alive until the result is complete. */
    private record LivenessCheck(StandaloneStack stack, Allocator allocator, DecisionConsumer follower) {
        /**
         * Checks the components.
         *
         * @throws RunFailure if a component has failed
         */
        void check() {
            if (stack.broker().fault().isDone()) {
                throw new RunFailure(stack.broker().fault().join().toString());
            }
            if (!allocator.isAlive()) {
                throw new RunFailure(
                        "the allocator stopped: " + allocator.failure().orElse("unknown reason"));
            }
            if (follower.idleTime().compareTo(IDLE_MAX) > 0) {
                throw new RunFailure("nothing was decided for %d minutes".formatted(IDLE_MAX.toMinutes()));
            }
        }

        void await(BooleanSupplier reached) {
            while (!reached.getAsBoolean()) {
                check();
                LockSupport.parkNanos(CHECK_INTERVAL.toNanos());
            }
        }
    }

    /** Returns the time since the start of this JVM, without a build by the launcher. */
    private static Duration sinceStart(Instant moment) {
        long start = ManagementFactory.getRuntimeMXBean().getStartTime();
        return Duration.between(Instant.ofEpochMilli(start), moment);
    }

    private static List<ClaimResult> answers(
            ManifestInputs.CompletedManifests read, ClearedClaims cleared, DecisionConsumer follower) {
        List<ClaimResult> answers = new ArrayList<>();
        var pods = new TreeMap<ObjectKey, Pod>();
        read.listing().objects().forEach(object -> {
            if (object instanceof Pod pod) {
                pods.put(pod.key(), pod);
            }
        });
        read.listing().objects().stream()
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .map(cleared::current)
                .forEach(claim -> {
                    var decision = follower.decision(claim.meta().uid());
                    Optional<Explanation> explanation = decision.flatMap(follower::explanation);
                    List<String> notEvaluated =
                            UnevaluatedPodFields.of(explanation, (_, key) -> Optional.ofNullable(pods.get(key)));
                    answers.add(new ClaimResult(claim, decision, explanation, notEvaluated));
                });
        return answers;
    }
}
