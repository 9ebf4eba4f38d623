package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.DeviceCandidate;
import dev.claimstream.allocation.inventory.NodeDeviceView;
import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Selector;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The devices of a node that match a problem, without their allocations. It holds the eligibility of each device for
 * each option, and the attribute values that constraints compare, as numbers with meaning only by equality. Nodes with
 * equal layouts are interchangeable except for their names.
 */
final class NodeLayout {
    /** The device does not have the attribute: constraints reject it. */
    static final int ABSENT = -1;
    /** Added to the grade of a device that can only be allocated whole; larger than the capacities of a node. */
    private static final long WHOLE_DEVICE_GRADE = 1L << 48;
    /** A list without {@code DRAListTypeAttributes}, or a value of unknown type: it equals no other value. */
    static final int INCOMPARABLE = -2;
    /** The value could not be derived: a search that compares it fails. */
    static final int FAILED = -3;

    private static final String STANDARD = "resource.kubernetes.io/";
    private static final String PCIE_ROOT = STANDARD + "pcieRoot";
    private static final String NUMA_NODE = STANDARD + "numaNode";

    /** Number of matching devices. */
    final int size;
    /** Their indexes in {@link NodeDeviceView#candidates}. */
    final int[] positions;
    /** Number of the other devices of the node. */
    final int otherDevices;
    /** Whether the node reaches a pool that is being updated; only set if the problem requests all devices. */
    final boolean hasIncompletePool;

    final boolean hasInvalidPool;
    /** Consumption of shared counters. */
    final PartitionableDevices partitions;
    /** Capacities of devices that several claims can share. */
    final ShareableDevices shares;

    private final DeviceEligibility[][] eligibilities;
    private final int[][] values;
    private final List<List<int[]>> members;
    private final int[] grades;
    private final int[] pcieRoots;
    private final int[] numaNodes;

    private NodeLayout(LayoutBuilder shown) {
        size = shown.positions.size();
        positions = shown.positions.toArray();
        otherDevices = shown.otherDevices;
        hasIncompletePool = shown.hasIncompletePool;
        hasInvalidPool = shown.hasInvalidPool;
        partitions = shown.partitions;
        shares = shown.shares;
        eligibilities = shown.eligibilities.toArray(DeviceEligibility[][]::new);
        values = shown.values.toArray(int[][]::new);
        members = shown.members;
        grades = shown.grades.toArray();
        pcieRoots = shown.pcieRoots.toArray();
        numaNodes = shown.numaNodes.toArray();
    }

    DeviceEligibility eligibility(int device, int column) {
        return eligibilities[device][column];
    }

    /** Value of a device from a source; equal values of one attribute have the same number. */
    int value(int device, int source) {
        return values[device][source];
    }

    /** Members of an attribute value, ascending; a scalar is its own only member. */
    int[] members(int attribute, int value) {
        return members.get(attribute).get(value);
    }

    /**
     * Size of a device: its largest capacity in Mi. Smaller devices are allocated first. If the request names
     * capacities, a device that can only be allocated whole comes after all shareable devices.
     */
    long grade(int device, RequestOption option) {
        return grades[device]
                + (option.spec().capacity().isEmpty() || shares.isShareable(device) ? 0 : WHOLE_DEVICE_GRADE);
    }

    /** Number of devices that match an option, tainted or not. */
    long matchingCount(RequestOption option) {
        long count = 0;
        for (DeviceEligibility[] each : eligibilities) {
            DeviceEligibility eligibility = each[option.column()];
            count += eligibility == DeviceEligibility.YES || eligibility == DeviceEligibility.TAINTED ? 1 : 0;
        }
        return count;
    }

    int pcieRoot(int device) {
        return pcieRoots[device];
    }

    int numaNode(int device) {
        return numaNodes[device];
    }

    /** Returns whether two devices are interchangeable for the search. */
    boolean isEquivalent(int one, int other) {
        for (int column = 0; column < eligibilities[one].length; column++) {
            if (eligibilities[one][column] != eligibilities[other][column]) {
                return false;
            }
        }
        return Arrays.equals(values[one], values[other])
                && partitions.isEquivalent(one, other)
                && shares.isEquivalent(one, other);
    }

