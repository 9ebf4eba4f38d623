package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * A class of devices that an administrator defines.
 *
 * @param selectors CEL expressions that a device must all satisfy; an empty text stands for an unknown selector type
 * @param allocator the allocator of the class's claims; not a field of Kubernetes
 */
public record DeviceClass(
        ObjectMeta meta,
        List<String> selectors,
        List<OpaqueConfig> config,
        Optional<String> extendedResourceName,
        ClassAllocator allocator)
        implements ClusterObject {
    /** The allocator of the claims of a class: Claimstream for managed classes, another one for unmanaged classes. */
    public enum ClassAllocator {
        CLAIMSTREAM,
        /** Usually kube-scheduler. */
        OTHERS
    }

    public DeviceClass {
        selectors = List.copyOf(selectors);
        config = List.copyOf(config);
    }

    /** Creates a managed class. */
    public DeviceClass(
            ObjectMeta meta, List<String> selectors, List<OpaqueConfig> config, Optional<String> extendedResourceName) {
        this(meta, selectors, config, extendedResourceName, ClassAllocator.CLAIMSTREAM);
    }

    /** Returns a copy that is unmanaged. */
    public DeviceClass asUnmanaged() {
        return new DeviceClass(meta, selectors, config, extendedResourceName, ClassAllocator.OTHERS);
    }

    @Override
    public Kind kind() {
        return Kind.DEVICE_CLASS;
    }
}
