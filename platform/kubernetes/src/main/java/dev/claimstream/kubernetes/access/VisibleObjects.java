package dev.claimstream.kubernetes.access;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a caller may see.
 *
 * @param isEverything whether all namespaces are visible
 * @param namespaces the visible ones of the known namespaces, unless all are visible
 * @param hasDevices whether all devices and pools are visible; otherwise those that a visible claim holds
 * @param hasNodes whether all nodes are visible; otherwise those of visible claims
 */
public record VisibleObjects(boolean isEverything, Set<String> namespaces, boolean hasDevices, boolean hasNodes) {
    /** Every object of the cluster, as for an administrator. */
    public static final VisibleObjects EVERYTHING = new VisibleObjects(true, Set.of(), true, true);

    /** Stands for a name of a namespace that is not visible. */
    public static final String ELSEWHERE = "another namespace";

    public VisibleObjects {
        namespaces = Set.copyOf(namespaces);
    }

    /** Returns whether objects of a namespace are visible. Objects without a namespace are not asked for here. */
    public boolean sees(String namespace) {
        return isEverything || namespaces.contains(namespace);
    }

    /** Returns whether neither a namespace nor a device or node is hidden. */
    public boolean isUnlimited() {
        return isEverything && hasDevices && hasNodes;
    }

    /** Returns a redaction of the names of those known namespaces that are not visible. */
    public NameRedaction redaction(Collection<String> known) {
        if (isEverything) {
            return NameRedaction.NONE;
        }
        Set<String> hidden = new TreeSet<>(known);
        hidden.removeAll(namespaces);
        return new NameRedaction(hidden);
    }
}
