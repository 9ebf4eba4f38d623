package dev.claimstream.console;

import dev.claimstream.dra.Kind;
import java.util.Locale;
import java.util.Optional;

/** Kinds by the names that kubectl takes, and a few short ones. */
public final class KindNames {
    private KindNames() {}

    /** The kind that a user means. */
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

    /** What {@link #of} takes, for an error. */
    public static String known() {
        return "claim, template, pod, podgroup, node, namespace, slice, class or taintrule";
    }

    /** The name in lines such as {@code pod/web deleted}. */
    public static String singular(Kind kind) {
        return kind.apiName().toLowerCase(Locale.ROOT);
    }

    /** Whether objects of a kind stand in a namespace. */
    public static boolean isNamespaced(Kind kind) {
        return switch (kind) {
            case RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, POD, POD_GROUP -> true;
            case RESOURCE_SLICE, DEVICE_CLASS, DEVICE_TAINT_RULE, NODE, NAMESPACE -> false;
        };
    }
}
