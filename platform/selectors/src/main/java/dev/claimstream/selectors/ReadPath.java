package dev.claimstream.selectors;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** A part of a device that an expression can read. Devices that are equal in all these parts get the same answer. */
sealed interface ReadPath {
    /** The value of a missing part. */
    Object ABSENT = "absent";

    /** Returns the value for a device; values are equal if no expression can distinguish them. */
    Object of(String driver, Device device);

    /** The two maps of a device. */
    enum DeviceMap {
        ATTRIBUTES,
        CAPACITY;

        private Map<String, ?> entriesOf(Device device) {
            return this == ATTRIBUTES ? device.attributes() : device.capacity();
        }
    }

    /** The path of {@code device.driver}. */
    record DriverName() implements ReadPath {
        @Override
        public Object of(String driver, Device device) {
            return driver;
        }
    }

    /** Whether the device allows multiple allocations. */
    record MultipleAllocations() implements ReadPath {
        @Override
        public Object of(String driver, Device device) {
            return device.allowMultipleAllocations();
        }
    }

    /** One entry, or that it is missing. */
    record MapEntry(DeviceMap side, String domain, String id, String qualified) implements ReadPath {
        static MapEntry of(DeviceMap side, String domain, String id) {
            return new MapEntry(side, domain, id, domain + "/" + id);
        }

        @Override
        public Object of(String driver, Device device) {
            Map<String, ?> entries = side.entriesOf(device);
            Object value = entries.get(qualified);
            if (value == null && driver.equals(domain)) {
                value = entries.get(id);
            }
            return value == null ? ABSENT : comparable(value);
        }
    }

    /** The names of entries in a domain, qualified names first. Another order gives another key, which costs only an evaluation. */
    record EntryNames(DeviceMap side, String domain) implements ReadPath {
        @Override
        public Object of(String driver, Device device) {
            List<String> ids = new ArrayList<>();
            List<String> own = new ArrayList<>();
            for (String name : side.entriesOf(device).keySet()) {
                int slash = name.indexOf('/');
                if (slash < 0) {
                    own.add(name);
                } else if (slash == domain.length() && name.startsWith(domain)) {
                    ids.add(name.substring(slash + 1));
                }
            }
            if (driver.equals(domain)) {
                ids.addAll(own);
            }
            return ids;
        }
    }

    /** All entries of a domain. */
    record DomainEntries(DeviceMap side, String domain) implements ReadPath {
        @Override
        public Object of(String driver, Device device) {
            return contents(side, domain, driver, device);
        }
    }

    /** The names of the domains. */
    record DomainNames(DeviceMap side) implements ReadPath {
        @Override
        public Object of(String driver, Device device) {
            TreeSet<String> domains = new TreeSet<>();
            for (String name : side.entriesOf(device).keySet()) {
                int slash = name.indexOf('/');
                domains.add(slash < 0 ? driver : name.substring(0, slash));
            }
            return List.copyOf(domains);
        }
    }

    /** Whether a map has entries. */
    record EntryPresence(DeviceMap side) implements ReadPath {
        @Override
        public Object of(String driver, Device device) {
            return !side.entriesOf(device).isEmpty();
        }
    }

    /** All entries of a map; names without a domain belong to the domain of the driver. */
    record AllEntries(DeviceMap side) implements ReadPath {
        @Override
        public Object of(String driver, Device device) {
            List<Object> all = new ArrayList<>(List.of(driver));
            side.entriesOf(device).forEach((name, value) -> {
                all.add(name);
                all.add(comparable(value));
            });
            return all;
        }
    }

    private static SortedMap<String, Object> contents(DeviceMap side, String domain, String driver, Device device) {
        SortedMap<String, Object> contents = new TreeMap<>();
        side.entriesOf(device).forEach((name, value) -> {
            int slash = name.indexOf('/');
            if (slash == domain.length() && name.startsWith(domain)) {
                contents.put(name.substring(slash + 1), comparable(value));
            } else if (slash < 0 && driver.equals(domain)) {
                contents.putIfAbsent(name, comparable(value));
            }
        });
        return contents;
    }

    /** Returns a value with its representation: functions can distinguish equal amounts in different representations. */
    private static Object comparable(Object value) {
        return switch (value) {
            case AttributeValue attribute -> attribute;
            case DeviceCapacity capacity -> capacity.value().representation();
            default -> throw new IllegalStateException("device entry of type " + value.getClass());
        };
    }
}
