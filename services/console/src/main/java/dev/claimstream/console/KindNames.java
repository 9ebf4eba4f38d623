package dev.claimstream.console;

import dev.claimstream.dra.Kind;
import java.util.Locale;
import java.util.Optional;

/** Maps the kind names of kubectl, with some short names, to kinds. */
public final class KindNames {
    private KindNames() {}

    /** Returns the kind of a name; empty if the name is unknown. */
    public static Optional<Kind> of(String name) {
        return Optional.ofNullable(
                switch (name.toLowerCase(Locale.ROOT).replaceFirst("\\..*", "")) {
                    case "claim", "claims", "resourceclaim", "resourceclaims" -> Kind.RESOURCE_CLAIM;
                    case "template", "templates", "resourceclaimtemplate", "resourceclaimtemplates" ->
                        Kind.RESOURCE_CLAIM_TEMPLATE;
                    case "slice", "slices", "resourceslice", "resourceslices" -> Kind.RESOURCE_SLICE;
                    case "class", "classes", "deviceclass", "deviceclasses" -> Kind.DEVICE_CLASS;
                    case "taintrule", "taintrules", "devicetaintrule", "devicetaintrules" -> Kind.DEVICE_TAINT_RULE;
                    case "no", "node", "nodes" -> Kind.NODE;
                    case "ns", "namespace", "namespaces" -> Kind.NAMESPACE;
                    case "po", "pod", "pods" -> Kind.POD;
                    case "podgroup", "podgroups" -> Kind.POD_GROUP;
                    default -> null;
                });
    }

    /** Returns the names that {@link #of} knows, for an error text. */
    public static String known() {
        return "claim, template, pod, podgroup, node, namespace, slice, class or taintrule";
    }

    /** Returns the lower-case name, as in {@code pod/web deleted}. */
    public static String singular(Kind kind) {
        return kind.apiName().toLowerCase(Locale.ROOT);
    }

    /** Returns whether objects of a kind have a namespace. */
    public static boolean isNamespaced(Kind kind) {
        return switch (kind) {
            case RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, POD, POD_GROUP -> true;
            case RESOURCE_SLICE, DEVICE_CLASS, DEVICE_TAINT_RULE, NODE, NAMESPACE -> false;
        };
    }
}
