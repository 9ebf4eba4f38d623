package dev.claimstream.agent;

import io.micronaut.context.annotation.ConfigurationProperties;
import io.micronaut.core.bind.annotation.Bindable;
import java.time.Duration;
import java.util.List;

/**
 * Unchecked settings of a node agent, with the prefix {@code claimstream.agent}. {@link AgentSettings} validates them.
 *
 * @param node name of the node; if empty: NODE_NAME of the environment, else the host name
 * @param sys root of sysfs
 * @param proc root of procfs
 * @param pciIds possible paths of pci.ids, separated by commas
 * @param devices file with additional rows for the device table; empty: none
 * @param exclude patterns of devices that are not published
 * @param slices whether ResourceSlices are published; false if the vendors' DRA drivers publish them
 * @param taintEffect effect of the taints of unhealthy devices
 * @param fatalXids NVIDIA XID error codes that make a GPU unhealthy
 * @param recovery time of healthy readings after which a taint ends
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
