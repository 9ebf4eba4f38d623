package dev.claimstream.agent;

import dev.claimstream.agent.devices.Discovery;
import dev.claimstream.agent.devices.Exclusion;
import dev.claimstream.agent.devices.KnownDevices;
import dev.claimstream.agent.devices.PciTree;
import dev.claimstream.agent.devices.Pools;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.write.ManifestWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** What an agent would publish, as text: without Kafka, exporters or waiting. */
public final class NodePrint {
    private NodePrint() {}

    /**
     * The slices of this machine as YAML, one document each; a comment where it has no device that is known.
     *
     * @param sys root of sysfs
     * @param proc root of procfs
     * @param node name of the node; empty: NODE_NAME of the environment, else the name of the host
     * @param exclude devices that are not offered
     * @throws IllegalArgumentException where a value is wrong
     * @throws IOException where the devices cannot be listed
     */
    public static String slices(Path sys, Path proc, String node, List<String> exclude) throws IOException {
        AgentSettings.folder(sys);
        var discovery = new Discovery(
                new PciTree(sys, proc),
                KnownDevices.shipped(),
                Arrays.stream(AgentSettings.PCI_IDS.split(",", -1))
                        .map(Path::of)
                        .toList(),
                exclude.stream().map(Exclusion::new).toList());
        var offered = discovery.scan().offered();
        return offered.isEmpty()
                ? "# no known accelerator below %s%n".formatted(sys)
                : yaml(new Pools(AgentSettings.node(node), 1).of(offered, device -> List.of()));
    }

    private static String yaml(List<ResourceSlice> slices) {
        return slices.stream().map(slice -> ManifestWriter.tree(slice).yaml()).collect(Collectors.joining("---\n"));
    }
}
