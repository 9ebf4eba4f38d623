package dev.claimstream.observability;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to an OpenTelemetry collector (OTLP over HTTP, in JSON), or does nothing.
 *
 * <p>Spans are sent by a thread of their own. The queue is bounded: if the collector is slow or missing, spans are dropped and counted, and
 * the service is not delayed. Safe for many threads.
 */
public final class Traces implements AutoCloseable {
    /** Maximum spans that wait for the collector. */
    static final int QUEUE_MAX = 4096;

    private static final int BATCH_MAX = 512;
    private static final Duration WITHIN = Duration.ofSeconds(5);
    private static final int STATUS_CLASS = 100;
    private static final int OK = 2;
    private static final Logger LOG = LoggerFactory.getLogger(Traces.class);

    private final BlockingQueue<Span> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
    private final Optional<Collector> collector;
    private final Meters meters;
    private final Thread thread;
    private volatile boolean isClosed;
    private boolean isReported;

    /** Address for spans, and the client that sends them. */
    private record Collector(URI address, HttpClient client) {}

    private Traces(Optional<Collector> collector, Meters meters) {
        this.collector = collector;
        this.meters = meters;
        meters.create(ProcessMeter.DROPPED_SPANS);
        thread = Thread.ofPlatform().daemon().name("traces").unstarted(this::run);
    }

    /** Traces that send nothing. */
    public static Traces off(Meters meters) {
        return new Traces(Optional.empty(), meters);
    }

    /**
     * Traces that send to a collector.
     *
     * @param endpoint address of the collector, to which {@code /v1/traces} is added
     */
    public static Traces to(URI endpoint, Meters meters) {
        URI address = URI.create(endpoint.toString().replaceAll("/+$", "") + "/v1/traces");
        var client = HttpClient.newBuilder().connectTimeout(WITHIN).build();
        var traces = new Traces(Optional.of(new Collector(address, client)), meters);
        traces.thread.start();
        return traces;
    }

    /** Whether spans are sent. */
    public boolean isOn() {
        return collector.isPresent();
    }

    /** Queues a span; drops it if the queue is full. */
    public void add(Span span) {
        if (isOn() && !queue.offer(span)) {
            meters.count(ProcessMeter.DROPPED_SPANS);
        }
    }

    private void run() {
        List<Span> batch = new ArrayList<>();
        try {
            while (!isClosed || !queue.isEmpty()) {
                Span first = queue.poll(1, TimeUnit.SECONDS);
                if (first != null) {
                    batch.add(first);
                    queue.drainTo(batch, BATCH_MAX - 1);
                    send(batch);
                    batch.clear();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(List<Span> batch) throws InterruptedException {
        var to = collector.orElseThrow();
        String problem;
        try {
            var request = HttpRequest.newBuilder(to.address())
                    .timeout(WITHIN)
                    .header("Content-Type", "application/json")
                    .POST(HttpRequest.BodyPublishers.ofString(Span.request(batch), StandardCharsets.UTF_8))
                    .build();
            int status = to.client()
                    .send(request, HttpResponse.BodyHandlers.discarding())
                    .statusCode();
            if (status / STATUS_CLASS == OK) {
                isReported = false;
                return;
            }
            problem = "status " + status;
        } catch (IOException | RuntimeException e) { // an exception would end the thread, and with it the process
            problem = e.toString();
        }
        batch.forEach(_ -> meters.count(ProcessMeter.DROPPED_SPANS));
        if (!isReported) {
            isReported = true;
            LOG.atWarn()
                    .addKeyValue("endpoint", to.address())
                    .addKeyValue("why", problem)
                    .log("the collector does not accept spans; they are dropped");
        }
    }

    /** Sends what is queued, for a few seconds at most. */
    @Override
    public void close() {
        isClosed = true;
        if (!isOn()) {
            return;
        }
        try {
            boolean unused = thread.join(WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        thread.interrupt();
    }
}
