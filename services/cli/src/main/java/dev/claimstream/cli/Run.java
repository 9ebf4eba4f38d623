package dev.claimstream.cli;

import dev.claimstream.allocator.Allocator;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.broker.BrokerFault;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.watcher.Watcher;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.function.Function;

/** Serves the claims of manifests over a real broker in this JVM, once. */
final class Run {
    private static final String PROBE = "run";
    private static final Duration SILENCE_MAX = Duration.ofMinutes(5);

    private final RunSettings settings;
    private final Consumer<String> progress;

    Run(RunSettings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * What came of it.
     *
     * @param brokerReady after the start of this process
     * @param latenciesMs from claim to decision, ascending
     */
    record Result(Inputs.Read read, List<Answer> answers, Duration brokerReady, List<Long> latenciesMs) {}

    /** A broker that serves, and how long after the start of this process. */
    private record Started(Stack stack, Duration after) {}

    /**
     * Runs to the end. Manifests are read, and their selectors compiled and the selector library tried, while the broker starts.
     *
     * @throws RunFailure where something broke; the message says what, and what to do
     */
    Result in(Path folder, Function<CelSelectors, Inputs.Read> reading) {
        progress.accept("starting the broker");
        var starting = CompletableFuture.supplyAsync(() -> new Started(Stack.start(folder), sinceStart()));
        var selectors = new CelSelectors();
        Optional<Inputs.Read> read = Optional.empty();
        try {
            read = Optional.of(reading.apply(selectors));
            selectors.probe();
        } finally {
            if (read.isEmpty()) {
                starting.thenAccept(started -> started.stack.close())
                        .exceptionally(failed -> null)
                        .join();
            }
        }
        Started started = joined(starting);
        try (var stack = started.stack) {
            return serve(stack, started.after, selectors, read.orElseThrow(), folder);
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
            progress.accept("deciding");
            context.getBean(Watcher.class).probe(PROBE);
            Instant until = Instant.now().plus(SILENCE_MAX);
            boolean isAnswered = follower.follow(() -> !stack.broker().fault().isDone()
                    && context.getBean(Allocator.class).isAlive()
                    && Instant.now().isBefore(until));
            if (!isAnswered) {
                throw new RunFailure(why(stack));
            }
            return new Result(read, answers(read, follower), brokerReady, follower.latenciesMs());
        }
    }

    private static String why(Stack stack) {
        Optional<BrokerFault> fault = stack.broker().fault().isDone()
                ? Optional.of(stack.broker().fault().join())
                : Optional.empty();
        return fault.map(BrokerFault::toString)
                .orElse("the allocator stopped or gave no answer within %d minutes; what it said stands above"
                        .formatted(SILENCE_MAX.toMinutes()));
    }

    private static Duration sinceStart() {
        return ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, Instant.now()))
                .orElse(Duration.ZERO);
    }

    private static List<Answer> answers(Inputs.Read read, Follower follower) {
        List<Answer> answers = new ArrayList<>();
        read.listing().objects().stream()
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .forEach(claim -> {
                    var decision = follower.decision(claim.meta().uid());
                    answers.add(new Answer(claim, decision, decision.flatMap(follower::explanation)));
                });
        return answers;
    }
}
