package dev.claimstream.console;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Taint;
import dev.claimstream.kubernetes.access.VisibleObjects;
import java.util.List;
import java.util.Optional;

/**
 * A device with its state and the claims that it is allocated to.
 *
 * @param device as its driver publishes it; empty if it is allocated and no slice contains it any more
 * @param scope nodes that can access the device
 * @param taints of the device, then of DeviceTaintRules
 * @param reason the device is not freely allocatable; empty if it is free, or allocated without fault and taint
 * @param remainder what other claims can still get of the device
 * @param claims claims with the device, ordered by key, without claims with admin access
 */
record DeviceView(
        DeviceId id,
        Optional<Device> device,
        NodeScope scope,
        List<Taint> taints,
        DeviceViewState state,
        String reason,
        PoolUsage.DeviceRemainder remainder,
        List<ObjectKey> claims,
        Optional<TelemetrySample> sample) {
    DeviceView {
        taints = List.copyOf(taints);
        claims = List.copyOf(claims);
    }

    enum DeviceViewState {
        FREE("free"),
        ALLOCATED("allocated"),
        /** Only requests that tolerate its taints can get the device. */
        TAINTED("tainted"),
        /** No request can get the device: its pool or node is unusable, or its counters are used by other devices. */
        UNUSABLE("unusable");

        private final String text;

        DeviceViewState(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** Returns a copy in which holders of namespaces that are not visible have no name. */
    DeviceView withHolders(VisibleObjects visible) {
        return claims.stream().allMatch(holder -> visible.sees(holder.namespace()))
                ? this
                : new DeviceView(
                        id,
                        device,
                        scope,
                        taints,
                        state,
                        reason,
                        remainder,
                        claims.stream()
                                .map(holder -> visible.sees(holder.namespace())
                                        ? holder
                                        : ObjectKey.cluster(VisibleObjects.ELSEWHERE))
                                .distinct()
                                .toList(),
                        sample);
    }

    /** Returns whether a visible claim has the device. */
    boolean isOf(VisibleObjects visible) {
        return claims.stream().anyMatch(holder -> !holder.namespace().isEmpty() && visible.sees(holder.namespace()));
    }

    /** Returns the nodes: a name, {@code *} for all nodes, or {@code (selector)}. */
    String nodes() {
        return switch (scope) {
            case NodeScope.SingleNode(String node) -> node;
            case NodeScope.AllNodes() -> "*";
            case NodeScope.MatchingNodes(var selector) -> selector.onlyNode().orElse("(selector)");
            case NodeScope.PerDevice(), NodeScope.UnknownScope() -> "";
        };
    }
}
