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
final class Slices {
    private static final int DEVICES_MAX = 128;
    private static final int ADVANCED_DEVICES_MAX = 64;
    private static final int COUNTER_SETS_MAX = 8;
    private static final int CONSUMPTIONS_MAX = 2;
    private static final int GROUPS_MAX = 2;

    private Slices() {}

    static ResourceSlice of(ObjectMeta meta, Field specField) {
        Fields spec = specField.fieldsOrNone();
        String driver = Names.driver(spec.get("driver"));
        Field poolField = spec.get("pool");
        Fields pool = poolField.fieldsOrNone();
        String poolName = Names.pool(pool.get("name"));
        long generation = atLeast(pool.get("generation"), 0, "must be greater than or equal to zero");
        long count = atLeast(pool.get("resourceSliceCount"), 1, "must be greater than zero");
        pool.end();
        NodeScope scope = Scopes.ofSlice(spec);
        Field devicesField = spec.get("devices");
        Field countersField = spec.get("sharedCounters");
        List<Device> devices = devices(devicesField, scope);
        List<CounterSet> counters = counters(countersField);
        if (devicesField.isPresent() && countersField.isPresent()) {
            specField.invalid(
                    "",
                    "only one of `sharedCounters` or `devices` is allowed",
                    "put the counters in a slice of their own in the same pool");
        }
        List<String> skipped = NodeOperations.of(spec.get("skipNodeOperations"));
        spec.get("partitionTypeAttribute");
        spec.end();
        return new ResourceSlice(meta, driver, poolName, generation, count, scope, devices, counters, skipped);
    }

    private static long atLeast(Field field, long least, String rule) {
        long value = field.integer(0);
        if (value < least) {
            field.invalid(Long.toString(value), rule, "write a number from %d on".formatted(least));
        }
        return value;
    }

    private static List<CounterSet> counters(Field field) {
        List<Field> items = field.items(COUNTER_SETS_MAX);
        List<CounterSet> sets = items.stream().map(Slices::counterSet).toList();
        Names.checkUnique(items, sets.stream().map(CounterSet::name).toList());
        return sets;
    }

    private static CounterSet counterSet(Field field) {
        Fields fields = field.fieldsOrNone();
        CounterSet set = new CounterSet(Names.label(fields.get("name")), Capacities.counters(fields.get("counters")));
        fields.end();
        return set;
    }

    private static List<Device> devices(Field field, NodeScope slice) {
        List<Field> items = field.items(DEVICES_MAX);
        List<Device> devices = new ArrayList<>(items.size());
        for (Field item : items) {
            item.kept();
            devices.add(device(item, slice));
        }
        if (devices.size() > ADVANCED_DEVICES_MAX && devices.stream().anyMatch(Slices::isAdvanced)) {
            field.refuse(
                    Integer.toString(devices.size()),
                    "Too many: must have at most %d items".formatted(ADVANCED_DEVICES_MAX),
                    "devices with taints, counters or lists take twice the room: spread them over more slices");
        }
        Names.checkUnique(items, devices.stream().map(Device::name).toList());
        return devices;
    }

    private static boolean isAdvanced(Device device) {
        return !device.taints().isEmpty()
                || !device.consumesCounters().isEmpty()
                || Attributes.haveLists(device.attributes());
    }

    private static Device device(Field field, NodeScope slice) {
        Fields outer = field.fieldsOrNone();
        String name = Names.label(outer.get("name"));
        if (!field.report().version().isFlat()) {
            return device(outer, name, slice);
        }
        Field basic = outer.get("basic");
        if (!basic.isPresent() && outer.entries().size() <= 1) {
            basic.required("");
        }
        outer.end();
        return device(basic.fieldsOrNone(), name, slice);
    }

    private static Device device(Fields fields, String name, NodeScope slice) {
        boolean shared = fields.get("allowMultipleAllocations").isTrue();
        var attributes = Attributes.of(fields.get("attributes"));
        var capacity = Capacities.ofDevice(fields.get("capacity"), shared);
        Attributes.checkSum(attributes, capacity.size(), fields.self());
        List<CounterConsumption> consumption = consumption(fields.get("consumesCounters"));
        NodeScope scope = Scopes.ofDevice(fields, slice);
        BindingConditions conditions = BindingConditions.of(fields);
        Device device = new Device(
                name,
                attributes,
                capacity,
                consumption,
                scope,
                Taints.ofDevice(fields.get("taints")),
                fields.get("bindsToNode").isTrue(),
                conditions.ready(),
                conditions.failed(),
                shared,
                NodeAllocatables.of(fields, capacity.keySet()));
        fields.end();
        return device;
    }

    private static List<CounterConsumption> consumption(Field field) {
        List<Field> items = field.items(CONSUMPTIONS_MAX);
        List<CounterConsumption> all = items.stream().map(Slices::consumptionOf).toList();
        Names.checkUnique(
                items, all.stream().map(CounterConsumption::counterSet).toList());
        return all;
    }

    private static CounterConsumption consumptionOf(Field field) {
        Fields fields = field.fieldsOrNone();
        List<Field> groups = fields.get("compatibilityGroups").items(GROUPS_MAX);
        List<String> names = groups.stream().map(Field::text).toList();
        Names.checkUnique(groups, names);
        CounterConsumption consumption = new CounterConsumption(
                Names.label(fields.get("counterSet")), Capacities.counters(fields.get("counters")), names);
        fields.end();
        return consumption;
    }

    /** {@code bindingConditions} and {@code bindingFailureConditions}: both or none, without common names. */
    record BindingConditions(List<String> ready, List<String> failed) {
        private static final int CONDITIONS_MAX = 4;

        static BindingConditions of(Fields fields) {
            Field readyField = fields.get("bindingConditions");
            Field failedField = fields.get("bindingFailureConditions");
            List<String> ready = names(readyField.items(CONDITIONS_MAX));
            List<Field> failedItems = failedField.items(CONDITIONS_MAX);
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

        private static void both(Field field, List<String> these, List<String> those, String rule) {
            if (these.isEmpty() && !those.isEmpty()) {
                field.invalid("", rule, "write both or none");
            }
        }

        private static List<String> names(List<Field> items) {
            List<String> names = items.stream().map(Field::text).toList();
            items.forEach(item -> Names.checkLabelName(item, item.text()));
            Names.checkUnique(items, names);
            return names;
        }
    }
}
