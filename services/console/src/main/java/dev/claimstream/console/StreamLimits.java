package dev.claimstream.console;

import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpStatus;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Counts the open watches, per client and in all. The page's streams have the same limits of their own. Thread-safe. */
@Singleton
final class StreamLimits {
    private static final Duration START_MAX = Duration.ofSeconds(10);

    private final int streamsMax;
    private final int streamsPerClientMax;
    private final List<OpenWatch> open = new ArrayList<>();

    StreamLimits(
            @Value("${claimstream.console.streams-max:100}") int streamsMax,
            @Value("${claimstream.console.streams-per-client-max:20}") int streamsPerClientMax) {
        this.streamsMax = streamsMax;
        this.streamsPerClientMax = streamsPerClientMax;
    }

    /** A watch that counts until it is closed. One that does not start in ten seconds, as after HEAD, stops counting. */
    final class OpenWatch implements AutoCloseable {
        private final String client;
        private final long openedAt = System.nanoTime();
        private boolean isStarted;

        private OpenWatch(String client) {
            this.client = client;
        }

        private boolean isAbandoned() {
            return !isStarted && System.nanoTime() - openedAt > START_MAX.toNanos();
        }

        void start() {
            startWatch(this);
        }

        @Override
        public void close() {
            closeWatch(this);
        }
    }

    /**
     * Opens a watch.
     *
     * @throws RejectedRequestException 429 if the client, or all clients together, have too many watches
     */
    synchronized OpenWatch open(String client) {
        open.removeIf(OpenWatch::isAbandoned);
        long own = open.stream().filter(each -> each.client.equals(client)).count();
        boolean isOwn = own >= streamsPerClientMax;
        if (isOwn || open.size() >= streamsMax) {
            throw new RejectedRequestException(
                    HttpStatus.TOO_MANY_REQUESTS,
                    isOwn
                            ? "%s has %d watches, the maximum".formatted(client, own)
                            : "the console has %d watches, the maximum".formatted(open.size()),
                    "watch",
                    "close other watches, or raise claimstream.console."
                            + (isOwn ? "streams-per-client-max" : "streams-max"));
        }
        var watch = new OpenWatch(client);
        open.add(watch);
        return watch;
    }

    private synchronized void startWatch(OpenWatch watch) {
        watch.isStarted = true;
    }

    private synchronized void closeWatch(OpenWatch watch) {
        open.remove(watch);
    }
}
