package dev.claimstream.lint;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector.Requirement;
import dev.claimstream.dra.NodeSelector.Term;
import dev.claimstream.dra.Quantity;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.Manifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds values in a single slice that an API server accepts and kube-scheduler cannot handle. */
final class SliceRules {
    private static final Set<String> COMPARISONS = Set.of("Gt", "Lt");

    private final Manifest manifest;
    private final ResourceSlice slice;
    private final List<LintFinding> found = new ArrayList<>();

    private SliceRules(Manifest manifest, ResourceSlice slice) {
        this.manifest = manifest;
        this.slice = slice;
    }

    static List<LintFinding> findings(List<Manifest> manifests) {
        List<LintFinding> found = new ArrayList<>();
        for (Manifest manifest : manifests) {
            if (manifest.object() instanceof ResourceSlice slice) {
                found.addAll(new SliceRules(manifest, slice).findings());
            }
        }
        return found;
    }

    private List<LintFinding> findings() {
        selector("spec", slice.scope());
        for (int i = 0; i < slice.sharedCounters().size(); i++) {
            String set = "spec.sharedCounters[%d]".formatted(i);
            slice.sharedCounters().get(i).counters().forEach((name, value) -> amount(set + ".counters." + name, value));
        }
        for (int i = 0; i < slice.devices().size(); i++) {
            device("spec.devices[%d]".formatted(i), slice.devices().get(i));
        }
        return found;
    }

    private void device(String path, Device device) {
        selector(path, device.scope());
        device.capacity().forEach((name, capacity) -> amount(path + ".capacity." + name, capacity.value()));
        for (int i = 0; i < device.consumesCounters().size(); i++) {
            String consumption = path + ".consumesCounters[%d]".formatted(i);
            device.consumesCounters()
                    .get(i)
                    .counters()
                    .forEach((name, value) -> amount(consumption + ".counters." + name, value));
        }
    }

    private void amount(String path, Quantity value) {
        if (value.signum() < 0) {
            found.add(new LintFinding(
                    LintRule.NEGATIVE_AMOUNT,
                    manifest.error(
                            path,
                            value.toString(),
                            "is negative: a claim on the device fails, or gets capacity that does not exist",
                            "write the real amount, or leave it out")));
        }
    }

    private void selector(String path, NodeScope scope) {
        if (!(scope instanceof NodeScope.MatchingNodes(var selector))) {
            return;
        }
        for (int i = 0; i < selector.terms().size(); i++) {
            Term term = selector.terms().get(i);
            for (int j = 0; j < term.matchExpressions().size(); j++) {
                String field =
                        "%s.nodeSelector.nodeSelectorTerms[%d].matchExpressions[%d].values".formatted(path, i, j);
                comparison(field, term.matchExpressions().get(j));
            }
        }
    }

    private void comparison(String path, Requirement requirement) {
        if (COMPARISONS.contains(requirement.operator())
                && !requirement.values().stream().allMatch(SliceRules::isNumber)) {
            found.add(new LintFinding(
                    LintRule.NODE_COMPARISON,
                    manifest.error(
                            path,
                            String.join(",", requirement.values()),
                            "is not a number: kube-scheduler cannot read the selector, and allocates no claim",
                            "write a whole number, or compare with In")));
        }
    }

    private static boolean isNumber(String text) {
        try {
            var unused = Long.parseLong(text);
            return true;
        } catch (NumberFormatException e) {
            return false;
        }
    }
}
