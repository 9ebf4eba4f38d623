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

/** One thing that an expression can read of a device. Two devices that agree in all of them get the same answer. */
sealed interface Reading {
    /** Stands for what a device does not have. */
    Object ABSENT = "absent";

    /** What the device says; equal where no expression can tell the difference. */
    Object of(String driver, Device device);

    /** The two maps of a device. */
    enum Side {
        ATTRIBUTES,
        CAPACITY;

        private Map<String, ?> entries(Device device) {
            return this == ATTRIBUTES ? device.attributes() : device.capacity();
        }
    }

    /** The driver's name. */
    record Driver() implements Reading {
        @Override
        public Object of(String driver, Device device) {
            return driver;
        }
    }

    /** Whether the device can be shared. */
    record Shared() implements Reading {
        @Override
        public Object of(String driver, Device device) {
            return device.allowMultipleAllocations();
        }
    }

    /** One value, or that there is none. */
    record Entry(Side side, String domain, String id, String qualified) implements Reading {
        static Entry of(Side side, String domain, String id) {
            return new Entry(side, domain, id, domain + "/" + id);
        }

        @Override
        public Object of(String driver, Device device) {
            Map<String, ?> entries = side.entries(device);
            Object value = entries.get(qualified);
            if (value == null && driver.equals(domain)) {
                value = entries.get(id);
            }
            return value == null ? ABSENT : exact(value);
        }
    }

    /** Which names there are in a domain, those with the domain first: other orders of one set are other keys, which is harmless. */
    record Ids(Side side, String domain) implements Reading {
        @Override
        public Object of(String driver, Device device) {
            List<String> ids = new ArrayList<>();
            List<String> own = new ArrayList<>();
            for (String name : side.entries(device).keySet()) {
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

    /** Everything in a domain. */
    record Contents(Side side, String domain) implements Reading {
        @Override
        public Object of(String driver, Device device) {
            return contents(side, domain, driver, device);
        }
    }

    /** Which domains there are. */
    record Domains(Side side) implements Reading {
        @Override
        public Object of(String driver, Device device) {
            TreeSet<String> domains = new TreeSet<>();
            for (String name : side.entries(device).keySet()) {
                int slash = name.indexOf('/');
                domains.add(slash < 0 ? driver : name.substring(0, slash));
            }
            return List.copyOf(domains);
        }
    }

    /** Whether there is anything on one side. */
    record Any(Side side) implements Reading {
        @Override
        public Object of(String driver, Device device) {
            return !side.entries(device).isEmpty();
        }
    }

    /** Everything on one side; names without a domain belong to the driver's. */
    record All(Side side) implements Reading {
        @Override
        public Object of(String driver, Device device) {
            List<Object> all = new ArrayList<>(List.of(driver));
            side.entries(device).forEach((name, value) -> {
                all.add(name);
                all.add(exact(value));
            });
            return all;
        }
    }

    private static SortedMap<String, Object> contents(Side side, String domain, String driver, Device device) {
        SortedMap<String, Object> contents = new TreeMap<>();
        side.entries(device).forEach((name, value) -> {
            int slash = name.indexOf('/');
            if (slash == domain.length() && name.startsWith(domain)) {
                contents.put(name.substring(slash + 1), exact(value));
            } else if (slash < 0 && driver.equals(domain)) {
                contents.putIfAbsent(name, exact(value));
            }
        });
        return contents;
    }

    /** Equal amounts may be held in different forms, which functions can tell apart. */
    private static Object exact(Object value) {
        return switch (value) {
            case AttributeValue attribute -> attribute;
            case DeviceCapacity capacity -> capacity.value().form();
            default -> throw new IllegalStateException("device entry of type " + value.getClass());
        };
    }
}
