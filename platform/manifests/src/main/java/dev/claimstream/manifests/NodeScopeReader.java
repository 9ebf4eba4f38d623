package dev.claimstream.manifests;

import dev.claimstream.dra.NodeScope;
import dev.claimstream.dra.NodeSelector;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads the node scope of a slice or device: exactly one of several fields. */
final class NodeScopeReader {
    private static final String SLICE_RULE =
            "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required";
    private static final String DEVICE_RULE =
            "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when"
                    + " `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    private static final String NOT_PER_DEVICE = "`nodeName`, `nodeSelector` and `allNodes` can only be set if"
            + " `perDeviceNodeSelection` is set to true in the ResourceSlice spec";
    private static final String ONE = "leave one";

    private NodeScopeReader() {}

    static NodeScope ofSlice(FieldMap spec) {
        List<String> set = new ArrayList<>(1);
        List<NodeScope> scopes = scopes(spec, set);
        spec.get("nodeSelector").fields().ifPresent(selector -> oneTerm(selector, scopes));
        if (value(spec.get("perDeviceNodeSelection"), spec.self().report().version())) {
            set.add("`perDeviceNodeSelection`");
            scopes.add(new NodeScope.PerDevice());
        }
        if (scopes.isEmpty()) {
            spec.self().required(SLICE_RULE);
        } else if (scopes.size() > 1) {
            spec.self().invalid(shown(set), SLICE_RULE + ", but multiple fields are set", ONE);
        }
        return scopes.isEmpty() ? new NodeScope.UnknownScope() : scopes.getFirst();
    }

    private static void oneTerm(FieldMap selector, List<NodeScope> scopes) {
        boolean one = scopes.stream()
                .allMatch(scope -> !(scope instanceof NodeScope.MatchingNodes(NodeSelector nodes))
                        || nodes.terms().size() == 1);
        if (!one) {
            selector.get("nodeSelectorTerms")
                    .invalid(
                            "",
                            "must have exactly one node selector term",
                            "put the requirements of a term together, or write two slices");
        }
    }

    static NodeScope ofDevice(FieldMap device, NodeScope slice) {
        List<String> set = new ArrayList<>(1);
        List<NodeScope> scopes = scopes(device, set);
        if (!(slice instanceof NodeScope.PerDevice)) {
            boolean any = device.has("nodeName") || device.has("nodeSelector") || device.has("allNodes");
            if (any && !(slice instanceof NodeScope.UnknownScope)) {
                device.self().invalid("", NOT_PER_DEVICE, "leave them out, or set perDeviceNodeSelection on the slice");
            }
            return new NodeScope.UnknownScope();
        }
        if (scopes.isEmpty()) {
            device.self().required(DEVICE_RULE);
        } else if (scopes.size() > 1) {
            device.self().invalid(shown(set), DEVICE_RULE, ONE);
        }
        return scopes.isEmpty() ? new NodeScope.UnknownScope() : scopes.getFirst();
    }

    private static List<NodeScope> scopes(FieldMap fields, List<String> set) {
        List<NodeScope> scopes = new ArrayList<>(1);
        node(fields.get("nodeName")).ifPresent(name -> {
            set.add("`nodeName`");
            scopes.add(new NodeScope.SingleNode(name));
        });
        NodeSelectorReader.of(fields.get("nodeSelector")).ifPresent(selector -> {
            set.add("`nodeSelector`");
            scopes.add(new NodeScope.MatchingNodes(selector));
        });
        if (value(fields.get("allNodes"), fields.self().report().version())) {
            set.add("`allNodes`");
            scopes.add(new NodeScope.AllNodes());
        }
        return scopes;
    }

    private static Optional<String> node(ManifestField field) {
        Optional<String> name = field.optionalText();
        if (name.isEmpty()) {
            return name;
        }
        if (name.get().isEmpty()) {
            if (!field.report().version().isFlat()) {
                field.invalid("", "must be either unset or set to a non-empty string", "leave it out");
            }
            return Optional.empty();
        }
        NameValidation.checkSubdomain(field, name.get(), NameValidation.SUBDOMAIN_MAX);
        return name;
    }

    /** Reads a flag that may only be true or unset; in v1beta1, {@code false} means unset. */
    private static boolean value(ManifestField field, ApiVersion version) {
        Optional<Boolean> flag = field.flag();
        if (flag.isPresent() && !flag.get() && !version.isFlat()) {
            field.invalid("false", "must be either unset or set to true", "leave it out");
        }
        return flag.orElse(false);
    }

    private static String shown(List<String> set) {
        return "{" + String.join(", ", set) + "}";
    }
}
