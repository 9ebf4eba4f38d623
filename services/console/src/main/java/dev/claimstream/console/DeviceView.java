package dev.claimstream.console;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.DeviceId;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Taint;
import java.util.List;
import java.util.Optional;

/**
 * A device as it stands.
 *
 * @param device as its driver publishes it; absent where it is held and no slice shows it any more
 * @param scope the nodes that reach it
 * @param taints its own, then those of rules
 * @param why it cannot be given to just anybody; empty where it is free or held
 * @param holders the claims that have it, by name; those with admin access hold nothing
 */
record DeviceView(
        DeviceId id,
        Optional<Device> device,
        NodeScope scope,
        List<Taint> taints,
        State state,
        String why,
        List<ObjectKey> holders,
        Optional<Sample> sample) {
    DeviceView {
        taints = List.copyOf(taints);
        holders = List.copyOf(holders);
    }

    /** How it stands, in a word. */
    enum State {
        FREE("free"),
        HELD("held"),
        /** Only to requests that tolerate it. */
        TAINTED("tainted"),
        /** To nobody: its pool or its node is not in order. */
        UNUSABLE("unusable");

        private final String text;

        State(String text) {
            this.text = text;
        }

        String text() {
            return text;
        }
    }

    /** The nodes in a few words. */
    String nodes() {
        return switch (scope) {
            case NodeScope.OnNode(String node) -> node;
            case NodeScope.AllNodes() -> "*";
            case NodeScope.Matching(var selector) -> selector.onlyNode().orElse("(selector)");
            case NodeScope.PerDevice(), NodeScope.Unset() -> "";
        };
    }
}
