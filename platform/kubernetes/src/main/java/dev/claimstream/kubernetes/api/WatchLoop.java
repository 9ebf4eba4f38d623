package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import dev.claimstream.dra.Kind;
import dev.claimstream.kafka.RetryPolicy;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.VersionedObject;
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
final class WatchLoop implements ClusterWatch.Subscription {
    private static final Logger LOG = LoggerFactory.getLogger(WatchLoop.class);
    private static final long MIN_TIMEOUT_S = 300;
    private static final long MAX_TIMEOUT_S = 600;
    private static final long DISCOVERY_INTERVAL_S = 300;
    private static final Duration IMMEDIATE = Duration.ofSeconds(1);
    private static final Duration MIN_BACKOFF = Duration.ofMillis(100);
    private static final Duration MAX_BACKOFF = Duration.ofSeconds(10);

    private final ApiWatch watch;
    private final Kind kind;
    private final ClusterWatch.WatchListener listener;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Optional<InputStream> openBody = Optional.empty();
    private volatile Optional<String> endReason = Optional.empty();

    WatchLoop(ApiWatch watch, Kind kind, ClusterWatch.WatchListener listener) {
        this.watch = watch;
        this.kind = kind;
        this.listener = listener;
    }

    void start(Optional<String> api, long version) {
        Thread.ofVirtual()
                .name("watch-" + kind.apiName())
                .start(() -> run(() -> api.isPresent() ? follow(api.get(), version) : awaitServed()));
        if (watch.hasPrerequisites(kind)) {
            Thread.ofVirtual()
                    .name("prerequisites-" + kind.apiName())
                    .start(() -> awaitChangedPrerequisite(ApiWatch.prerequisitesInterval(kind)));
        }
    }

