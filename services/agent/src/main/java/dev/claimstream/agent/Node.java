package dev.claimstream.agent;

import dev.claimstream.agent.devices.Accelerator;
import dev.claimstream.agent.devices.Discovery;
import dev.claimstream.agent.devices.Health;
import dev.claimstream.agent.devices.PciAddress;
import dev.claimstream.agent.devices.Pools;
import dev.claimstream.agent.telemetry.Exporters;
import dev.claimstream.agent.telemetry.Measured;
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
final class Node implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Node.class);

    private final AgentSettings settings;
    private final Exporters exporters;
    private final Health health;
    private final Pools pools;
    private final Trouble scanning = new Trouble(LOG, "looking for devices");
    private Optional<Discovery.Found> found = Optional.empty();
    private Instant scanAt = Instant.MIN;

    /**
     * State of the node to publish.
     *
     * @param slices empty before the first successful scan, and if slices are not published
     */
    record State(Optional<List<ResourceSlice>> slices, Telemetry telemetry) {}

    /** @param startMillis first generation of the pools; higher than those of earlier starts */
    Node(AgentSettings settings, long startMillis) {
        this.settings = settings;
        exporters = new Exporters(settings.exporters());
        health = new Health(settings.recovery(), settings.taintEffect());
        pools = new Pools(settings.node(), startMillis);
    }

    /** Scrapes all exporters and waits, so that an unhealthy device is tainted in the first slices. */
    void awaitExporters(Instant now) {
        exporters.askIfDue(now);
        exporters.await();
    }

    /** Scans the devices if it is time, applies new metrics, starts due scrapes, and returns the current state. */
    State look(Instant now) {
        if (!now.isBefore(scanAt)) {
            scanAt = now.plus(settings.scanEvery());
            scan(now);
        }
        List<Accelerator> whole = found.map(Discovery.Found::whole).orElse(List.of());
        List<Accelerator> offered = found.map(Discovery.Found::offered).orElse(List.of());
        SortedMap<PciAddress, Measured> measured = exporters.take(whole);
        measured.forEach((device, each) -> health.see(device, Health.Sign.UNHEALTHY, each.health(), now));
        exporters.askIfDue(now);
        return new State(slices(), new Telemetry(settings.node(), now, samples(offered, measured)));
    }

    private void scan(Instant now) {
        try {
            var scanned = settings.discovery().scan();
            found = Optional.of(scanned);
            scanned.offered().forEach(each -> health.see(address(each), Health.Sign.UNREACHABLE, answer(each), now));
            health.keep(Stream.concat(scanned.whole().stream(), scanned.offered().stream())
                    .map(Node::address)
                    .collect(Collectors.toSet()));
            scanning.worked();
        } catch (IOException e) {
            scanning.failed(e.toString());
        }
    }

    private static PciAddress address(Accelerator device) {
        return device.function().address();
    }

    private static Health.Seen answer(Accelerator device) {
        return switch (device.function().answer()) {
            case ANSWERS -> new Health.Seen.Well();
            case IS_LOST -> new Health.Seen.Ill("pci");
            case NOT_ASKED -> new Health.Seen.Nothing();
        };
    }

    private Optional<List<ResourceSlice>> slices() {
        return found.filter(known -> settings.slices())
                .map(known -> pools.of(known.offered(), device -> health.taints(address(device))));
    }

    private List<Telemetry.Sample> samples(List<Accelerator> offered, SortedMap<PciAddress, Measured> measured) {
        return offered.stream()
                .flatMap(device ->
                        Optional.ofNullable(measured.get(address(device))).map(each -> sample(device, each)).stream())
                .toList();
    }

    private Telemetry.Sample sample(Accelerator device, Measured measured) {
        return new Telemetry.Sample(
                new DeviceId(device.driver(), settings.node(), device.name()),
                Optional.of(address(device).text()),
                measured.utilisationPercent(),
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
