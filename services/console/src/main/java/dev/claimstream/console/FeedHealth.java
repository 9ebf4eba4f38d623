package dev.claimstream.console;

import dev.claimstream.observability.Health;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Requires;
import java.util.Optional;

/** Registers the health check of the console at startup, before the first request. */
@Context
@Requires(beans = Feed.class)
final class FeedHealth {
    FeedHealth(Feed feed, Health health) {
        health.watch("console", () -> condition(feed));
    }

    private static Health.Condition condition(Feed feed) {
        if (!feed.isAlive()) {
            return Health.Condition.over("the reader stopped");
        }
        Optional<String> trouble = feed.trouble();
        if (!feed.isCaughtUp()) {
            return Health.Condition.down("still reads what was decided"
                    + trouble.map(why -> ": " + why).orElse(""));
        }
        return trouble.map(why -> Health.Condition.degraded("shows what was decided until it lost touch: " + why))
                .orElseGet(() -> Health.Condition.up("reads what is decided"));
    }
}
