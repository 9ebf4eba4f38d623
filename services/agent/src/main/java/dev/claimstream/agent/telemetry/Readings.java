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
final class Readings {
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

    private final Metrics metrics;
    private final SortedSet<Integer> fatalXids;

    Readings(Metrics metrics, SortedSet<Integer> fatalXids) {
        this.metrics = metrics;
        this.fatalXids = fatalXids;
    }

    /** Whether the metric is supported. */
    boolean isKnown(String metric) {
        return metrics.find(metric).isPresent();
    }

    /** Returns the combined metrics of each device that the samples name. */
    SortedMap<PciAddress, Measured> of(List<Line> lines, List<Accelerator> devices) {
        OptionalInt cores = cores(lines);
        Map<PciAddress, Sums> sums = new LinkedHashMap<>();
        for (Line line : lines) {
            Metrics.Meaning meaning = metrics.find(line.metric()).orElseThrow();
            List<Accelerator> family = devices.stream()
                    .filter(each -> each.family().equals(meaning.family()))
                    .toList();
            if (!isOfAPart(line)) {
                device(line, meaning, family, cores)
                        .map(each -> each.function().address())
                        .ifPresent(address -> sums.computeIfAbsent(address, key -> new Sums(fatalXids))
                                .add(line, meaning));
            }
        }
        SortedMap<PciAddress, Measured> measured = new TreeMap<>();
        sums.forEach((address, sum) -> measured.put(address, sum.measured()));
        return measured;
    }

    /** Whether the sample describes a MIG instance or a partition other than the first, and not the whole device. */
    private static boolean isOfAPart(Line line) {
        return line.label("GPU_I_ID").isPresent()
                || line.label("gpu_partition_id")
                        .filter(part -> !part.equals("0"))
                        .isPresent();
    }

    private OptionalInt cores(List<Line> lines) {
        return lines.stream()
                .flatMap(line -> metrics
                        .find(line.metric())
                        .filter(meaning -> meaning.quantity() == Metrics.Quantity.CORES_BY)
                        .flatMap(meaning -> line.label(meaning.detail()))
                        .filter(text -> text.matches("[1-9][0-9]{0,3}"))
                        .stream())
                .mapToInt(Integer::parseInt)
                .findFirst();
    }

    private static Optional<Accelerator> device(
            Line line, Metrics.Meaning meaning, List<Accelerator> family, OptionalInt cores) {
        if (meaning.quantity() == Metrics.Quantity.CORES_BY) {
            return Optional.empty();
        }
        if (meaning.isOfACore() && line.label(CORE).isPresent()) {
            return byCore(line, family, cores);
        }
        Optional<String> address =
                first(line, ADDRESS).flatMap(PciAddress::parse).map(PciAddress::text);
        if (address.isPresent()) {
            return with(family, each -> Optional.of(each.function().address().text()), address);
        }
        return named(line, family, UUID, each -> each.function().identity().uuid())
                .or(() -> named(
                        line, family, SERIAL, each -> each.function().identity().serial()))
                .orElseGet(() -> byNumber(line, family));
    }

    /**
     * Finds the device by identity; empty if the sample or the devices have no such identity, so that another way
     * applies.
     */
    private static Optional<Optional<Accelerator>> named(
            Line line, List<Accelerator> family, List<String> labels, Function<Accelerator, Optional<String>> name) {
        Optional<String> label = first(line, labels);
        boolean haveNames = family.stream().anyMatch(each -> name.apply(each).isPresent());
        return label.isPresent() && haveNames ? Optional.of(with(family, name, label)) : Optional.empty();
    }

    private static Optional<Accelerator> with(
            List<Accelerator> family, Function<Accelerator, Optional<String>> name, Optional<String> wanted) {
        return family.stream().filter(each -> name.apply(each).equals(wanted)).findFirst();
    }

    private static Optional<String> first(Line line, List<String> labels) {
        return labels.stream().flatMap(label -> line.label(label).stream()).findFirst();
    }

    private static Optional<Accelerator> byNumber(Line line, List<Accelerator> family) {
        return NUMBER.stream()
                .flatMap(label -> line.label(label).stream())
                .map(LAST_DIGITS::matcher)
                .filter(Matcher::matches)
                .findFirst()
                .flatMap(matcher -> at(family, Integer.parseInt(matcher.group(1))));
    }

    private static Optional<Accelerator> byCore(Line line, List<Accelerator> family, OptionalInt said) {
        Optional<Integer> cores = said.isPresent()
                ? Optional.of(said.getAsInt())
                : family.stream()
                        .findFirst()
                        .flatMap(each ->
                                Optional.ofNullable(CORES.get(each.function().device())));
        return line.label(CORE)
                .filter(core -> core.matches("[0-9]{1,5}"))
                .flatMap(core -> cores.flatMap(each -> at(family, Integer.parseInt(core) / each)));
    }

    private static Optional<Accelerator> at(List<Accelerator> family, int place) {
        return place < family.size() ? Optional.of(family.get(place)) : Optional.empty();
    }
}
