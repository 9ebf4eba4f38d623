package dev.claimstream.allocation.solver;

import dev.claimstream.allocation.inventory.NodeView;
import dev.claimstream.allocation.inventory.Slot;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Counts, over the whole inventory, the candidates of every option after each filter step; only explanations use it.
 * Nodes of one equivalence class are counted together.
 */
final class Funnels {
    private final Question question;
    private final List<Asked> claims;
    private final ShapeIndex index;
    private final WorkMeter meter;

    Funnels(Question question, List<Asked> claims, ShapeIndex index, WorkMeter meter) {
        this.question = question;
        this.claims = claims;
        this.index = index;
        this.meter = meter;
    }

    List<Funnel> all() {
        return question.wants().stream().map(this::of).toList();
    }

    private Funnel of(Want want) {
        List<Funnel.Stage> stages = new ArrayList<>();
        long[] passed = passed(want);
        int ofClass = want.deviceClass().selectors().size();
        stages.add(new Funnel.Stage(Funnel.Step.Known, "", passed[0]));
        stages.add(
                new Funnel.Stage(Funnel.Step.OfClass, want.deviceClass().meta().name(), passed[ofClass]));
        int filters = want.filters().size();
        for (int i = ofClass + 1; i <= filters; i++) {
            stages.add(new Funnel.Stage(Funnel.Step.PassesSelector, Integer.toString(i - ofClass), passed[i]));
        }
        if (!want.spec().capacity().isEmpty()) {
            stages.add(new Funnel.Stage(Funnel.Step.HasCapacity, CapacityLimits.amounts(want), passed[filters + 1]));
        }
        addOnNodes(want, stages);
        return new Funnel(
                claims.get(want.claim()).claim(),
                want.resultName(),
                want.deviceClass().meta().name(),
                want.all() ? 0 : want.spec().count(),
                stages);
    }

    /**
     * Returns how many devices of the newest generations pass the first selectors; the last element also requires the
     * capacities.
     */
    long[] passed(Want want) {
        index.chargeCount(meter);
        return index.passed(want);
    }

    private void addOnNodes(Want want, List<Funnel.Stage> stages) {
        var tally = new Tally(want);
        index.classes().forEach(tally::add);
        stages.add(new Funnel.Stage(Funnel.Step.OnAllowedNode, "", tally.onNodes));
        stages.add(new Funnel.Stage(Funnel.Step.Tolerated, "", tally.tolerated));
        stages.add(new Funnel.Stage(Funnel.Step.Free, "", tally.free));
        stages.add(new Funnel.Stage(Funnel.Step.OnOneNode, tally.where, tally.most));
        for (Bond bond : question.bonds()) {
            if (bond.binds(want.column()) && !bond.distinct()) {
                stages.add(new Funnel.Stage(Funnel.Step.SatisfiesConstraint, detail(bond, want), tally.partnered));
            }
        }
    }

    private String detail(Bond bond, Want want) {
        List<String> others = question.wants().stream()
                .filter(other -> bond.binds(other.column()) && !other.request().equals(want.request()))
                .map(Want::request)
                .distinct()
                .toList();
        return "the same " + Because.plain(question.attributes().get(bond.attribute()))
                + (others.isEmpty() ? "" : " as " + String.join(" and ", others));
    }

    /** Counts of one option over nodes; a device that several nodes reach counts once. */
    private final class Tally {
        private final Want want;
        private final Set<Object> seen = new LinkedHashSet<>();
        private long onNodes;
        private long tolerated;
        private long free;
        private long partnered;
        private long most;
        private String where = "";

        Tally(Want want) {
            this.want = want;
        }

        void add(NodeClass nodeClass) {
            boolean[] partners = Partners.of(question, nodeClass, want);
            if (nodeClass.nodes.stream().anyMatch(NodeView::seesShared)) {
                nodeClass.nodes.forEach(node -> add(nodeClass, node, partners, 1));
            } else {
                add(nodeClass, nodeClass.nodes.first(), partners, nodeClass.nodes.size());
            }
        }

        /** @param alike number of nodes with the same counts, this node included */
        private void add(NodeClass nodeClass, NodeView node, boolean[] partners, int alike) {
            long here = 0;
            for (int i = 0; i < nodeClass.layout.size; i++) {
                Verdict verdict = nodeClass.layout.verdict(i, want.column());
                if (verdict == Verdict.NO) {
                    continue;
                }
                boolean fits = verdict == Verdict.YES && nodeClass.state.has(nodeClass.layout, want, i);
                here += fits ? 1 : 0;
                Slot slot = node.slots().get(nodeClass.layout.positions[i]);
                if (!slot.shared() || seen.add(slot.holding())) {
                    onNodes += alike;
                    tolerated += verdict == Verdict.YES ? alike : 0;
                    free += fits ? alike : 0;
                    partnered += fits && partners[i] ? alike : 0;
                }
            }
            if (here > most || (here == most && node.name().compareTo(where) < 0)) {
                most = here;
                where = node.name();
            }
        }
    }
}
