package dev.claimstream.console;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.annotation.RequestFilter;
import io.micronaut.http.annotation.ServerFilter;

/**
 * Responds 503 until the consumer has caught up, and after it has failed.
 * A partial view would report existing objects as missing.
 */
@ServerFilter("/api/v1/**")
final class ReadinessFilter {
    private final ConsumerStatus feed;

    ReadinessFilter(ConsumerStatus feed) {
        this.feed = feed;
    }

    @RequestFilter
    @Nullable
    HttpResponse<?> check() {
        if (!feed.isAlive()) {
            return unavailable("the console's reader stopped", "start it again; its log contains the reason");
        }
        return feed.isCaughtUp()
                ? null
                : unavailable(
                        "the console still reads the decisions"
                                + feed.problem().map(reason -> ": " + reason).orElse(""),
                        "try again");
    }

    private static HttpResponse<?> unavailable(String message, String remedy) {
        return RejectedRequestException.response(HttpStatus.SERVICE_UNAVAILABLE, message, "", remedy);
    }
}
