package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * What an administrator offers under one name.
 *
 * @param selectors CEL expressions that a device must all satisfy; an empty text is a selector of an unknown sort
 * @param givenBy whose business its claims are; no field of Kubernetes
 */
public record DeviceClass(
        ObjectMeta meta,
        List<String> selectors,
        List<OpaqueConfig> config,
        Optional<String> extendedResourceName,
        Giver givenBy)
        implements ClusterObject {
    /** Who allocates claims of a class. */
    public enum Giver {
        CLAIMSTREAM,
        /** Mostly kube-scheduler. */
        OTHERS
    }

    public DeviceClass {
        selectors = List.copyOf(selectors);
        config = List.copyOf(config);
    }

    /** One of ours. */
    public DeviceClass(
            ObjectMeta meta, List<String> selectors, List<OpaqueConfig> config, Optional<String> extendedResourceName) {
        this(meta, selectors, config, extendedResourceName, Giver.CLAIMSTREAM);
    }

    /** The same as one whose claims others allocate. */
    public DeviceClass ofOthers() {
        return new DeviceClass(meta, selectors, config, extendedResourceName, Giver.OTHERS);
    }

    @Override
    public Kind kind() {
        return Kind.DEVICE_CLASS;
    }
}
