package dev.claimstream.allocation.cell;

import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodGroup;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** The pods and PodGroups by the claims that they reference, and the pods by PodGroup. */
final class PodIndex implements RowIndex {
    private final Map<ObjectKey, SortedSet<ObjectKey>> podsOfClaim = new LinkedHashMap<>();
    private final Map<ObjectKey, SortedSet<ObjectKey>> podsOfGroup = new LinkedHashMap<>();
    private final Map<ObjectKey, SortedSet<ObjectKey>> groupsOfClaim = new LinkedHashMap<>();

    @Override
    public void add(Row row) {
        if (row instanceof ObservedRow.ObjectRow object) {
            switch (object.content().orElse(null)) {
                case Pod pod -> {
                    pod.claims().forEach(key -> link(podsOfClaim, key, pod.key()));
                    groupOf(pod).ifPresent(group -> link(podsOfGroup, group, pod.key()));
                }
                case PodGroup group -> group.claims().forEach(key -> link(groupsOfClaim, key, group.key()));
                case null, default -> {}
            }
        }
    }

    @Override
    public void remove(Row row) {
        if (row instanceof ObservedRow.ObjectRow object) {
            switch (object.content().orElse(null)) {
                case Pod pod -> {
                    pod.claims().forEach(key -> unlink(podsOfClaim, key, pod.key()));
                    groupOf(pod).ifPresent(group -> unlink(podsOfGroup, group, pod.key()));
                }
                case PodGroup group -> group.claims().forEach(key -> unlink(groupsOfClaim, key, group.key()));
                case null, default -> {}
            }
        }
    }

    private static void link(Map<ObjectKey, SortedSet<ObjectKey>> index, ObjectKey key, ObjectKey user) {
        index.computeIfAbsent(key, each -> new TreeSet<>()).add(user);
    }

    private static void unlink(Map<ObjectKey, SortedSet<ObjectKey>> index, ObjectKey key, ObjectKey user) {
        SortedSet<ObjectKey> users = index.get(key);
        if (users != null && users.remove(user) && users.isEmpty()) {
            index.remove(key);
        }
    }

    private static Optional<ObjectKey> groupOf(Pod pod) {
        return pod.podGroup().map(name -> new ObjectKey(pod.meta().namespace(), name));
    }

    /** The pods that reference a claim. */
    SortedSet<ObjectKey> podsOf(ObjectKey claim) {
        return podsOfClaim.getOrDefault(claim, new TreeSet<>());
    }

    /** The PodGroups that reference a claim. */
    SortedSet<ObjectKey> groupsOf(ObjectKey claim) {
        return groupsOfClaim.getOrDefault(claim, new TreeSet<>());
    }

    SortedSet<ObjectKey> membersOf(ObjectKey group) {
        return podsOfGroup.getOrDefault(group, new TreeSet<>());
    }

    List<ObjectKey> groupMembers() {
        return podsOfGroup.values().stream().flatMap(Collection::stream).toList();
    }
}
