package dev.claimstream.manifests;

import dev.claimstream.dra.CounterConsumption;
import dev.claimstream.dra.CounterSet;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code ResourceSlice.spec} with its devices. */
final class SliceReader {
    private static final int DEVICES_MAX = 128;
    private static final int ADVANCED_DEVICES_MAX = 64;
    private static final int COUNTER_SETS_MAX = 8;
    private static final int CONSUMPTIONS_MAX = 2;
    private static final int GROUPS_MAX = 2;

    private SliceReader() {}

    static ResourceSlice of(ObjectMeta meta, ManifestField specField) {
        FieldMap spec = specField.fieldsOrEmpty();
        String driver = NameValidation.driver(spec.get("driver"));
        ManifestField poolField = spec.get("pool");
        FieldMap pool = poolField.fieldsOrEmpty();
        String poolName = NameValidation.pool(pool.get("name"));
        long generation = atLeast(pool.get("generation"), 0, "must be greater than or equal to zero");
        long count = atLeast(pool.get("resourceSliceCount"), 1, "must be greater than zero");
        pool.reportUnknown();
        NodeScope scope = NodeScopeReader.ofSlice(spec);
        ManifestField devicesField = spec.get("devices");
        ManifestField countersField = spec.get("sharedCounters");
        List<Device> devices = devices(devicesField, scope);
        List<CounterSet> counters = counters(countersField);
        if (devicesField.isPresent() && countersField.isPresent()) {
            specField.invalid(
                    "",
                    "only one of `sharedCounters` or `devices` is allowed",
                    "put the counters in a slice of their own in the same pool");
        }
        List<String> skipped = NodeOperationReader.of(spec.get("skipNodeOperations"));
        spec.get("partitionTypeAttribute");
        spec.reportUnknown();
        return ResourceSlice.builder(meta, driver, poolName)
                .generation(generation)
                .resourceSliceCount(count)
                .scope(scope)
                .devices(devices)
                .sharedCounters(counters)
                .skipNodeOperations(skipped)
                .build();
    }

    private static long atLeast(ManifestField field, long least, String rule) {
        long value = field.integer(0);
        if (value < least) {
            field.invalid(Long.toString(value), rule, "write a number from %d on".formatted(least));
        }
        return value;
    }

    private static List<CounterSet> counters(ManifestField field) {
        List<ManifestField> items = field.items(COUNTER_SETS_MAX);
        List<CounterSet> sets = items.stream().map(SliceReader::counterSet).toList();
        NameValidation.checkUnique(items, sets.stream().map(CounterSet::name).toList());
        return sets;
    }

    private static CounterSet counterSet(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        CounterSet set = new CounterSet(
                NameValidation.label(fields.get("name")), CapacityReader.counters(fields.get("counters")));
        fields.reportUnknown();
        return set;
    }

    private static List<Device> devices(ManifestField field, NodeScope slice) {
        List<ManifestField> items = field.items(DEVICES_MAX);
        List<Device> devices = new ArrayList<>(items.size());
        for (ManifestField item : items) {
            item.recordLocation();
            devices.add(device(item, slice));
        }
        if (devices.size() > ADVANCED_DEVICES_MAX && devices.stream().anyMatch(SliceReader::isAdvanced)) {
            field.errorIfStrict(
                    Integer.toString(devices.size()),
                    "Too many: must have at most %d items".formatted(ADVANCED_DEVICES_MAX),
                    "devices with taints, counters or lists take twice the room: spread them over more slices");
        }
        NameValidation.checkUnique(items, devices.stream().map(Device::name).toList());
        return devices;
    }

    private static boolean isAdvanced(Device device) {
        return !device.taints().isEmpty()
                || !device.consumesCounters().isEmpty()
                || AttributeReader.hasLists(device.attributes());
    }

