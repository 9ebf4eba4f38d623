package dev.claimstream.console;

import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.manifests.tree.Tree;
import io.micronaut.context.annotation.Value;
import io.micronaut.http.HttpStatus;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the rows of the page to its streams: all of them first, then the differences. All streams share one reading of the state, which
 * takes place only if a record has changed the state, and at most a tenth of the time. Without streams it does no work. Thread-safe.
 */
@Singleton
final class LiveFeed {
    private static final Logger LOG = LoggerFactory.getLogger(LiveFeed.class);
    private static final Duration PAUSE_MIN = Duration.ofMillis(250);
    private static final Duration STATUS_INTERVAL = Duration.ofSeconds(3);
    private static final Duration START_MAX = Duration.ofSeconds(10);
    private static final int PAUSES_PER_READING = 9;

    private final ClusterView clusterView;
    private final DeviceClasses deviceClasses;
    private final ConsumerStatus consumer;
    private final List<String> services;
    private final int streamsMax;
    private final int streamsPerClientMax;
    private final ScheduledExecutorService clock = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().name("console-live").daemon().factory());
    private final List<LiveStream> streams = new ArrayList<>();
    private LiveRows.LiveObjects objects = LiveRows.LiveObjects.NONE;
    private final Map<VisibleObjects, LiveRows> rows = new HashMap<>();

    /** The texts of the rows of this reading: callers who see different objects share equal ones. */
    private final Map<String, String> texts = new HashMap<>();

    private long readChange = -1;
    private long number;
    private long lastStatus = System.nanoTime();
    private boolean isTicking;

    LiveFeed(
            ClusterView clusterView,
            DeviceClasses deviceClasses,
            ConsumerStatus consumer,
            ServiceRelays services,
            @Value("${claimstream.console.streams-max:100}") int streamsMax,
            @Value("${claimstream.console.streams-per-client-max:20}") int streamsPerClientMax) {
        this.clusterView = clusterView;
        this.deviceClasses = deviceClasses;
        this.consumer = consumer;
        this.services = services.names();
        this.streamsMax = streamsMax;
        this.streamsPerClientMax = streamsPerClientMax;
    }

    /** Receives the events of a stream. It must not block. */
    interface LiveListener {
        /**
         * Handles an event.
         *
         * @param name {@code snapshot}, {@code change} or {@code status}
         * @param data JSON without line breaks
         */
        void onEvent(String name, String data);
    }

    /** A stream that counts towards the limits until it is closed. A stream that does not start in ten seconds stops counting. */
    final class LiveStream implements AutoCloseable {
        private final String client;
        private final VisibleObjects visible;
        private final long openedAt = System.nanoTime();
        private Optional<LiveListener> listener = Optional.empty();

        private LiveStream(String client, VisibleObjects visible) {
            this.client = client;
            this.visible = visible;
        }

        private boolean isAbandoned() {
            return listener.isEmpty() && System.nanoTime() - openedAt > START_MAX.toNanos();
        }

        /** Sends a snapshot to the listener, and the changes from then on. */
        void start(LiveListener receiver) {
            startStream(this, receiver);
        }

        @Override
        public void close() {
            closeStream(this);
        }
    }

    /**
     * Opens a stream.
     *
     * @param client address or user of the client
     * @param visible what the client sees
     * @throws RejectedRequestException 429 if the client, or all clients together, have too many streams
     */
    synchronized LiveStream open(String client, VisibleObjects visible) {
        streams.removeIf(LiveStream::isAbandoned);
        long own = streams.stream().filter(each -> each.client.equals(client)).count();
        if (own >= streamsPerClientMax || streams.size() >= streamsMax) {
            boolean isOwn = own >= streamsPerClientMax;
            throw new RejectedRequestException(
                    HttpStatus.TOO_MANY_REQUESTS,
                    isOwn
                            ? "%s has %d streams, the maximum".formatted(client, own)
                            : "the console has %d streams, the maximum".formatted(streams.size()),
                    "stream",
                    "close other windows of the console, or raise claimstream.console."
                            + (isOwn ? "streams-per-client-max" : "streams-max"));
        }
        var stream = new LiveStream(client, visible);
        streams.add(stream);
        return stream;
    }

    private synchronized void startStream(LiveStream stream, LiveListener listener) {
        if (!streams.contains(stream)) {
            return;
        }
        if (!isTicking) {
            isTicking = true;
            schedule(PAUSE_MIN.toNanos());
        }
        publishChanges();
        stream.listener = Optional.of(listener);
        LiveRows shown = rows.computeIfAbsent(stream.visible, this::rows);
        listener.onEvent("snapshot", "{%s,%s}".formatted(header(), shown.json()));
        listener.onEvent("status", status());
    }

    private synchronized void closeStream(LiveStream stream) {
        streams.remove(stream);
    }

    private synchronized void tick() {
        if (streams.isEmpty()) {
            isTicking = false;
            rows.clear();
            texts.clear();
            objects = LiveRows.LiveObjects.NONE;
            readChange = -1;
            return;
        }
        long began = System.nanoTime();
        try {
            publishChanges();
            if (System.nanoTime() - lastStatus >= STATUS_INTERVAL.toNanos()) {
                lastStatus = System.nanoTime();
                publish("status", status());
            }
        } catch (RuntimeException e) {
            LOG.error("the changes for the console page could not be read; the next reading repeats them", e);
        } finally {
            schedule(Math.max(PAUSE_MIN.toNanos(), PAUSES_PER_READING * (System.nanoTime() - began)));
        }
    }

    private void schedule(long pauseNanos) {
        var unused = clock.schedule(this::tick, pauseNanos, TimeUnit.NANOSECONDS);
    }

    /** Reads the state if it has changed, and sends the differences. */
    private void publishChanges() {
        long change = clusterView.changeCount();
        if (change == readChange) {
            return;
        }
        objects = LiveRows.read(clusterView, deviceClasses);
        texts.clear();
        readChange = change;
        rows.keySet().retainAll(streams.stream().map(each -> each.visible).collect(Collectors.toSet()));
        rows.replaceAll((visible, before) -> {
            LiveRows now = rows(visible);
            now.differencesFrom(before).ifPresent(each -> {
                number++;
                publish(visible, "{%s,%s}".formatted(header(), each));
            });
            return now;
        });
    }

    private LiveRows rows(VisibleObjects visible) {
        return objects.rows(visible, visible.redaction(clusterView.namespaces()))
                .sharing(texts);
    }

    private void publish(VisibleObjects visible, String change) {
        List.copyOf(streams).stream()
                .filter(stream -> stream.visible.equals(visible))
                .forEach(stream -> stream.listener.ifPresent(each -> each.onEvent("change", change)));
    }

    private void publish(String name, String data) {
        List.copyOf(streams).forEach(stream -> stream.listener.ifPresent(each -> each.onEvent(name, data)));
    }

    private String header() {
        return "\"at\":\"%s\",\"number\":%d".formatted(Instant.now(), number);
    }

    /** Returns the status of the console's reader, by which the page sees that the stream lives. */
    private String status() {
        return Tree.mapping(fields -> fields.put("at", Instant.now().toString())
                        .put("reading", Tree.of(consumer.isAlive()))
                        .put("services", Tree.texts(services))
                        .putUnlessEmpty("trouble", consumer.problem().orElse("")))
                .json();
    }

    @PreDestroy
    void stop() {
        clock.shutdownNow();
    }
}
