package dev.claimstream.allocation.inventory;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * The cached views of all nodes observed so far, with a log of the nodes that changed.
 *
 * <p>An update marks views as outdated, and {@link #refresh} rebuilds these before the next read. Views of deleted nodes stay.
 */
final class NodeViews {
    private final ReservedNodeResources reserved;
    private final Map<String, NodeDeviceView> byName = new LinkedHashMap<>();
    private final List<NodeDeviceView> byOrdinal = new ArrayList<>();
    private final SortedSet<String> outdated = new TreeSet<>();
    private final NodeChangeLog changes = new NodeChangeLog();
    private boolean areAllOutdated;

    /** @param reserved resources that a new view starts with; later changes come through {@link #updateReserved} */
    NodeViews(ReservedNodeResources reserved) {
        this.reserved = reserved;
    }

    // ---- updates

    void invalidate(String node) {
        outdated.add(node);
    }

    void invalidateAll() {
        areAllOutdated = true;
    }

    /**
     * Rebuilds the outdated views.
     *
     * @param nodes names of all nodes
     */
    void refresh(Set<String> nodes, Function<String, NodeDeviceView.Content> contentOf) {
        if (areAllOutdated) {
            outdated.addAll(nodes);
            areAllOutdated = false;
        }
        for (String name : outdated) {
            NodeDeviceView view = byName.computeIfAbsent(name, this::create);
            view.update(contentOf.apply(name));
            recordChange(view);
        }
        outdated.clear();
    }

    private NodeDeviceView create(String name) {
        var view = new NodeDeviceView(name, byOrdinal.size());
        view.setReserved(reserved.of(name));
        byOrdinal.add(view);
        return view;
    }

    /** Copies the reserved resources of a node to its view. */
    void updateReserved(String node) {
        NodeDeviceView view = byName.get(node);
        if (view != null) {
            view.setReserved(reserved.of(node));
            recordChange(view);
        }
    }

    /** Records that the usage of a device changed that only this node can access. */
    void recordUsageChange(String node) {
        NodeDeviceView view = byName.get(node);
        if (view != null) {
            recordChange(view);
        }
    }

    /** Records that the usage of a device changed that several nodes can access. */
    void recordSharedUsageChange() {
        byOrdinal.stream().filter(NodeDeviceView::reachesSharedDevices).forEach(this::recordChange);
    }

    private void recordChange(NodeDeviceView view) {
        changes.add(view.ordinal(), byOrdinal.size());
    }

    // ---- reads

    /** Returns the views by ordinal. */
    List<NodeDeviceView> all() {
        return Collections.unmodifiableList(byOrdinal);
    }

    Optional<NodeDeviceView> find(String node) {
        return Optional.ofNullable(byName.get(node));
    }

    long changesEnd() {
        return changes.end();
    }

    /** Visits the views that changed since an offset, and returns whether the log still contains the offset. */
    boolean visitChanges(long from, Consumer<NodeDeviceView> visitor) {
        if (!changes.covers(from)) {
            return false;
        }
        for (long offset = from; offset < changes.end(); offset++) {
            visitor.accept(byOrdinal.get(changes.at(offset)));
        }
        return true;
    }
}
