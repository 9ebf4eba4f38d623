package dev.claimstream.cli;

import dev.claimstream.dra.Listing;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kafka.broker.BrokerFault;
import dev.claimstream.watcher.Watcher;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** Serves the claims of a listing over a real broker in this JVM, once. */
final class Run {
    private static final String PROBE = "run";
    private static final Duration SILENCE_MAX = Duration.ofMinutes(5);

    private final Listing listing;
    private final RunSettings settings;
    private final Consumer<String> progress;

    Run(Listing listing, RunSettings settings, Consumer<String> progress) {
        this.listing = listing;
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * What came of it.
     *
     * @param brokerReady after the start of this process
     * @param latenciesMs from claim to decision, ascending
     */
    record Result(List<Answer> answers, Duration brokerReady, List<Long> latenciesMs) {}

    /**
     * Runs to the end.
     *
     * @throws RunFailure where something broke; the message says what, and what to do
     */
    Result in(Path folder) {
        progress.accept("starting the broker");
        try (var stack = Stack.start(folder)) {
            Duration brokerReady = sinceStart();
            progress.accept("starting the services");
            try (var context = stack.services(listing, new Shown(), settings, folder);
                    var follower = new Follower(stack.kafka(), stack.registry())) {
                progress.accept("deciding");
                context.getBean(Watcher.class).probe(PROBE);
                Instant until = Instant.now().plus(SILENCE_MAX);
                boolean isAnswered = follower.follow(
                        () -> !stack.broker().fault().isDone() && Instant.now().isBefore(until));
                if (!isAnswered) {
                    throw new RunFailure(why(stack));
                }
                return new Result(answers(follower), brokerReady, follower.latenciesMs());
            }
        }
    }

    private static String why(Stack stack) {
        Optional<BrokerFault> fault = Optional.ofNullable(stack.broker().fault().getNow(null));
        return fault.map(BrokerFault::toString)
                .orElse("no answer within %d minutes: see the log".formatted(SILENCE_MAX.toMinutes()));
    }

    private static Duration sinceStart() {
        return ProcessHandle.current()
                .info()
                .startInstant()
                .map(start -> Duration.between(start, Instant.now()))
                .orElse(Duration.ZERO);
    }

    private List<Answer> answers(Follower follower) {
        List<Answer> answers = new ArrayList<>();
        listing.objects().stream()
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .forEach(claim -> {
                    var decision = follower.decision(claim.meta().uid());
                    answers.add(new Answer(claim, decision, decision.flatMap(follower::explanation)));
                });
        return answers;
    }
}
