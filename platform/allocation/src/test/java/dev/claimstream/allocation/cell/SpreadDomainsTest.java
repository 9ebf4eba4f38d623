package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.DeviceText;
import dev.claimstream.allocation.sample.SampleObjects;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.Toleration;
import dev.claimstream.dra.TopologySpreadConstraint;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Tests which nodes are eligible for topology spread constraints. */
class SpreadDomainsTest {
    private static final List<Node> NODES = List.of(
            SampleObjects.node("plain", "zone=a", "pool=x"),
            withTaint(SampleObjects.node("tainted", "zone=b", "pool=x")),
            SampleObjects.node("other-pool", "zone=c", "pool=y"),
            SampleObjects.node("nowhere", "pool=x"));

    private static Node withTaint(Node node) {
        return new Node(node.meta(), List.of(DeviceText.taint("busy:NoSchedule")), false, true);
    }

    private static SortedMap<String, String> domains(
            List<Toleration> tolerations, boolean heedsAffinity, boolean heedsTaints) {
        var pod = Pod.builder(ObjectMeta.of("default", "p", "uid-p"))
                .nodeSelector(singletonMap("pool", "x"))
                .tolerations(tolerations)
                .build();
        var constraint = new TopologySpreadConstraint("zone", 1, 1, Optional.empty(), heedsAffinity, heedsTaints);
        var query =
                new SpreadDomains.DomainQuery(SpreadDomains.DomainQuery.of(pod).rules(), List.of(constraint));
        return SpreadDomains.of(query, NODES).domainOfNode().getFirst();
    }

    @Test
    void excludesNodesWithoutTopologyKey() {
        assertThat(domains(List.of(), false, false)).isEqualTo(Map.of("plain", "a", "tainted", "b", "other-pool", "c"));
    }

    /** A pod need not be spread to a domain that another constraint excludes. */
    @Test
    void requiresTopologyKeysOfAllConstraints() {
        var zone = new TopologySpreadConstraint("zone", 1, 1, Optional.empty(), false, false);
        var rack = new TopologySpreadConstraint("rack", 1, 1, Optional.empty(), false, false);
        var nodes = List.of(SampleObjects.node("zone-only", "zone=a"), SampleObjects.node("both", "zone=b", "rack=r"));
        var domains = SpreadDomains.of(new SpreadDomains.DomainQuery(NodeRules.none(), List.of(zone, rack)), nodes);
        assertThat(domains.domainOfNode()).containsExactly(singletonMap("both", "b"), singletonMap("both", "r"));
    }

    private static SortedMap<String, String> singletonMap(String key, String value) {
        var one = new TreeMap<String, String>();
        one.put(key, value);
        return one;
    }

    @Test
    void honorsNodeAffinityPolicy() {
        assertThat(domains(List.of(), true, false)).isEqualTo(Map.of("plain", "a", "tainted", "b"));
    }

    @Test
    void honorsNodeTaintsPolicy() {
        assertThat(domains(List.of(), false, true)).isEqualTo(Map.of("plain", "a", "other-pool", "c"));
        assertThat(domains(List.of(DeviceText.toleration("*")), false, true))
                .isEqualTo(Map.of("plain", "a", "tainted", "b", "other-pool", "c"));
    }

    @Test
    void countsEmptyDomainsButNoIneligibleNodes() {
        var domains = new SpreadDomains(List.of(domains(List.of(), true, true)));
        assertThat(domains.podsPerDomain(0, Map.of("tainted", 3, "gone", 2))).isEqualTo(Map.of("a", 0));
        assertThat(domains.podsPerDomain(0, Map.of("plain", 2))).isEqualTo(Map.of("a", 2));
    }
}
