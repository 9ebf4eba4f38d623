package dev.claimstream.console;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
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
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The device classes that contain a device: those whose selectors the device satisfies, as in the search of the cell. A class whose
 * selector fails on a device does not contain it. The result for a device is cached until the classes change or the device is replaced.
 * Thread-safe.
 */
@Singleton
final class DeviceClasses {
    private final Selectors selectors;
    private volatile ClassCache cache = new ClassCache(List.of());

    DeviceClasses(CelSelectors selectors) {
        this.selectors = selectors;
    }

    private record ClassSelectors(String name, List<String> expressions) {
        static ClassSelectors of(DeviceClass found) {
            return new ClassSelectors(found.meta().name(), found.selectors());
        }
    }

    /** The results for some classes. Weak keys are compared by identity: a device that no slice contains any more is not kept. */
    private record ClassCache(List<ClassSelectors> classes, Cache<Device, List<String>> names) {
        ClassCache(List<ClassSelectors> classes) {
            this(classes, Caffeine.newBuilder().weakKeys().build());
        }
    }

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
    Map<DeviceId, List<String>> of(List<DeviceClass> classes, Collection<DeviceView> devices) {
        ClassCache current = cacheOf(classes.stream().map(ClassSelectors::of).toList());
        Map<DeviceId, List<String>> names = new HashMap<>();
        for (DeviceView view : devices) {
            view.device()
                    .map(device -> current.names()
                            .get(
                                    device,
                                    each -> matching(
                                            current.classes(), view.id().driver(), each)))
                    .filter(own -> !own.isEmpty())
                    .ifPresent(own -> names.put(view.id(), own));
        }
        return names;
    }

    private ClassCache cacheOf(List<ClassSelectors> classes) {
        ClassCache last = cache;
        if (last.classes().equals(classes)) {
            return last;
        }
        var emptied = new ClassCache(classes);
        cache = emptied;
        return emptied;
    }

    private List<String> matching(List<ClassSelectors> classes, String driver, Device device) {
        return classes.stream()
                .filter(each -> each.expressions().stream().allMatch(text -> isMatch(text, driver, device)))
                .map(ClassSelectors::name)
                .toList();
    }

    private boolean isMatch(String expression, String driver, Device device) {
        return selectors.compile(expression).test(driver, device) instanceof Match.SelectorMatch;
    }
}