    private static Device device(ManifestField field, NodeScope slice) {
        FieldMap outer = field.fieldsOrEmpty();
        String name = NameValidation.label(outer.get("name"));
        if (!field.report().version().isFlat()) {
            return device(outer, name, slice);
        }
        ManifestField basic = outer.get("basic");
        if (!basic.isPresent() && outer.entries().size() <= 1) {
            basic.required("");
        }
        outer.reportUnknown();
        return device(basic.fieldsOrEmpty(), name, slice);
    }

    private static Device device(FieldMap fields, String name, NodeScope slice) {
        boolean shared = fields.get("allowMultipleAllocations").isTrue();
        var attributes = AttributeReader.of(fields.get("attributes"));
        var capacity = CapacityReader.ofDevice(fields.get("capacity"), shared);
        AttributeReader.checkSum(attributes, capacity.size(), fields.self());
        List<CounterConsumption> consumption = consumption(fields.get("consumesCounters"));
        NodeScope scope = NodeScopeReader.ofDevice(fields, slice);
        BindingConditions conditions = BindingConditions.of(fields);
        Device device = Device.builder(name)
                .attributes(attributes)
                .capacity(capacity)
                .consumesCounters(consumption)
                .scope(scope)
                .taints(TaintReader.ofDevice(fields.get("taints")))
                .bindsToNode(fields.get("bindsToNode").isTrue())
                .bindingConditions(conditions.ready())
                .bindingFailureConditions(conditions.failed())
                .allowMultipleAllocations(shared)
                .nodeAllocatable(NodeAllocatableReader.of(fields, capacity.keySet()))
                .build();
        fields.reportUnknown();
        return device;
    }

    private static List<CounterConsumption> consumption(ManifestField field) {
        List<ManifestField> items = field.items(CONSUMPTIONS_MAX);
        List<CounterConsumption> all =
                items.stream().map(SliceReader::consumptionOf).toList();
        NameValidation.checkUnique(
                items, all.stream().map(CounterConsumption::counterSet).toList());
        return all;
    }

    private static CounterConsumption consumptionOf(ManifestField field) {
        FieldMap fields = field.fieldsOrEmpty();
        List<ManifestField> groups = fields.get("compatibilityGroups").items(GROUPS_MAX);
        List<String> names = groups.stream().map(ManifestField::text).toList();
        NameValidation.checkUnique(groups, names);
        CounterConsumption consumption = new CounterConsumption(
                NameValidation.label(fields.get("counterSet")), CapacityReader.counters(fields.get("counters")), names);
        fields.reportUnknown();
        return consumption;
    }

    /** {@code bindingConditions} and {@code bindingFailureConditions}: both or none, without common names. */
    record BindingConditions(List<String> ready, List<String> failed) {
        private static final int CONDITIONS_MAX = 4;

        static BindingConditions of(FieldMap fields) {
            ManifestField readyField = fields.get("bindingConditions");
            ManifestField failedField = fields.get("bindingFailureConditions");
            List<String> ready = names(readyField.items(CONDITIONS_MAX));
            List<ManifestField> failedItems = failedField.items(CONDITIONS_MAX);
            List<String> failed = names(failedItems);
            failedItems.stream()
                    .filter(item -> ready.contains(item.text()))
                    .forEach(item -> item.invalid(
                            item.text(),
                            "bindingFailureConditions must not overlap with bindingConditions",
                            "name another condition"));
            both(readyField, ready, failed, "bindingConditions are required to use bindingFailureConditions");
            both(failedField, failed, ready, "bindingFailureConditions are required to use bindingConditions");
            return new BindingConditions(ready, failed);
        }

        private static void both(ManifestField field, List<String> these, List<String> those, String rule) {
            if (these.isEmpty() && !those.isEmpty()) {
                field.invalid("", rule, "write both or none");
            }
        }

        private static List<String> names(List<ManifestField> items) {
            List<String> names = items.stream().map(ManifestField::text).toList();
            items.forEach(item -> NameValidation.checkLabelName(item, item.text()));
            NameValidation.checkUnique(items, names);
            return names;
        }
    }
}
