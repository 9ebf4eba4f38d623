package dev.claimstream.allocation.cell;

import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.ExtendedResources;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** The DeviceClasses, managed and unmanaged, by name. */
final class ClassIndex implements RowIndex {
    private final SortedMap<String, DeviceClass> managed = new TreeMap<>();
    private final SortedSet<String> unmanaged = new TreeSet<>();

    @Override
    public void add(Row row) {
        if (row instanceof ObservedRow.ObjectRow object && object.content().orElse(null) instanceof DeviceClass each) {
            switch (each.allocator()) {
                case CLAIMSTREAM -> managed.put(each.meta().name(), each);
                case OTHERS -> unmanaged.add(each.meta().name());
            }
        }
    }

    @Override
    public void remove(Row row) {
        if (row instanceof ObservedRow.ObjectRow object && object.content().orElse(null) instanceof DeviceClass each) {
            unmanaged.remove(each.meta().name());
            managed.remove(each.meta().name());
        }
    }

    /** The managed classes by name. */
    SortedMap<String, DeviceClass> managed() {
        return managed;
    }

    /** Whether a class is unmanaged. False for an unknown class. */
    boolean isUnmanaged(String deviceClass) {
        return unmanaged.contains(deviceClass);
    }

    /** Whether a managed class provides this extended resource. */
    boolean providesExtendedResource(String resource) {
        return managed.values().stream()
                .anyMatch(each ->
                        each.extendedResourceName().filter(resource::equals).isPresent()
                                || resource.equals(ExtendedResources.CLASS_PREFIX
                                        + each.meta().name()));
    }
}
