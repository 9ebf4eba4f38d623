package dev.claimstream.agent.telemetry;

import dev.claimstream.agent.FailureTracker;
import dev.claimstream.agent.devices.Accelerator;
import dev.claimstream.agent.devices.PciAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scrapes the metrics exporters of a node. Not thread-safe.
 *
 * <p>An exporter that is down, slow, too large or malformed costs only its own samples.
 */
public final class Exporters implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Exporters.class);

    private final HttpClient client;
    private final List<MonitoredExporter> exporters;
    private final DeviceMetricsReader metricsReader;

    private record MonitoredExporter(Exporter exporter, FailureTracker failureTracker) {}

    /**
     * Settings of the exporters.
     *
     * @param addresses http or https
     * @param every interval between scrapes
     * @param timeout time for a whole response
     * @param bytesMax maximum size of a response
     * @param fatalXids NVIDIA XID error codes that make a GPU unhealthy
     */
    public record ExporterSettings(
            List<URI> addresses, Duration every, Duration timeout, long bytesMax, SortedSet<Integer> fatalXids) {}

    public Exporters(ExporterSettings settings) {
        client = HttpClient.newBuilder()
                .connectTimeout(settings.timeout())
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        var limits = new Exporter.Limits(settings.every(), settings.timeout(), settings.bytesMax());
        exporters = settings.addresses().stream()
                .map(address -> new MonitoredExporter(
                        new Exporter(address, client, limits), new FailureTracker(LOG, "reading exporter " + address)))
                .toList();
        metricsReader = new DeviceMetricsReader(MetricTable.builtIn(), settings.fatalXids());
    }

    /** Starts a scrape of each exporter whose time has come. */
    public void scrapeIfDue(Instant now) {
        exporters.forEach(each -> each.exporter().scrapeIfDue(now));
    }

    /** Waits until no scrape is in flight. */
    public void await() {
        exporters.forEach(each -> each.exporter().await());
    }

    /**
     * Returns the metrics of these devices that arrived since the last call.
     *
     * <p>If several exporters report one device, the last one in the settings wins.
     */
    public SortedMap<PciAddress, DeviceMetrics> take(List<Accelerator> devices) {
        SortedMap<PciAddress, DeviceMetrics> all = new TreeMap<>();
        for (MonitoredExporter each : exporters) {
            each.exporter().take().ifPresent(result -> all.putAll(metrics(result, each.failureTracker(), devices)));
        }
        return all;
    }

    private SortedMap<PciAddress, DeviceMetrics> metrics(
            Exporter.ScrapeResult result, FailureTracker failures, List<Accelerator> devices) {
        switch (result) {
            case Exporter.ScrapeResult.Failure(String reason) -> failures.recordFailure(reason);
            case Exporter.ScrapeResult.Body(String text) -> {
                try {
                    var metrics = metricsReader.of(PrometheusText.read(text, metricsReader::isKnown), devices);
                    failures.recordSuccess();
                    return metrics;
                } catch (PrometheusText.PrometheusFormatException e) {
                    failures.recordFailure(String.valueOf(e.getMessage()));
                }
            }
        }
        return new TreeMap<>();
    }

    /** The number of failed scrapes since the start. */
    public long failures() {
        return exporters.stream()
                .mapToLong(each -> each.failureTracker().total())
                .sum();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