    /** Ends the watch when an object on which it depends has changed. */
    private void awaitChangedPrerequisite(Duration interval) {
        try {
            while (endReason.isEmpty() && !closed.await(interval.toMillis(), TimeUnit.MILLISECONDS)) {
                endReason = changedPrerequisite();
                if (endReason.isPresent()) {
                    openBody.ifPresent(ApiWatch::close);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Optional<String> changedPrerequisite() {
        try {
            return watch.changedPrerequisite(kind);
        } catch (ClusterFault e) {
            LOG.atInfo()
                    .addKeyValue("kind", kind.apiName())
                    .addKeyValue("why", e.getMessage())
                    .log("prerequisites cannot be read; retrying");
            return Optional.empty(); // The next check asks again; if the server is gone, the watch itself ends.
        }
    }

    private interface WatchTask {
        /** Runs until the watch ends; returns why. */
        String run() throws InterruptedException;
    }

    private void run(WatchTask work) {
        try {
            String reason = work.run();
            if (!isClosed()) {
                listener.onEnd(reason);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.atError().addKeyValue("kind", kind).setCause(e).log("a watch failed");
            listener.onEnd(String.valueOf(e.getMessage()));
        }
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Waits until the server serves the kind, which can happen after its restart. */
    private String awaitServed() throws InterruptedException {
        while (!closed.await(DISCOVERY_INTERVAL_S, TimeUnit.SECONDS)) {
            try {
                if (watch.servedApis().api(kind).isPresent()) {
                    return "it is served now";
                }
            } catch (ClusterFault e) {
                return String.valueOf(e.getMessage());
            }
        }
        return "closed";
    }

    /** How a request ended. */
    private sealed interface WatchEnd {
        /**
         * The server ended it in order.
         *
         * @param version last version that the server sent
         */
        record Timeout(long version) implements WatchEnd {}

        /** The server ended it in order without an event. */
        record NoEvents() implements WatchEnd {}

        record Stop(String message) implements WatchEnd {}
    }

    private String follow(String api, long from) throws InterruptedException {
        long version = from;
        boolean isContinued = false;
        var backoff = RetryPolicy.withJitter(MIN_BACKOFF, MAX_BACKOFF);
        while (!isClosed() && endReason.isEmpty()) {
            Optional<String> missing = isContinued ? missingVersion(api, version) : Optional.empty();
            if (missing.isPresent()) {
                return missing.get();
            }
            isContinued = true;
            long began = System.nanoTime();
            switch (watchOnce(api, version)) {
                case WatchEnd.Timeout(long reached) -> {
                    version = reached;
                    backoff.reset();
                }
                case WatchEnd.NoEvents _ -> {
                    if (isImmediate(began)) {
                        var unused = closed.await(backoff.next().toMillis(), TimeUnit.MILLISECONDS);
                    } else {
                        backoff.reset();
                    }
                }
                case WatchEnd.Stop(String reason) -> {
                    return endReason.orElse(reason);
                }
            }
        }
        return endReason.orElse("closed");
    }

    private static boolean isImmediate(long began) {
        return System.nanoTime() - began < IMMEDIATE.toNanos();
    }

    /**
     * Returns why a watch cannot continue at a version: the server does not have it yet.
     *
     * <p>A server whose store was restored from a backup accepts such a watch, and reports nothing until its versions have
     * reached the version again.
     */
    private Optional<String> missingVersion(String api, long version) {
        try {
            long current = watch.currentVersion(kind, api);
            return current < version
                    ? Optional.of("the server is at resourceVersion %d, before %d: it was restored from a backup"
                            .formatted(current, version))
                    : Optional.empty();
        } catch (ClusterFault e) {
            return Optional.of(String.valueOf(e.getMessage()));
        }
    }

    private WatchEnd watchOnce(String api, long version) {
        long seconds = ThreadLocalRandom.current().nextLong(MIN_TIMEOUT_S, MAX_TIMEOUT_S);
        try {
            ApiHttpClient.StreamingReply stream =
                    watch.server().stream("%s/%s?watch=1&allowWatchBookmarks=true&resourceVersion=%d&timeoutSeconds=%d"
                            .formatted(api, Paths.plural(kind), version, seconds));
            try (InputStream body = stream.body();
                    IdleTimeout.IdleTimer idleTimer = watch.idleTimeout().start(() -> ApiWatch.close(body))) {
                openBody = Optional.of(body);
                if (isClosed() || endReason.isPresent()) {
                    return new WatchEnd.Stop("closed");
                }
                return stream.code() == HttpURLConnection.HTTP_OK
                        ? dispatch(ServedApis.apiVersion(api), version, body, idleTimer)
                        : new WatchEnd.Stop(String.valueOf(
                                watch.listFailure(kind, stream, body).getMessage()));
            } finally {
                openBody = Optional.empty();
            }
        } catch (ClusterFault e) {
            return new WatchEnd.Stop(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            return new WatchEnd.Stop(
                    "the connection to %s failed: %s".formatted(watch.server().url(), FailureMessage.of(e)));
        }
    }

    private WatchEnd dispatch(String apiVersion, long from, InputStream body, IdleTimeout.IdleTimer idleTimer)
            throws IOException {
        long version = from;
        boolean isEmpty = true;
        try (MappingIterator<JsonNode> events =
                ApiHttpClient.JSON.readerFor(JsonNode.class).readValues(body)) {
            while (events.hasNextValue()) {
                idleTimer.reset();
                isEmpty = false;
                JsonNode event = events.nextValue();
                JsonNode object = event.path("object");
                String type = event.path("type").asText();
                if (type.equals("ERROR")) {
                    return new WatchEnd.Stop("%d %s"
                            .formatted(
                                    object.path("code").asInt(),
                                    object.path("message").asText()));
                }
                version = Math.max(version, ApiObjectReader.version(object));
                if (!type.equals("BOOKMARK") && !dispatch(apiVersion, type, object)) {
                    return new WatchEnd.Stop(
                            "%s was deleted and could not be parsed".formatted(ApiObjectReader.name(object)));
                }
            }
        }
        return isEmpty ? new WatchEnd.NoEvents() : new WatchEnd.Timeout(version);
    }

    /**
     * Dispatches one event. Returns false for the deletion of an unreadable object.
     *
     * <p>The watch then ends, because the next list shows that the object is gone.
     */
    private boolean dispatch(String apiVersion, String type, JsonNode object) {
        ApiObjectReader.ObjectReadResult read = ApiObjectReader.read(kind, apiVersion, object);
        Optional<VersionedObject> accepted = watch.accept(kind, object, read);
        boolean isDeleted = type.equals("DELETED");
        if (accepted.isPresent() && !isClosed()) {
            if (isDeleted) {
                watch.objectListener(kind).ifPresent(objectListener -> objectListener.onDelete(accepted.get()));
                listener.onDelete(accepted.get());
            } else {
                listener.onUpsert(accepted.get());
            }
        }
        return !isDeleted || accepted.isPresent() || read instanceof ApiObjectReader.ObjectReadResult.Success;
    }

    @Override
    public void close() {
        closed.countDown();
        openBody.ifPresent(ApiWatch::close);
    }
}
