package dev.claimstream.agent;

import dev.claimstream.agent.devices.DeviceTable;
import dev.claimstream.agent.devices.Discovery;
import dev.claimstream.agent.devices.Exclusion;
import dev.claimstream.agent.devices.PciTree;
import dev.claimstream.agent.devices.Pools;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.write.ManifestWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Renders the ResourceSlices that the agent of this machine would publish, without Kafka and exporters. */
public final class SlicePreview {
    private SlicePreview() {}

    /**
     * Returns the slices as YAML, one document each; a YAML comment if no known device is found.
     *
     * @param sys root of sysfs
     * @param proc root of procfs
     * @param node name of the node; if empty: NODE_NAME of the environment, else the host name
     * @param exclude patterns of devices that are not published
     * @throws IllegalArgumentException if a value is invalid
     * @throws IOException if the devices cannot be listed
     */
    public static String slices(Path sys, Path proc, String node, List<String> exclude) throws IOException {
        AgentSettings.folder(sys);
        var discovery = new Discovery(
                new PciTree(sys, proc),
                DeviceTable.builtIn(),
                Arrays.stream(AgentSettings.PCI_IDS.split(",", -1))
                        .map(Path::of)
                        .toList(),
                exclude.stream().map(Exclusion::new).toList());
        var allocatable = discovery.scan().allocatable();
        return allocatable.isEmpty()
                ? "# no known accelerator below %s%n".formatted(sys)
                : yaml(new Pools(AgentSettings.node(node), 1).of(allocatable, device -> List.of()));
    }

    private static String yaml(List<ResourceSlice> slices) {
        return slices.stream().map(slice -> ManifestWriter.tree(slice).yaml()).collect(Collectors.joining("---\n"));
    }
}
