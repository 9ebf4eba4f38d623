package dev.claimstream.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.kubernetes.PodGates.GatedPod;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The node to which a pod is pinned, for each policy. */
final class PinPolicyTest {
    private static GatedPod pod(boolean mayPreempt) {
        var meta = ObjectMeta.of("team", "p", "u");
        var pod = Pod.builder(meta).priority(mayPreempt ? 1 : 0).build();
        return new GatedPod(pod, 1, true);
    }

    private static Allocation allocationOn(Optional<NodeSelector> nodes) {
        return new Allocation(List.of(), List.of(), nodes, Optional.empty());
    }

    @ParameterizedTest
    @CsvSource({
        "auto,   true,  node-1", "auto,   false, ''",
        "always, true,  node-1", "always, false, node-1",
        "never,  true,  ''", "never,  false, ''"
    })
    void pinsPodByPolicyAndPreemption(String setting, boolean mayPreempt, String node) {
        assertThat(PinPolicy.parse(setting)
                        .node(pod(mayPreempt), allocationOn(Optional.of(NodeSelector.ofNode("node-1")))))
                .isEqualTo(Optional.of(node).filter(name -> !name.isEmpty()));
    }

    @Test
    void doesNotPinDevicesReachableFromSeveralNodes() {
        var zone = new NodeSelector(List.of(
                new NodeSelector.Term(List.of(new NodeSelector.Requirement("zone", "In", List.of("a"))), List.of())));
        assertThat(PinPolicy.ALWAYS.node(pod(true), allocationOn(Optional.of(zone))))
                .isEmpty();
        assertThat(PinPolicy.ALWAYS.node(pod(true), allocationOn(Optional.empty())))
                .isEmpty();
    }

    @Test
    void rejectsUnknownPolicyByName() {
        assertThatThrownBy(() -> PinPolicy.parse("maybe"))
                .hasMessage("claimstream.writer.pin is 'maybe': use auto, always or never");
    }
}
