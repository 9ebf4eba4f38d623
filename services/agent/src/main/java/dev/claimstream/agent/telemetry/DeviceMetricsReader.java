package dev.claimstream.agent.telemetry;

import dev.claimstream.agent.devices.Accelerator;
import dev.claimstream.agent.devices.PciAddress;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Assigns the samples of an exporter to the devices of the node and combines them per device.
 *
 * <p>A device is found by PCI address, else by UUID or serial number, else by its index among the devices of its
 * family, ordered by address. Samples of unknown devices are dropped.
 */
final class DeviceMetricsReader {
    /** Label with the index of a Neuron core, counted over all devices of the node. */
    static final String CORE = "neuroncore";

    private static final List<String> ADDRESS =
            List.of("pci_bus_id", "pcie_bus_id", "pci_bus_addr", "pci_address", "bdf");
    private static final List<String> UUID = List.of("UUID", "uuid", "gpu_uuid");
    private static final List<String> SERIAL = List.of("serial_number", "Serial", "serial");
    private static final List<String> NUMBER =
            List.of("gpu", "gpu_id", "neuron_device_index", "neuron_device", "device");
    private static final Pattern LAST_DIGITS = Pattern.compile("[a-z_]*([0-9]{1,4})");

    // AWS Neuron documentation, NeuronCore architecture: cores per device, if the exporter does not report them
    private static final Map<String, Integer> CORES =
            Map.of("7064", 4, "7065", 4, "7066", 4, "7067", 4, "7164", 2, "7264", 2, "7364", 8);

    private final MetricTable metrics;
    private final SortedSet<Integer> fatalXids;

    DeviceMetricsReader(MetricTable metrics, SortedSet<Integer> fatalXids) {
        this.metrics = metrics;
        this.fatalXids = fatalXids;
    }

    /** Whether the metric is supported. */
    boolean isKnown(String metric) {
        return metrics.find(metric).isPresent();
    }

    /** Returns the combined metrics of each device that the samples name. */
    SortedMap<PciAddress, DeviceMetrics> of(List<MetricSample> samples, List<Accelerator> devices) {
        OptionalInt cores = cores(samples);
        Map<PciAddress, DeviceMetricsBuilder> builders = new LinkedHashMap<>();
        for (MetricSample sample : samples) {
            MetricTable.MetricMapping mapping = metrics.find(sample.metric()).orElseThrow();
            List<Accelerator> family = devices.stream()
                    .filter(each -> each.family().equals(mapping.family()))
                    .toList();
            if (!isOfPartition(sample)) {
                device(sample, mapping, family, cores)
                        .map(each -> each.function().address())
                        .ifPresent(
                                address -> builders.computeIfAbsent(address, key -> new DeviceMetricsBuilder(fatalXids))
                                        .add(sample, mapping));
            }
        }
        SortedMap<PciAddress, DeviceMetrics> measured = new TreeMap<>();
        builders.forEach((address, builder) -> measured.put(address, builder.build()));
        return measured;
    }

    /** Whether the sample describes a MIG instance or a partition other than the first, and not the whole device. */
    private static boolean isOfPartition(MetricSample sample) {
        return sample.label("GPU_I_ID").isPresent()
                || sample.label("gpu_partition_id")
                        .filter(part -> !part.equals("0"))
                        .isPresent();
    }

    private OptionalInt cores(List<MetricSample> samples) {
        return samples.stream()
                .flatMap(sample -> metrics
                        .find(sample.metric())
                        .filter(mapping -> mapping.quantity() == MetricTable.MetricQuantity.CORES_BY)
                        .flatMap(mapping -> sample.label(mapping.detail()))
                        .filter(text -> text.matches("[1-9][0-9]{0,3}"))
                        .stream())
                .mapToInt(Integer::parseInt)
                .findFirst();
    }

    private static Optional<Accelerator> device(
            MetricSample sample, MetricTable.MetricMapping mapping, List<Accelerator> family, OptionalInt cores) {
        if (mapping.quantity() == MetricTable.MetricQuantity.CORES_BY) {
            return Optional.empty();
        }
        if (mapping.isPerCore() && sample.label(CORE).isPresent()) {
            return byCore(sample, family, cores);
        }
        Optional<String> address =
                first(sample, ADDRESS).flatMap(PciAddress::parse).map(PciAddress::text);
        if (address.isPresent()) {
            return with(family, each -> Optional.of(each.function().address().text()), address);
        }
        return byIdentity(
                        sample, family, UUID, each -> each.function().identity().uuid())
                .or(() -> byIdentity(
                        sample,
                        family,
                        SERIAL,
                        each -> each.function().identity().serial()))
                .orElseGet(() -> byNumber(sample, family));
    }

    /**
     * Finds the device by identity; empty if the sample or the devices have no such identity, so that another way
     * applies.
     */
    private static Optional<Optional<Accelerator>> byIdentity(
            MetricSample sample,
            List<Accelerator> family,
            List<String> labels,
            Function<Accelerator, Optional<String>> name) {
        Optional<String> label = first(sample, labels);
        boolean haveNames = family.stream().anyMatch(each -> name.apply(each).isPresent());
        return label.isPresent() && haveNames ? Optional.of(with(family, name, label)) : Optional.empty();
    }

    private static Optional<Accelerator> with(
            List<Accelerator> family, Function<Accelerator, Optional<String>> name, Optional<String> requiredName) {
        return family.stream()
                .filter(each -> name.apply(each).equals(requiredName))
                .findFirst();
    }

    private static Optional<String> first(MetricSample sample, List<String> labels) {
        return labels.stream().flatMap(label -> sample.label(label).stream()).findFirst();
    }

    private static Optional<Accelerator> byNumber(MetricSample sample, List<Accelerator> family) {
        return NUMBER.stream()
                .flatMap(label -> sample.label(label).stream())
                .map(LAST_DIGITS::matcher)
                .filter(Matcher::matches)
                .findFirst()
                .flatMap(matcher -> at(family, Integer.parseInt(matcher.group(1))));
    }

    private static Optional<Accelerator> byCore(MetricSample sample, List<Accelerator> family, OptionalInt reported) {
        Optional<Integer> cores = reported.isPresent()
                ? Optional.of(reported.getAsInt())
                : family.stream()
                        .findFirst()
                        .flatMap(each ->
                                Optional.ofNullable(CORES.get(each.function().device())));
        return sample.label(CORE)
                .filter(core -> core.matches("[0-9]{1,5}"))
                .flatMap(core -> cores.flatMap(each -> at(family, Integer.parseInt(core) / each)));
    }

    private static Optional<Accelerator> at(List<Accelerator> family, int position) {
        return position < family.size() ? Optional.of(family.get(position)) : Optional.empty();
    }
}
