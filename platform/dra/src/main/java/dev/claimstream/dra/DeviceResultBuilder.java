package dev.claimstream.dra;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Sets the fields of a result by name. Not thread-safe. */
public final class DeviceResultBuilder {
    private final String request;
    private final DeviceId device;
    private boolean adminAccess;
    private List<Toleration> tolerations = List.of();
    private List<String> bindingConditions = List.of();
    private List<String> bindingFailureConditions = List.of();
    private Optional<String> shareId = Optional.empty();
    private SortedMap<String, Quantity> consumedCapacity = new TreeMap<>();
    private List<String> skipNodeOperations = List.of();

    DeviceResultBuilder(String request, DeviceId device) {
        this.request = request;
        this.device = device;
    }

    public DeviceResultBuilder adminAccess(boolean value) {
        adminAccess = value;
        return this;
    }

    public DeviceResultBuilder tolerations(List<Toleration> value) {
        tolerations = value;
        return this;
    }

    public DeviceResultBuilder bindingConditions(List<String> value) {
        bindingConditions = value;
        return this;
    }

    public DeviceResultBuilder bindingFailureConditions(List<String> value) {
        bindingFailureConditions = value;
        return this;
    }

    public DeviceResultBuilder shareId(Optional<String> value) {
        shareId = value;
        return this;
    }

    public DeviceResultBuilder consumedCapacity(SortedMap<String, Quantity> value) {
        consumedCapacity = value;
        return this;
    }

    public DeviceResultBuilder skipNodeOperations(List<String> value) {
        skipNodeOperations = value;
        return this;
    }

    /** Creates the result. */
    public DeviceResult build() {
        return new DeviceResult(
                request,
                device,
                adminAccess,
                tolerations,
                bindingConditions,
                bindingFailureConditions,
                shareId,
                consumedCapacity,
                skipNodeOperations);
    }
}
