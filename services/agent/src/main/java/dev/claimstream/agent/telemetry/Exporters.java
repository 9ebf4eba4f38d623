package dev.claimstream.agent.telemetry;

import dev.claimstream.agent.Trouble;
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
    private final List<Watched> watched;
    private final Readings readings;

    private record Watched(Exporter exporter, Trouble trouble) {}

    /**
     * Settings of the exporters.
     *
     * @param addresses http or https
     * @param every interval between scrapes
     * @param timeout time for a whole response
     * @param bytesMax maximum size of a response
     * @param fatalXids NVIDIA XID error codes that make a GPU unhealthy
     */
    public record Settings(
            List<URI> addresses, Duration every, Duration timeout, long bytesMax, SortedSet<Integer> fatalXids) {}

    public Exporters(Settings settings) {
        client = HttpClient.newBuilder()
                .connectTimeout(settings.timeout())
                .followRedirects(HttpClient.Redirect.NEVER)
                .version(HttpClient.Version.HTTP_1_1)
                .build();
        var limits = new Exporter.Limits(settings.every(), settings.timeout(), settings.bytesMax());
        watched = settings.addresses().stream()
                .map(address -> new Watched(
                        new Exporter(address, client, limits), new Trouble(LOG, "reading exporter " + address)))
                .toList();
        readings = new Readings(Metrics.shipped(), settings.fatalXids());
    }

    /** Starts a scrape of each exporter whose time has come. */
    public void askIfDue(Instant now) {
        watched.forEach(each -> each.exporter().askIfDue(now));
    }

    /** Waits until no scrape is in flight. */
    public void await() {
        watched.forEach(each -> each.exporter().await());
    }

    /**
     * Returns the metrics of these devices that arrived since the last call.
     *
     * <p>If several exporters report one device, the last one in the settings wins.
     */
    public SortedMap<PciAddress, Measured> take(List<Accelerator> devices) {
        SortedMap<PciAddress, Measured> all = new TreeMap<>();
        for (Watched each : watched) {
            each.exporter().take().ifPresent(answer -> all.putAll(measured(answer, each.trouble(), devices)));
        }
        return all;
    }

    private SortedMap<PciAddress, Measured> measured(
            Exporter.Answer answer, Trouble trouble, List<Accelerator> devices) {
        switch (answer) {
            case Exporter.Answer.Failed(String why) -> trouble.failed(why);
            case Exporter.Answer.Text(String text) -> {
                try {
                    var measured = readings.of(PrometheusText.read(text, readings::isKnown), devices);
                    trouble.worked();
                    return measured;
                } catch (PrometheusText.Nonsense e) {
                    trouble.failed(String.valueOf(e.getMessage()));
                }
            }
        }
        return new TreeMap<>();
    }

    /** The number of failed scrapes since the start. */
    public long failures() {
        return watched.stream().mapToLong(each -> each.trouble().total()).sum();
    }

    @Override
    public void close() {
        client.shutdownNow();
    }
}
