package dev.claimstream.load;

import dev.claimstream.dra.AttributeValue;
import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceCapacity;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceSlice;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/** Nodes with GPUs with 11 attributes each, as the NVIDIA driver publishes them. */
public record GpuFleet(int nodes, int devices) {
    public static final String DRIVER = "gpu.nvidia.com";

    /** Parses a fleet, for example {@code 500x8}. */
    public static GpuFleet parse(String text) {
        String[] parts = text.split("x", 2);
        return new GpuFleet(Integer.parseInt(parts[0]), Integer.parseInt(parts[1]));
    }

    /** Returns the number of devices. */
    public int size() {
        return nodes * devices;
    }

    /** Returns a node by its index, from 0. */
    public Node node(int number) {
        String name = name(number);
        var labels = new TreeMap<String, String>();
        labels.put("kubernetes.io/hostname", name);
        return new Node(ObjectMeta.of("", name, "node-" + number).withLabels(labels), List.of(), false, true);
    }

    /** Returns the name of a node. */
    public static String name(int number) {
        return "node-%06d".formatted(number);
    }

    /** Returns the slices of a node. */
    public List<ResourceSlice> slices(int number) {
        List<Device> all = new ArrayList<>();
        for (int i = 0; i < devices; i++) {
            all.add(device(number, i));
        }
        return List.of(ResourceSlice.builder(
                        ObjectMeta.of("", name(number) + "-gpus", "slice-" + number), DRIVER, name(number))
                .generation(1)
                .scope(new NodeScope.SingleNode(name(number)))
                .devices(all)
                .build());
    }

    private Device device(int node, int index) {
        var attributes = new TreeMap<String, AttributeValue>();
        attributes.put("type", new AttributeValue.StringValue("gpu"));
        attributes.put("uuid", new AttributeValue.StringValue("GPU-%06d-%03d".formatted(node, index)));
        attributes.put("index", new AttributeValue.IntValue(index));
        attributes.put("minor", new AttributeValue.IntValue(index));
        attributes.put("productName", new AttributeValue.StringValue("NVIDIA H100 80GB HBM3"));
        attributes.put("brand", new AttributeValue.StringValue("Nvidia"));
        attributes.put("architecture", new AttributeValue.StringValue("Hopper"));
        attributes.put("cudaComputeCapability", new AttributeValue.VersionValue("9.0.0"));
        attributes.put("driverVersion", new AttributeValue.VersionValue("570.124.6"));
        attributes.put(
                "resource.kubernetes.io/pcieRoot",
                new AttributeValue.StringValue("pci%04x:%02x".formatted(node % 65536, index / 2)));
        attributes.put("numaNode", new AttributeValue.IntValue(index * 2L / devices));
        var capacity = new TreeMap<String, DeviceCapacity>();
        capacity.put("memory", DeviceCapacity.of(Quantity.parse("80Gi")));
        return Device.of("gpu-" + index, attributes, capacity);
    }
}
