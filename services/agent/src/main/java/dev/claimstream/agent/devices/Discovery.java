package dev.claimstream.agent.devices;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Discovers the accelerators of a machine. */
public final class Discovery {
    private final PciTree tree;
    private final DeviceTable table;
    private final PciIds names;
    private final List<Exclusion> exclusions;

    /** @param pciIds possible paths of {@code pci.ids}; the first readable file is used */
    public Discovery(PciTree tree, DeviceTable table, List<Path> pciIds, List<Exclusion> exclusions) {
        this.tree = tree;
        this.table = table;
        this.names = PciIds.first(pciIds, table.vendors());
        this.exclusions = List.copyOf(exclusions);
    }

    /**
     * Devices of a scan, ordered by PCI address.
     *
     * @param physical every physical device, without virtual functions; exporters count these
     * @param allocatable devices to publish: without excluded devices, and without physical functions whose virtual
     *     functions are devices, because an allocation of the former would include the latter
     */
    public record DiscoveredDevices(List<Accelerator> physical, List<Accelerator> allocatable) {
        public DiscoveredDevices {
            physical = List.copyOf(physical);
            allocatable = List.copyOf(allocatable);
        }
    }

    /**
     * Scans the machine.
     *
     * @throws IOException if the PCI devices cannot be listed
     */
    public DiscoveredDevices scan() throws IOException {
        List<Accelerator> all = accelerators(tree.functions());
        Set<PciAddress> split = all.stream()
                .flatMap(each -> each.function().physicalFunction().stream())
                .collect(Collectors.toSet());
        return new DiscoveredDevices(
                all.stream()
                        .filter(each -> each.function().physicalFunction().isEmpty())
                        .toList(),
                all.stream()
                        .filter(each -> !split.contains(each.function().address()))
                        .filter(each -> exclusions.stream().noneMatch(exclusion -> exclusion.matches(each)))
                        .toList());
    }

    private List<Accelerator> accelerators(List<PciFunction> functions) {
        List<Accelerator> found = new ArrayList<>();
        Map<String, Integer> cards = new HashMap<>();
        for (PciFunction function : functions) {
            table.find(function).ifPresent(rule -> {
                Optional<Integer> card = rule.unit() == DeviceTable.DeviceUnit.CARD
                        ? Optional.ofNullable(
                                cards.putIfAbsent(function.address().slot(), found.size()))
                        : Optional.empty();
                card.ifPresentOrElse(
                        address -> found.set(address, withAddedFunction(found.get(address))),
                        () -> found.add(accelerator(rule, function)));
            });
        }
        return found;
    }

    private static Accelerator withAddedFunction(Accelerator card) {
        return new Accelerator(card.family(), card.type(), card.function(), card.functions() + 1, card.model());
    }

    private Accelerator accelerator(DeviceTable.DeviceRule rule, PciFunction function) {
        Optional<String> model = function.identity()
                .model()
                .or(() -> names.name(function.vendor(), function.device()))
                .or(rule::model);
        return new Accelerator(rule.driver(), rule.type(), function, 1, model);
    }
}