    boolean hasFailure(int column) {
        for (DeviceEligibility[] each : eligibilities) {
            if (each[column] == DeviceEligibility.FAILED) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a value has this code. The order of devices decides where a search meets such a value. */
    boolean hasValue(int code) {
        for (int[] each : values) {
            for (int value : each) {
                if (value == code) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Builds the layout of one node; its key finds the existing layout of nodes that have an equal one. */
    static final class LayoutBuilder {
        private final AllocationProblem problem;
        private final DistinctFilters filters;
        private final Ints positions = new Ints();
        private final List<DeviceEligibility[]> eligibilities = new ArrayList<>();
        private final List<int[]> values = new ArrayList<>();
        private final Ints grades = new Ints();
        private final Ints pcieRoots = new Ints();
        private final Ints numaNodes = new Ints();
        private final List<Map<AttributeValue, Integer>> numbers = new ArrayList<>();
        private final List<Map<Set<AttributeValue>, Integer>> memberSetNumbers = new ArrayList<>();
        private final List<Map<Object, Integer>> memberNumbers = new ArrayList<>();
        private final List<List<int[]>> members = new ArrayList<>();
        private final int otherDevices;
        private final boolean hasIncompletePool;
        private final boolean hasInvalidPool;
        private final PartitionableDevices partitions;
        private final ShareableDevices shares;

        LayoutBuilder(AllocationProblem problem, DistinctFilters filters, NodeDeviceView view) {
            this.problem = problem;
            this.filters = filters;
            for (int i = 0; i < problem.attributes().size() + 2; i++) {
                numbers.add(new LinkedHashMap<>());
                memberSetNumbers.add(new LinkedHashMap<>());
                memberNumbers.add(new LinkedHashMap<>());
                members.add(new ArrayList<>());
            }
            List<DeviceCandidate> candidates = view.candidates();
            for (int position = 0; position < candidates.size(); position++) {
                addDevice(position, candidates.get(position));
            }
            List<DeviceCandidate> counting = new ArrayList<>();
            for (int i = 0; i < positions.size(); i++) {
                counting.add(candidates.get(positions.get(i)));
            }
            partitions = new PartitionableDevices(counting);
            shares = new ShareableDevices(problem, counting);
            otherDevices = candidates.size() - positions.size();
            hasIncompletePool =
                    problem.hasAllDevicesOption() && !view.incompletePools().isEmpty();
            hasInvalidPool = !view.invalidPools().isEmpty();
        }

        private void addDevice(int position, DeviceCandidate candidate) {
            DeviceEligibility[] row = new DeviceEligibility[problem.options().size()];
            Selector.Match[] answers = filters.matches(candidate.driver(), candidate.device());
            boolean counts = false;
            for (RequestOption option : problem.options()) {
                row[option.column()] = option.eligibility(problem, candidate, answers[filters.index(option)]);
                counts |= row[option.column()] != DeviceEligibility.NO;
            }
            if (!counts) {
                return;
            }
            positions.add(position);
            eligibilities.add(row);
            int[] compared = new int[problem.sources().size()];
            for (int i = 0; i < compared.length; i++) {
                AttributeSource source = problem.sources().get(i);
                compared[i] = source.failure(candidate).isPresent()
                        ? FAILED
                        : number(source.attribute(), source.value(candidate));
            }
            values.add(compared);
            grades.add(grade(candidate));
            pcieRoots.add(number(problem.attributes().size(), standardAttribute(candidate, PCIE_ROOT)));
            numaNodes.add(number(problem.attributes().size() + 1, standardAttribute(candidate, NUMA_NODE)));
        }

        private static Optional<AttributeValue> standardAttribute(DeviceCandidate candidate, String name) {
            return AttributeLookup.of(candidate.driver(), candidate.device(), name)
                    .or(() -> AttributeLookup.of(
                            candidate.driver(),
                            candidate.device(),
                            candidate.driver() + "/" + name.substring(STANDARD.length())));
        }

        private int number(int attribute, Optional<AttributeValue> value) {
            if (value.isEmpty()) {
                return ABSENT;
            }
            Integer known = numbers.get(attribute).get(value.get());
            if (known != null) {
                return known;
            }
            int number = numberOf(attribute, value.get());
            numbers.get(attribute).put(value.get(), number);
            return number;
        }

        private int numberOf(int attribute, AttributeValue value) {
            boolean areListsServed = problem.features().has(Feature.LIST_TYPE_ATTRIBUTES);
            if (AttributeLookup.isList(value) && !areListsServed) {
                return INCOMPARABLE;
            }
            Set<AttributeValue> parts = AttributeLookup.members(value);
            if (parts.isEmpty()) {
                return ABSENT;
            }
            Integer known = memberSetNumbers.get(attribute).get(parts);
            if (known != null) {
                return known;
            }
            int number = members.get(attribute).size();
            memberSetNumbers.get(attribute).put(parts, number);
            Map<Object, Integer> parted = memberNumbers.get(attribute);
            members.get(attribute)
                    .add(parts.stream()
                            .mapToInt(part -> parted.computeIfAbsent(part, key -> parted.size()))
                            .sorted()
                            .toArray());
            return number;
        }

        private static int grade(DeviceCandidate candidate) {
            Map<String, DeviceCapacity> capacity = candidate.device().capacity();
            int grade = capacity.isEmpty() ? 0 : Integer.MIN_VALUE;
            for (DeviceCapacity each : capacity.values()) {
                grade = Math.max(grade, (int) Math.min(each.value().value() >> 20, Integer.MAX_VALUE));
            }
            return grade;
        }

        IntKey key(Ints scratch) {
            scratch.clear();
            scratch.add(otherDevices);
            scratch.add((hasIncompletePool ? 1 : 0) + (hasInvalidPool ? 2 : 0));
            for (int i = 0; i < positions.size(); i++) {
                scratch.add(positions.get(i));
                for (DeviceEligibility eligibility : eligibilities.get(i)) {
                    scratch.add(eligibility.code);
                }
                for (int value : values.get(i)) {
                    scratch.add(value);
                }
                scratch.add(grades.get(i));
                scratch.add(pcieRoots.get(i));
                scratch.add(numaNodes.get(i));
            }
            for (List<int[]> ofAttribute : members) {
                for (int[] each : ofAttribute) {
                    scratch.add(each.length);
                    for (int member : each) {
                        scratch.add(member);
                    }
                }
            }
            partitions.addTo(scratch);
            shares.addTo(scratch);
            return new IntKey(scratch.toArray());
        }

        NodeLayout layout() {
            return new NodeLayout(this);
        }
    }
}
