package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.Versioned;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One watch of a kind, which continues over several requests.
 *
 * <p>If the server ends a request in order, as it does every few minutes, the next request continues at the last version. If the connection
 * breaks or the server answers 410, the watch has ended. Requests that end at once without an event are repeated with exponential backoff.
 */
final class Watching implements ClusterWatch.Subscription {
    private static final Logger LOG = LoggerFactory.getLogger(Watching.class);
    private static final long SHORTEST_S = 300;
    private static final long LONGEST_S = 600;
    private static final long ASK_AGAIN_S = 300;
    private static final long OUTDATED_AFTER_S = 10;
    private static final Duration AT_ONCE = Duration.ofSeconds(1);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(100);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

    private final ApiWatch watch;
    private final Kind kind;
    private final ClusterWatch.Listener listener;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Optional<InputStream> open = Optional.empty();
    private volatile Optional<String> over = Optional.empty();

    Watching(ApiWatch watch, Kind kind, ClusterWatch.Listener listener) {
        this.watch = watch;
        this.kind = kind;
        this.listener = listener;
    }

    void start(Optional<String> api, long version) {
        Thread.ofVirtual()
                .name("watch-" + kind.apiName())
                .start(() -> run(() -> api.isPresent() ? follow(api.get(), version) : awaitServed()));
        if (kind == Kind.DEVICE_CLASS) {
            Thread.ofVirtual().name("watch-managed").start(this::awaitOutdated);
        }
    }

    /** Ends the watch of device classes when the set of managed classes has changed. */
    private void awaitOutdated() {
        try {
            while (over.isEmpty() && !closed.await(OUTDATED_AFTER_S, TimeUnit.SECONDS)) {
                if (isOutdated()) {
                    over = Optional.of("other device classes are ours now");
                    open.ifPresent(ApiWatch::close);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isOutdated() {
        try {
            return watch.isOutdated(kind);
        } catch (ClusterFault e) {
            LOG.atInfo()
                    .addKeyValue("kind", kind.apiName())
                    .addKeyValue("why", e.getMessage())
                    .log("which classes are ours cannot be asked");
            return false; // The next check asks again; if the server is gone, the watch itself ends.
        }
    }

    private interface Work {
        /** Runs until the watch ends; returns why. */
        String run() throws InterruptedException;
    }

    private void run(Work work) {
        try {
            String why = work.run();
            if (!isClosed()) {
                listener.ended(why);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("kind", kind).setCause(e).log("a watch failed");
            listener.ended(String.valueOf(e.getMessage()));
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Waits until the server serves the kind, which can happen after its restart. */
    private String awaitServed() throws InterruptedException {
        while (!closed.await(ASK_AGAIN_S, TimeUnit.SECONDS)) {
            try {
                if (watch.served().api(kind).isPresent()) {
                    return "it is served now";
                }
            } catch (ClusterFault e) {
                return String.valueOf(e.getMessage());
            }
        }
        return "closed";
    }

    /** How a request ended. */
    private sealed interface End {
        /**
         * The server ended it in order.
         *
         * @param version last version that the server sent
         */
        record Pause(long version) implements End {}

        /** The server ended it in order without an event. */
        record Empty() implements End {}

        record Over(String why) implements End {}
    }

    private String follow(String api, long from) throws InterruptedException {
        long version = from;
        Duration pause = FIRST_PAUSE;
        while (!isClosed() && over.isEmpty()) {
            long began = System.nanoTime();
            switch (once(api, version)) {
                case End.Pause(long reached) -> {
                    version = reached;
                    pause = FIRST_PAUSE;
                }
                case End.Empty _ -> pause = isOfAMoment(began) ? rest(pause) : FIRST_PAUSE;
                case End.Over(String why) -> {
                    return over.orElse(why);
                }
            }
        }
        return over.orElse("closed");
    }

    private static boolean isOfAMoment(long began) {
        return System.nanoTime() - began < AT_ONCE.toNanos();
    }

    /** Waits with jitter and returns the next backoff. */
    private Duration rest(Duration pause) throws InterruptedException {
        long chance = ThreadLocalRandom.current().nextLong(pause.toMillis() / 2 + 1);
        var unused = closed.await(pause.toMillis() - chance, TimeUnit.MILLISECONDS);
        Duration doubled = pause.multipliedBy(2);
        return doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }

    private End once(String api, long version) {
        long seconds = ThreadLocalRandom.current().nextLong(SHORTEST_S, LONGEST_S);
        try {
            ApiServer.Stream stream =
                    watch.server().stream("%s/%s?watch=1&allowWatchBookmarks=true&resourceVersion=%d&timeoutSeconds=%d"
                            .formatted(api, Paths.plural(kind), version, seconds));
            try (InputStream body = stream.body();
                    Silence.Line line = watch.silence().watch(() -> ApiWatch.close(body))) {
                open = Optional.of(body);
                if (isClosed() || over.isPresent()) {
                    return new End.Over("closed");
                }
                return stream.code() == HttpURLConnection.HTTP_OK
                        ? tell(Served.apiVersion(api), version, body, line)
                        : new End.Over(
                                String.valueOf(watch.refused(kind, stream, body).getMessage()));
            } finally {
                open = Optional.empty();
            }
        } catch (ClusterFault e) {
            return new End.Over(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return new End.Over(
                    "the connection to %s broke: %s".formatted(watch.server().url(), Reason.of(e)));
        }
    }

    private End tell(String apiVersion, long from, InputStream body, Silence.Line line) throws IOException {
        long version = from;
        boolean isEmpty = true;
        try (MappingIterator<JsonNode> events =
                ApiServer.JSON.readerFor(JsonNode.class).readValues(body)) {
            while (events.hasNextValue()) {
                line.heard();
                isEmpty = false;
                JsonNode event = events.nextValue();
                JsonNode object = event.path("object");
                String type = event.path("type").asText();
                if (type.equals("ERROR")) {
                    return new End.Over("%d %s"
                            .formatted(
                                    object.path("code").asInt(),
                                    object.path("message").asText()));
                }
                version = Math.max(version, ApiObjects.version(object));
                if (!type.equals("BOOKMARK") && !tell(apiVersion, type, object)) {
                    return new End.Over("%s is gone, and could not be read".formatted(ApiObjects.name(object)));
                }
            }
        }
        return isEmpty ? new End.Empty() : new End.Pause(version);
    }

    /**
     * Dispatches one event. Returns false for the deletion of an unreadable object.
     *
     * <p>The watch then ends, because the next list shows that the object is gone.
     */
    private boolean tell(String apiVersion, String type, JsonNode object) {
        ApiObjects.Read read = ApiObjects.read(kind, apiVersion, object);
        Optional<Versioned> taken = watch.take(kind, object, read);
        boolean isGone = type.equals("DELETED");
        if (taken.isPresent() && !isClosed()) {
            if (isGone) {
                watch.sight(kind).ifPresent(sight -> sight.gone(taken.get()));
                listener.gone(taken.get());
            } else {
                listener.changed(taken.get());
            }
        }
        return !isGone || taken.isPresent() || read instanceof ApiObjects.Read.Taken;
    }

    @Override
    public void close() {
        closed.countDown();
        open.ifPresent(ApiWatch::close);
    }
}
