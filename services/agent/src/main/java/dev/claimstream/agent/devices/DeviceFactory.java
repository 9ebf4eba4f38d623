package dev.claimstream.agent.devices;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.Taint;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Creates the DRA device of an accelerator. Standard attributes follow KEP-4381 and KEP-6072. */
final class DeviceFactory {
    private static final String STANDARD = "resource.kubernetes.io/";
    private static final int BYTES_MAX = 64;

    private DeviceFactory() {}

    static Device of(Accelerator accelerator, List<Taint> taints) {
        return Device.of(accelerator.name(), attributes(accelerator), capacity(accelerator))
                .withTaints(taints);
    }

    private static SortedMap<String, AttributeValue> attributes(Accelerator accelerator) {
        PciFunction function = accelerator.function();
        SortedMap<String, AttributeValue> attributes = new TreeMap<>();
        attributes.put(STANDARD + "pciBusID", text(function.address().text()));
        function.pcieRoot().ifPresent(root -> attributes.put(STANDARD + "pcieRoot", text(root)));
        function.numaNode().ifPresent(node -> attributes.put(STANDARD + "numaNode", number(node)));
        attributes.put("type", text(accelerator.type()));
        attributes.put("vendorId", text(function.vendor()));
        attributes.put("productId", text(function.device()));
        function.subsystem().ifPresent(board -> attributes.put("subsystemId", text(board)));
        accelerator.model().ifPresent(model -> attributes.put("model", text(model)));
        function.identity().uuid().ifPresent(uuid -> attributes.put("uuid", text(uuid)));
        function.driver().ifPresent(driver -> attributes.put("kernelDriver", text(driver)));
        attributes.put(
                "virtualFunction",
                new AttributeValue.BoolValue(function.physicalFunction().isPresent()));
        function.physicalFunction().ifPresent(physical -> attributes.put("physicalFunction", text(physical.text())));
        if (accelerator.functions() > 1) {
            attributes.put("functions", number(accelerator.functions()));
        }
        return attributes;
    }

    private static SortedMap<String, DeviceCapacity> capacity(Accelerator accelerator) {
        SortedMap<String, DeviceCapacity> capacity = new TreeMap<>();
        accelerator
                .function()
                .identity()
                .memoryBytes()
                .ifPresent(bytes -> capacity.put(
                        "memory",
                        DeviceCapacity.of(Quantity.of(BigDecimal.valueOf(bytes), Quantity.Notation.BINARY_SI))));
        return capacity;
    }

    private static AttributeValue number(long value) {
        return new AttributeValue.IntValue(value);
    }

    /** Truncates a value to 64 bytes, the limit of the API. */
    private static AttributeValue text(String value) {
        String kept = value;
        while (kept.getBytes(StandardCharsets.UTF_8).length > BYTES_MAX) {
            kept = kept.substring(0, kept.offsetByCodePoints(kept.length(), -1));
        }
        return new AttributeValue.StringValue(kept.strip());
    }
}
