package dev.claimstream.agent;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import java.time.Duration;
import java.util.List;

/**
 * The settings of an agent on a node, as they are written. {@link AgentSettings} checks them.
 *
 * @param node name of the node; empty: NODE_NAME of the environment, else the name of the host
 * @param sys root of sysfs
 * @param proc root of procfs
 * @param pciIds where pci.ids may be, with commas between
 * @param devices a file of further lines for the table of known devices; empty: none
 * @param exclude devices that are not offered
 * @param slices whether slices are published; false where the vendors' own drivers do that
 * @param taintEffect of the taints of devices that are ill
 * @param fatalXids NVIDIA's error codes by which a GPU is ill
 * @param recovery how long a device must be seen well before it is no longer ill
 * @param exporters addresses of exporters
 */
@ConfigurationProperties("claimstream.agent")
public record AgentConfig(
        @Bindable(defaultValue = "") String node,
        @Bindable(defaultValue = "/sys") String sys,
        @Bindable(defaultValue = "/proc") String proc,
        @Bindable(defaultValue = AgentSettings.PCI_IDS) List<String> pciIds,
        @Bindable(defaultValue = "") String devices,
        @Bindable(defaultValue = "") List<String> exclude,
        @Bindable(defaultValue = "true") boolean slices,
        @Bindable(defaultValue = "NoSchedule") String taintEffect,
        @Bindable(defaultValue = AgentSettings.FATAL_XIDS) List<String> fatalXids,
        @Bindable(defaultValue = "60s") Duration recovery,
        @Bindable(defaultValue = "10s") Duration scanEvery,
        @Bindable(defaultValue = "5s") Duration heartbeatEvery,
        @Bindable(defaultValue = "") List<String> exporters,
        @Bindable(defaultValue = "15s") Duration scrapeEvery,
        @Bindable(defaultValue = "5s") Duration scrapeTimeout,
        @Bindable(defaultValue = "8388608") long scrapeBytesMax) {}
