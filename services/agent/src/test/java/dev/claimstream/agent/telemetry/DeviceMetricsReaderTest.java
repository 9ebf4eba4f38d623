package dev.claimstream.agent.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.agent.devices.DeviceHealth;
import dev.claimstream.agent.devices.DeviceTable;
import dev.claimstream.agent.devices.Discovery;
import dev.claimstream.agent.devices.FakeSys;
import dev.claimstream.agent.devices.Machines;
import dev.claimstream.agent.devices.PciAddress;
import dev.claimstream.agent.devices.PciTree;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Metrics and health of devices from the outputs of exporters. */
final class DeviceMetricsReaderTest {
    private static final long MIB = 1 << 20;

    @TempDir
    private Path folder;

    static String fixture(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(DeviceMetricsReaderTest.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static SortedMap<PciAddress, DeviceMetrics> readMetrics(FakeSys sys, String text)
            throws IOException, PrometheusText.PrometheusFormatException {
        var devices = new Discovery(new PciTree(sys.sys(), sys.proc()), DeviceTable.builtIn(), List.of(), List.of())
                .scan()
                .physical();
        var readings = new DeviceMetricsReader(MetricTable.builtIn(), new TreeSet<>(Set.of(79)));
        return readings.of(PrometheusText.read(text, readings::isKnown), devices);
    }

    private static DeviceMetrics at(SortedMap<PciAddress, DeviceMetrics> all, String address) {
        return Objects.requireNonNull(all.get(new PciAddress(address)), address);
    }

    @Test
    void joinsDcgmByPciAddressAndConvertsUnits() throws IOException, PrometheusText.PrometheusFormatException {
        var all = readMetrics(Machines.dgx(folder), fixture("dcgm.txt"));
        assertThat(all).hasSize(8);
        DeviceMetrics third = at(all, "0000:4b:00.0");
        assertThat(third.utilizationPercent()).isEqualTo(OptionalDouble.of(20));
        assertThat(third.memoryUsedBytes()).isEqualTo(OptionalLong.of(2 * MIB));
        assertThat(third.memoryTotalBytes()).isEqualTo(OptionalLong.of(81002 * MIB));
        assertThat(third.powerWatts()).isEqualTo(OptionalDouble.of(102.25));
        assertThat(third.temperatureCelsius()).isEqualTo(OptionalDouble.of(32));
        assertThat(third.errors()).containsEntry("ecc-uncorrected", 3L).containsEntry("xid-79", 1L);
    }

    @Test
    void onlyFatalXidMakesDeviceUnhealthy() throws IOException, PrometheusText.PrometheusFormatException {
        var all = readMetrics(Machines.dgx(folder), fixture("dcgm.txt"));
        assertThat(at(all, "0000:1b:00.0").health()).isEqualTo(new DeviceHealth.HealthReading.Healthy());
        assertThat(at(all, "0000:33:00.0").health()).isEqualTo(new DeviceHealth.HealthReading.Healthy());
        assertThat(at(all, "0000:4b:00.0").health()).isEqualTo(new DeviceHealth.HealthReading.Unhealthy("xid-79"));
        assertThat(at(all, "0000:63:00.0").health()).isEqualTo(new DeviceHealth.HealthReading.Unknown());
    }

    @Test
    void joinsOlderDcgmByUuid() throws IOException, PrometheusText.PrometheusFormatException {
        String text =
                fixture("dcgm.txt").replaceAll("pci_bus_id=\"[^\"]*\",", "").replaceAll("gpu=\"[0-9]\"", "gpu=\"7\"");
        assertThat(at(readMetrics(Machines.dgx(folder), text), "0000:4b:00.0").temperatureCelsius())
                .hasValue(32);
    }

    @Test
    void ignoresMigInstances() throws IOException, PrometheusText.PrometheusFormatException {
        String text = "DCGM_FI_DEV_FB_USED{gpu=\"0\",pci_bus_id=\"00000000:1B:00.0\",GPU_I_ID=\"1\"} 9\n";
        assertThat(readMetrics(Machines.dgx(folder), text)).isEmpty();
    }

    @Test
    void ignoresUnknownPciAddress() throws IOException, PrometheusText.PrometheusFormatException {
        String text = "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",pci_bus_id=\"00000000:EE:00.0\"} 50\n";
        assertThat(readMetrics(Machines.dgx(folder), text)).isEmpty();
    }

    @Test
    void joinsAmdBySerialNumber() throws IOException, PrometheusText.PrometheusFormatException {
        var all = readMetrics(Machines.mi300(folder), fixture("amd.txt"));
        DeviceMetrics first = at(all, "0000:05:00.0");
        assertThat(first.utilizationPercent()).hasValue(97);
        assertThat(first.memoryUsedBytes()).hasValue(183265 * MIB);
        assertThat(first.memoryTotalBytes()).hasValue(196592 * MIB);
        assertThat(first.powerWatts()).hasValue(748);
        assertThat(first.temperatureCelsius()).hasValue(76);
        assertThat(first.health()).isEqualTo(new DeviceHealth.HealthReading.Healthy());
        assertThat(at(all, "0000:15:00.0").health()).isEqualTo(new DeviceHealth.HealthReading.Unhealthy("gpu_health"));
        assertThat(at(all, "0000:15:00.0").errors()).containsEntry("ecc-uncorrected", 2L);
    }

    @Test
    void acceptsAmdPrefix() throws IOException, PrometheusText.PrometheusFormatException {
        String text = fixture("amd.txt").replaceAll("(?m)^gpu_", "amd_gpu_");
        assertThat(readMetrics(Machines.mi300(folder), text)).hasSize(2);
    }

    @Test
    void joinsGaudiByIndexAndConvertsMilliwatts() throws IOException, PrometheusText.PrometheusFormatException {
        var all = readMetrics(Machines.gaudi(folder), fixture("gaudi.txt"));
        DeviceMetrics first = at(all, "0000:19:00.0");
        assertThat(first.utilizationPercent()).hasValue(55);
        assertThat(first.powerWatts()).hasValue(412.5);
        assertThat(first.memoryUsedBytes()).hasValue(3L << 30);
        assertThat(at(all, "0000:b3:00.0").temperatureCelsius()).hasValue(33);
    }

    @Test
    void aggregatesNeuronCoresPerDevice() throws IOException, PrometheusText.PrometheusFormatException {
        var all = readMetrics(Machines.neuron(folder), fixture("neuron.txt"));
        DeviceMetrics first = at(all, "0000:00:1e.0");
        assertThat(first.utilizationPercent().orElseThrow()).isCloseTo(60, org.assertj.core.data.Offset.offset(1e-9));
        assertThat(first.memoryUsedBytes()).hasValue(4 * MIB);
        DeviceMetrics second = at(all, "0000:00:1f.0");
        assertThat(second.utilizationPercent().orElseThrow()).isCloseTo(5, org.assertj.core.data.Offset.offset(1e-9));
        assertThat(second.errors()).containsEntry("mem-ecc-corrected", 1L).containsEntry("mem-ecc-uncorrected", 1L);
    }

    @Test
    void usesCoreCountOfExporter() throws IOException, PrometheusText.PrometheusFormatException {
        String text = "neuron_hardware_info{neuroncore_per_device_count=\"4\"} 1\n" + fixture("neuron.txt");
        var all = readMetrics(Machines.neuron(folder), text);
        assertThat(at(all, "0000:00:1e.0").utilizationPercent().orElseThrow())
                .isCloseTo(32.5, org.assertj.core.data.Offset.offset(1e-9));
    }

    @Test
    void ignoresInvalidValues() throws IOException, PrometheusText.PrometheusFormatException {
        String text = """
                DCGM_FI_DEV_GPU_TEMP{pci_bus_id="00000000:1B:00.0"} NaN
                DCGM_FI_DEV_POWER_USAGE{pci_bus_id="00000000:1B:00.0"} -1
                DCGM_FI_DEV_GPU_UTIL{pci_bus_id="00000000:1B:00.0"} 5
                """;
        DeviceMetrics gpu = at(readMetrics(Machines.dgx(folder), text), "0000:1b:00.0");
        assertThat(gpu.temperatureCelsius()).isEmpty();
        assertThat(gpu.powerWatts()).isEmpty();
        assertThat(gpu.utilizationPercent()).hasValue(5);
    }
}
