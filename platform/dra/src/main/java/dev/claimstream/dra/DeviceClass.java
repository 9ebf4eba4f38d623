package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;

/**
 * What an administrator offers under one name.
 *
 * @param selectors CEL expressions that a device must all satisfy; an empty text is a selector of an unknown sort
 */
public record DeviceClass(
        ObjectMeta meta, List<String> selectors, List<OpaqueConfig> config, Optional<String> extendedResourceName)
        implements ClusterObject {
    public DeviceClass {
        selectors = List.copyOf(selectors);
        config = List.copyOf(config);
    }

    @Override
    public Kind kind() {
        return Kind.DEVICE_CLASS;
    }
}
