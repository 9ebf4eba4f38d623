package dev.claimstream.console;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Selector.Match;
import dev.claimstream.dra.Selectors;
import dev.claimstream.selectors.CelSelectors;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * The device classes to which devices belong: those whose selectors a device satisfies, as in the search of the cell. A class whose
 * selector fails on a device does not contain it. The result for a device is kept as long as device and classes are unchanged.
 * Thread-safe.
 */
@Singleton
final class DeviceClasses {
    private final Selectors selectors;
    private List<ClassSelectors> known = List.of();
    private IdentityHashMap<Device, List<String>> kept = new IdentityHashMap<>();

    DeviceClasses(CelSelectors selectors) {
        this.selectors = selectors;
    }

    private record ClassSelectors(String name, List<String> expressions) {
        static ClassSelectors of(DeviceClass found) {
            return new ClassSelectors(found.meta().name(), found.selectors());
        }
    }

    /** Returns the classes of a snapshot, for {@link #of}. */
    static List<DeviceClass> classes(ClusterView.Snapshot snapshot) {
        return snapshot.all(Kind.DEVICE_CLASS, DeviceClass.class)
                .sorted(Comparator.comparing(ClusterObject::key, Comparator.comparing(ObjectKey::name)))
                .toList();
    }

    /**
     * Returns the names of the classes of each device, in alphabetical order. A device without a class, or that no slice contains, has no
     * entry.
     *
     * @param classes all classes of the cluster, ordered by name
     */
    synchronized Map<DeviceId, List<String>> of(List<DeviceClass> classes, Collection<DeviceView> devices) {
        List<ClassSelectors> now = classes.stream().map(ClassSelectors::of).toList();
        IdentityHashMap<Device, List<String>> before = now.equals(known) ? kept : new IdentityHashMap<>();
        Map<List<String>, List<String>> equal = new HashMap<>();
        var evaluated = new IdentityHashMap<Device, List<String>>();
        Map<DeviceId, List<String>> names = new HashMap<>();
        for (DeviceView view : devices) {
            view.device().ifPresent(device -> {
                List<String> own = before.get(device);
                if (own == null) {
                    own = equal.computeIfAbsent(matching(now, view.id().driver(), device), each -> each);
                }
                evaluated.put(device, own);
                if (!own.isEmpty()) {
                    names.put(view.id(), own);
                }
            });
        }
        known = now;
        kept = evaluated;
        return names;
    }

    private List<String> matching(List<ClassSelectors> classes, String driver, Device device) {
        List<String> names = new ArrayList<>();
        for (ClassSelectors each : classes) {
            if (each.expressions().stream().allMatch(text -> isMatch(text, driver, device))) {
                names.add(each.name());
            }
        }
        return List.copyOf(names);
    }

    private boolean isMatch(String expression, String driver, Device device) {
        return selectors.compile(expression).test(driver, device) instanceof Match.SelectorMatch;
    }
}
