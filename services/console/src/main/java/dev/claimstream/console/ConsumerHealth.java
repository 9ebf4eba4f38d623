package dev.claimstream.console;

import dev.claimstream.observability.Health;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import java.util.Optional;

/** Registers the health check of the console at startup, before the first request. */
@Context
@Requires(beans = ConsumerStatus.class)
final class ConsumerHealth {
    ConsumerHealth(ConsumerStatus feed, Health health) {
        health.register("console", () -> condition(feed));
    }

    private static Health.Condition condition(ConsumerStatus feed) {
        if (!feed.isAlive()) {
            return Health.Condition.terminal("the reader stopped");
        }
        Optional<String> problem = feed.problem();
        if (!feed.isCaughtUp()) {
            return Health.Condition.down("still reads the decisions"
                    + problem.map(reason -> ": " + reason).orElse(""));
        }
        return problem.map(
                        reason -> Health.Condition.degraded("shows the decisions up to the lost connection: " + reason))
                .orElseGet(() -> Health.Condition.up("reads the decisions"));
    }
}
