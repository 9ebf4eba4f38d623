package dev.claimstream.allocation.cell;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.sample.DeviceText;
import dev.claimstream.allocation.sample.Objects;
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
            Objects.node("plain", "zone=a", "pool=x"),
            tainted(Objects.node("tainted", "zone=b", "pool=x")),
            Objects.node("other-pool", "zone=c", "pool=y"),
            Objects.node("nowhere", "pool=x"));

    private static Node tainted(Node node) {
        return new Node(node.meta(), List.of(DeviceText.taint("busy:NoSchedule")), false, true);
    }

    private static SortedMap<String, String> domains(
            List<Toleration> tolerations, boolean heedsAffinity, boolean heedsTaints) {
        var pod = new Pod(
                ObjectMeta.of("default", "p", "uid-p"),
                Optional.empty(),
                one("pool", "x"),
                Optional.empty(),
                tolerations,
                0,
                List.of(),
                false);
        var constraint = new TopologySpreadConstraint("zone", 1, 1, Optional.empty(), heedsAffinity, heedsTaints);
        var asked =
                new SpreadDomains.DomainQuery(SpreadDomains.DomainQuery.of(pod).rules(), List.of(constraint));
        return SpreadDomains.of(asked, NODES).domainOfNode().getFirst();
    }

    @Test
    void aNodeWithoutTheLabelNeverCounts() {
        assertThat(domains(List.of(), false, false)).isEqualTo(Map.of("plain", "a", "tainted", "b", "other-pool", "c"));
    }

    /** A pod need not be spread to a domain that another constraint excludes. */
    @Test
    void aNodeHasToHaveTheLabelsOfAllConstraints() {
        var zone = new TopologySpreadConstraint("zone", 1, 1, Optional.empty(), false, false);
        var rack = new TopologySpreadConstraint("rack", 1, 1, Optional.empty(), false, false);
        var nodes = List.of(Objects.node("zone-only", "zone=a"), Objects.node("both", "zone=b", "rack=r"));
        var domains = SpreadDomains.of(new SpreadDomains.DomainQuery(NodeRules.none(), List.of(zone, rack)), nodes);
        assertThat(domains.domainOfNode()).containsExactly(one("both", "b"), one("both", "r"));
    }

    private static SortedMap<String, String> one(String key, String value) {
        var one = new TreeMap<String, String>();
        one.put(key, value);
        return one;
    }

    @Test
    void onlyNodesThatThePodSelectsCountWhereThatIsHonored() {
        assertThat(domains(List.of(), true, false)).isEqualTo(Map.of("plain", "a", "tainted", "b"));
    }

    @Test
    void onlyNodesWhoseTaintsThePodToleratesCountWhereThatIsHonored() {
        assertThat(domains(List.of(), false, true)).isEqualTo(Map.of("plain", "a", "other-pool", "c"));
        assertThat(domains(List.of(DeviceText.toleration("*")), false, true))
                .isEqualTo(Map.of("plain", "a", "tainted", "b", "other-pool", "c"));
    }

    @Test
    void aDomainInWhichNobodyStandsIsCountedAndANodeThatDoesNotCountIsNot() {
        var domains = new SpreadDomains(List.of(domains(List.of(), true, true)));
        assertThat(domains.podsPerDomain(0, Map.of("tainted", 3, "gone", 2))).isEqualTo(Map.of("a", 0));
        assertThat(domains.podsPerDomain(0, Map.of("plain", 2))).isEqualTo(Map.of("a", 2));
    }
}
