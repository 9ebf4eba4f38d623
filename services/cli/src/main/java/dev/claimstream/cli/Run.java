package dev.claimstream.cli;

import dev.claimstream.agent.Fleet;
import dev.claimstream.allocation.cell.Decision;
import dev.claimstream.allocation.cell.Explanation;
import dev.claimstream.allocation.cell.ItemId;
import dev.claimstream.allocator.Allocator;
import dev.claimstream.console.Answer;
import dev.claimstream.console.Expressions;
import dev.claimstream.console.NotLookedAt;
import dev.claimstream.console.PodAnswers;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.scenarios.SchedulerClaim;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.watcher.Watcher;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
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

/** Runs the services once over a real broker in this JVM, on the objects of manifests. */
final class Run {
    private static final String PROBE = "run";
    private static final Duration SILENCE_MAX = Duration.ofMinutes(5);
    private static final Duration LOOK_EVERY = Duration.ofMillis(2);

    private final RunSettings settings;
    private final Consumer<String> progress;

    Run(RunSettings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * The result of a run.
     *
     * @param brokerReady time from process start until the broker was ready
     * @param firstAnswer time from process start until the first decision was read by a consumer of committed records
     * @param latenciesMs time from claim to decision in milliseconds, ascending
     * @param waiting explanations of pending items; also pods whose claims are all allocated to other pods
     * @param deallocated reasons of deallocations of claims that were allocated in the manifests, one line each
     * @param schedulerClaims claims that kube-scheduler itself creates, and that Claimstream does not allocate
     */
    record Result(
            Inputs.Read read,
            List<Answer> answers,
            Duration brokerReady,
            Duration firstAnswer,
            List<Long> latenciesMs,
            List<Explanation> waiting,
            List<String> deallocated,
            List<SchedulerClaim> schedulerClaims) {
        /** Returns the explanation of an item if the item is pending. */
        Optional<Explanation> waits(ItemId item) {
            return waiting.stream().filter(each -> each.item().equals(item)).findFirst();
        }

        /** Returns the claim that kube-scheduler creates for a pod. */
        Optional<SchedulerClaim> schedulerClaim(ObjectKey pod) {
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
    private record Started(Stack stack, Duration after) {}

    /**
     * Runs to the end. Manifests are read and selectors compiled while the broker starts.
     *
     * @throws RunFailure if a component fails; the message has cause and remedy
     */
    Result in(Path folder, Function<Expressions, Inputs.Read> reading) {
        progress.accept("starting the broker");
        var starting = CompletableFuture.supplyAsync(() -> new Started(Stack.start(folder), sinceStart(Instant.now())));
        var selectors = new CelSelectors();
        Inputs.Read read;
        try {
            read = reading.apply(new Expressions(settings.features()));
            selectors.probe();
        } catch (RuntimeException e) {
            starting.thenAccept(started -> started.stack.close())
                    .exceptionally(failed -> null)
                    .join();
            throw e;
        }
        Started started = joined(starting);
        try (var stack = started.stack) {
            return serve(stack, started.after, selectors, read, folder);
        }
    }

    private static Started joined(CompletableFuture<Started> starting) {
        try {
            return starting.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private Result serve(Stack stack, Duration brokerReady, CelSelectors selectors, Inputs.Read read, Path folder) {
        progress.accept("starting the services");
        try (var context = stack.services(read.listing(), selectors, new Shown(), settings, folder);
                var follower = new Follower(stack.kafka(), stack.registry())) {
            var life = new Life(stack, context.getBean(Allocator.class), follower);
            follower.prepare();
            life.await(life.allocator::isRunning);
            progress.accept("deciding");
            context.getBean(Fleet.class).publish();
            context.getBean(Watcher.class).show();
            context.getBean(Watcher.class).probe(PROBE);
            follower.follow(life::check);
            var cleared = new Cleared(read);
            for (List<Decision> next = cleared.next(follower); !next.isEmpty(); next = cleared.next(follower)) {
                context.getBean(Watcher.class).update(cleared.clear(next));
                context.getBean(Watcher.class).probe(PROBE + " " + cleared.claims.size());
                follower.follow(life::check);
            }
            List<Answer> answers = answers(read, cleared, follower);
            return new Result(
                    read,
                    answers,
                    brokerReady,
                    follower.firstAnswer().map(Run::sinceStart).orElseGet(() -> sinceStart(Instant.now())),
                    follower.latenciesMs(),
                    follower.waiting(),
                    List.copyOf(cleared.reasons),
                    new PodAnswers(read.listing().objects(), answers)
                            .schedulerClaims(settings.features(), selectors, settings.searchStepsMax())
                            .all());
        }
    }

    /** Clears deallocated claims, each once, because the manifests have no API server to which a writer could commit. */
    private static final class Cleared {
        private final Inputs.Read read;
        private final Map<String, ResourceClaim> claims = new TreeMap<>();
        private final List<String> reasons = new ArrayList<>();

        Cleared(Inputs.Read read) {
            this.read = read;
        }

        List<Decision> next(Follower follower) {
            return follower.deallocations().stream()
                    .filter(each -> !claims.containsKey(each.claimUid()))
                    .toList();
        }

        List<ResourceClaim> clear(List<Decision> decisions) {
            List<ResourceClaim> cleared = new ArrayList<>();
            for (Decision decision : decisions) {
                if (decision.verdict() instanceof Decision.Verdict.Deallocation(var _, var _, long _, String why)) {
                    reasons.add(why);
                }
                read.listing().objects().stream()
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

        ResourceClaim now(ResourceClaim claim) {
            return claims.getOrDefault(claim.meta().uid(), claim);
        }
    }

    /** Checks the components that must be alive until the result is complete. */
    private record Life(Stack stack, Allocator allocator, Follower follower) {
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
                        "the allocator stopped: " + allocator.failure().orElse("for a reason that it did not say"));
            }
            if (follower.silence().compareTo(SILENCE_MAX) > 0) {
                throw new RunFailure("nothing was decided for %d minutes".formatted(SILENCE_MAX.toMinutes()));
            }
        }

        void await(BooleanSupplier reached) {
            while (!reached.getAsBoolean()) {
                check();
                LockSupport.parkNanos(LOOK_EVERY.toNanos());
            }
        }
    }

    /** Returns the time since the start of this JVM, without a build by the launcher. */
    private static Duration sinceStart(Instant moment) {
        long start = ManagementFactory.getRuntimeMXBean().getStartTime();
        return Duration.between(Instant.ofEpochMilli(start), moment);
    }

    private static List<Answer> answers(Inputs.Read read, Cleared cleared, Follower follower) {
        List<Answer> answers = new ArrayList<>();
        var pods = new TreeMap<ObjectKey, Pod>();
        read.listing().objects().forEach(object -> {
            if (object instanceof Pod pod) {
                pods.put(pod.key(), pod);
            }
        });
        read.listing().objects().stream()
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .map(cleared::now)
                .forEach(claim -> {
                    var decision = follower.decision(claim.meta().uid());
                    Optional<Explanation> explanation = decision.flatMap(follower::explanation);
                    List<String> notLookedAt =
                            NotLookedAt.of(explanation, (_, key) -> Optional.ofNullable(pods.get(key)));
                    answers.add(new Answer(claim, decision, explanation, notLookedAt));
                });
        return answers;
    }
}
