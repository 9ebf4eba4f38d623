package dev.claimstream.scenarios.validity;

import dev.claimstream.dra.Device;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.NodeSelector.Requirement;
import dev.claimstream.dra.ResourceSlice;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Evaluates which slices and devices reach a node. */
final class NodeScopeMatcher {
    private static final Pattern WHOLE = Pattern.compile("[-+]?[0-9]{1,18}");

    private final Node node;

    NodeScopeMatcher(Node node) {
        this.node = node;
    }

    String name() {
        return node.meta().name();
    }

    boolean declaresFeature(String feature) {
        return node.declaredFeatures().contains(feature);
    }

    boolean isReachedBy(ResourceSlice slice) {
        return slice.scope() instanceof NodeScope.PerDevice
                ? slice.devices().stream().anyMatch(device -> includesNode(device.scope()))
                : includesNode(slice.scope());
    }

    boolean isReachedBy(ResourceSlice slice, Device device) {
        return !(slice.scope() instanceof NodeScope.PerDevice) || includesNode(device.scope());
    }

    private boolean includesNode(NodeScope scope) {
        return switch (scope) {
            case NodeScope.SingleNode one -> one.node().equals(name());
            case NodeScope.AllNodes _ -> true;
            case NodeScope.MatchingNodes some ->
                some.selector().terms().stream().anyMatch(this::matches);
            case NodeScope.PerDevice _, NodeScope.UnknownScope _ -> false;
        };
    }

    private boolean matches(NodeSelector.Term term) {
        boolean isEmpty =
                term.matchExpressions().isEmpty() && term.matchFields().isEmpty();
        return !isEmpty
                && term.matchFields().stream()
                        .allMatch(each -> each.key().equals("metadata.name") && matches(each, Optional.of(name())))
                && term.matchExpressions().stream().allMatch(each -> matches(each, label(each.key())));
    }

    private Optional<String> label(String key) {
        return Optional.ofNullable(node.meta().labels().get(key));
    }

    private static boolean matches(Requirement requirement, Optional<String> label) {
        return switch (requirement.operator()) {
            case "In" -> label.filter(requirement.values()::contains).isPresent();
            case "NotIn" -> label.filter(requirement.values()::contains).isEmpty();
            case "Exists" -> label.isPresent();
            case "DoesNotExist" -> label.isEmpty();
            case "Gt" -> compareNumbers(label, requirement.values()) > 0;
            case "Lt" -> compareNumbers(label, requirement.values()) < 0;
            default -> false;
        };
    }

    /** Returns 0 if one of the two is not a number. */
    private static int compareNumbers(Optional<String> label, List<String> values) {
        return label.filter(text -> WHOLE.matcher(text).matches()
                        && WHOLE.matcher(values.getFirst()).matches())
                .map(text -> Long.compare(Long.parseLong(text), Long.parseLong(values.getFirst())))
                .orElse(0);
    }
}
