package dev.claimstream.agent;

import dev.claimstream.agent.devices.Accelerator;
import dev.claimstream.agent.devices.DeviceHealth;
import dev.claimstream.agent.devices.Discovery;
import dev.claimstream.agent.devices.PciAddress;
import dev.claimstream.agent.devices.Pools;
import dev.claimstream.agent.telemetry.DeviceMetrics;
import dev.claimstream.agent.telemetry.Exporters;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.wire.Telemetry;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Observes the node: discovers devices, scrapes exporters, tracks health. Time is a parameter. Not thread-safe. */
final class NodeInspector implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeInspector.class);

    private final AgentSettings settings;
    private final Exporters exporters;
    private final DeviceHealth health;
    private final Pools pools;
    private final FailureTracker scanFailures = new FailureTracker(LOG, "scanning for devices");
    private Optional<Discovery.DiscoveredDevices> discovered = Optional.empty();
    private Instant scanAt = Instant.MIN;

    /**
     * State of the node to publish.
     *
     * @param slices empty before the first successful scan, and if slices are not published
     */
    record NodeReport(Optional<List<ResourceSlice>> slices, Telemetry telemetry) {}

    /** @param startMillis first generation of the pools; higher than those of earlier starts */
    NodeInspector(AgentSettings settings, long startMillis) {
        this.settings = settings;
        exporters = new Exporters(settings.exporters());
        health = new DeviceHealth(settings.recovery(), settings.taintEffect());
        pools = new Pools(settings.node(), startMillis);
    }

    /** Scrapes all exporters and waits, so that an unhealthy device is tainted in the first slices. */
    void awaitExporters(Instant now) {
        exporters.scrapeIfDue(now);
        exporters.await();
    }

    /** Scans the devices if it is time, applies new metrics, starts due scrapes, and returns the current state. */
    NodeReport inspect(Instant now) {
        if (!now.isBefore(scanAt)) {
            scanAt = now.plus(settings.scanEvery());
            scan(now);
        }
        List<Accelerator> physical =
                discovered.map(Discovery.DiscoveredDevices::physical).orElse(List.of());
        List<Accelerator> allocatable =
                discovered.map(Discovery.DiscoveredDevices::allocatable).orElse(List.of());
        SortedMap<PciAddress, DeviceMetrics> measured = exporters.take(physical);
        measured.forEach(
                (device, each) -> health.observe(device, DeviceHealth.HealthSignal.UNHEALTHY, each.health(), now));
        exporters.scrapeIfDue(now);
        return new NodeReport(slices(), new Telemetry(settings.node(), now, samples(allocatable, measured)));
    }

    private void scan(Instant now) {
        try {
            var scanned = settings.discovery().scan();
            discovered = Optional.of(scanned);
            scanned.allocatable()
                    .forEach(each ->
                            health.observe(address(each), DeviceHealth.HealthSignal.UNREACHABLE, reading(each), now));
            health.retainOnly(Stream.concat(scanned.physical().stream(), scanned.allocatable().stream())
                    .map(NodeInspector::address)
                    .collect(Collectors.toSet()));
            scanFailures.recordSuccess();
        } catch (IOException e) {
            scanFailures.recordFailure(e.toString());
        }
    }

    private static PciAddress address(Accelerator device) {
        return device.function().address();
    }

    private static DeviceHealth.HealthReading reading(Accelerator device) {
        return switch (device.function().busState()) {
            case REACHABLE -> new DeviceHealth.HealthReading.Healthy();
            case LOST -> new DeviceHealth.HealthReading.Unhealthy("pci");
            case UNKNOWN -> new DeviceHealth.HealthReading.Unknown();
        };
    }

    private Optional<List<ResourceSlice>> slices() {
        return discovered
                .filter(known -> settings.slices())
                .map(known -> pools.of(known.allocatable(), device -> health.taints(address(device))));
    }

    private List<Telemetry.DeviceMeasurement> samples(
            List<Accelerator> allocatable, SortedMap<PciAddress, DeviceMetrics> measured) {
        return allocatable.stream()
                .flatMap(device ->
                        Optional.ofNullable(measured.get(address(device))).map(each -> sample(device, each)).stream())
                .toList();
    }

    private Telemetry.DeviceMeasurement sample(Accelerator device, DeviceMetrics measured) {
        return new Telemetry.DeviceMeasurement(
                new DeviceId(device.driver(), settings.node(), device.name()),
                Optional.of(address(device).text()),
                measured.utilizationPercent(),
                measured.memoryUsedBytes(),
                measured.memoryTotalBytes(),
                measured.powerWatts(),
                measured.temperatureCelsius(),
                measured.errors());
    }

    @Override
    public void close() {
        exporters.close();
    }
}
