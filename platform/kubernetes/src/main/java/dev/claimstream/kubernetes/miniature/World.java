package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The objects of the cluster while one thread changes them, with indexes and the queue of the controller.
 *
 * <p>It numbers every change and marks the objects that the controller has to reconcile after it. A change takes effect when it is durable.
 */
final class World {
    private final NavigableMap<ObjectId, Stored> objects = new TreeMap<>();
    private final Map<String, ObjectKey> pods = new HashMap<>();
    private final Map<String, ObjectKey> groups = new HashMap<>();
    private final Map<ObjectKey, SortedSet<ObjectKey>> members = new HashMap<>();
    private final Map<String, SortedSet<ObjectKey>> reserved = new HashMap<>();
    private final Map<String, SortedSet<ObjectKey>> owned = new HashMap<>();
    private final Map<ObjectKey, SortedSet<ObjectKey>> awaiting = new HashMap<>();
    private final SortedSet<ObjectKey> fromOutside = new TreeSet<>();
    private final TreeSet<ObjectId> unsettled = new TreeSet<>();
    private List<Event> changes = new ArrayList<>();
    private long version;

    /** Creates the state of durable objects; all of them are dirty. */
    static World of(Collection<Stored> kept, long version) {
        World world = new World();
        world.version = version;
        kept.forEach(stored -> {
            world.objects.put(stored.id(), stored);
            world.index(stored);
            world.unsettled.add(stored.id());
        });
        return world;
    }

    long version() {
        return version;
    }

    /** Returns a version that no object has had. */
    long nextVersion() {
        return ++version;
    }

    Collection<Stored> all() {
        return Collections.unmodifiableCollection(objects.values());
    }

    Optional<Stored> find(ObjectId id) {
        return Optional.ofNullable(objects.get(id));
    }

    <T extends ClusterObject> Optional<T> find(Class<T> type, Kind kind, ObjectKey key) {
        return find(new ObjectId(kind, key)).map(Stored::object).map(type::cast);
    }

    /** Returns the pod of this uid if it has not finished. */
    Optional<Pod> running(String uid) {
        return Optional.ofNullable(pods.get(uid)).flatMap(this::running);
    }

    /** Returns the pod of this name if it has not finished. */
    Optional<Pod> running(ObjectKey key) {
        return find(Pod.class, Kind.POD, key).filter(pod -> !pod.finished());
    }

    /** Returns the pod group of this name if it is not being deleted. */
    Optional<PodGroup> group(ObjectKey key) {
        return find(PodGroup.class, Kind.POD_GROUP, key)
                .filter(group -> !group.meta().deleting());
    }

    /** Returns whether the uid belongs to an unfinished pod or to a pod group. */
    boolean isThere(String uid) {
        return running(uid).isPresent() || groups.containsKey(uid);
    }

    /** Returns the claims whose controller owner has this uid. */
    List<ResourceClaim> ownedBy(String uid) {
        return owned.getOrDefault(uid, Collections.emptySortedSet()).stream()
                .flatMap(key -> find(ResourceClaim.class, Kind.RESOURCE_CLAIM, key).stream())
                .toList();
    }

    /** Returns the claims whose manifest contains uids that no object has. */
    List<ObjectKey> fromOutside() {
        return List.copyOf(fromOutside);
    }

    /** Returns the ids of all objects of a kind in a namespace. */
    List<ObjectId> in(String namespace, Kind kind) {
        var first = new ObjectId(kind, new ObjectKey(namespace, ""));
        return objects.tailMap(first, true).keySet().stream()
                .takeWhile(id -> id.kind() == kind && id.key().namespace().equals(namespace))
                .toList();
    }

    // ---- changes

    /** Creates or replaces an object under a new version. */
    Stored put(ClusterObject object, SortedSet<String> outside) {
        Stored stored = new Stored(object, ++version, outside);
        Stored before = objects.put(stored.id(), stored);
        if (before != null) {
            forget(before);
        }
        index(stored);
        changes.add(new Event(stored, false));
        concerns(stored);
        return stored;
    }

    /** Removes an object. */
    void remove(ObjectId id) {
        Stored before = objects.remove(id);
        if (before == null) {
            throw new IllegalStateException("%s is not there to be removed".formatted(id));
        }
        forget(before);
        changes.add(new Event(new Stored(before.object(), ++version, before.outside()), true));
        unsettled.remove(id);
        concerns(before);
    }

    int changed() {
        return changes.size();
    }

    /** Returns the changes since the last call. */
    List<Event> takeChanges() {
        List<Event> taken = changes;
        changes = new ArrayList<>();
        return taken;
    }

    /** Removes the next dirty object from the queue of the controller. */
    Optional<ObjectId> nextUnsettled() {
        return Optional.ofNullable(unsettled.pollFirst());
    }

    private void concerns(Stored stored) {
        ObjectId id = stored.id();
        boolean stands = objects.containsKey(id);
        switch (stored.object()) {
            case Pod pod -> {
                claims(reserved.get(pod.meta().uid()));
                claims(owned.get(pod.meta().uid()));
                claims(fromOutside.subSet(
                        new ObjectKey(id.key().namespace(), ""),
                        new ObjectKey(id.key().namespace() + "\0", "")));
                if (stands) {
                    unsettled.add(id);
                }
            }
            case ResourceClaim claim -> {
                if (stands) {
                    unsettled.add(id);
                }
                claim.meta().controller().map(owner -> pods.get(owner.uid())).ifPresent(this::pod);
                claim.meta()
                        .controller()
                        .map(owner -> groups.get(owner.uid()))
                        .ifPresent(group -> unsettled.add(new ObjectId(Kind.POD_GROUP, group)));
            }
            case PodGroup group -> {
                claims(reserved.get(group.meta().uid()));
                claims(owned.get(group.meta().uid()));
                members.getOrDefault(id.key(), Collections.emptySortedSet()).forEach(this::pod);
                if (stands) {
                    unsettled.add(id);
                }
            }
            case dev.claimstream.dra.ResourceClaimTemplate _ -> {
                awaiting.getOrDefault(id.key(), Collections.emptySortedSet()).forEach(this::pod);
                groups.values().forEach(group -> unsettled.add(new ObjectId(Kind.POD_GROUP, group)));
            }
            case dev.claimstream.dra.ResourceSlice _,
                    dev.claimstream.dra.DeviceClass _,
                    dev.claimstream.dra.DeviceTaintRule _,
                    dev.claimstream.dra.Node _,
                    dev.claimstream.dra.Namespace _ -> {}
        }
    }

    private void claims(java.util.@org.jspecify.annotations.Nullable Set<ObjectKey> keys) {
        if (keys != null) {
            keys.forEach(key -> unsettled.add(ObjectId.claim(key)));
        }
    }

    private void pod(ObjectKey key) {
        unsettled.add(ObjectId.pod(key));
    }

    // ---- indexes

    private void index(Stored stored) {
        ObjectKey key = stored.id().key();
        switch (stored.object()) {
            case Pod pod -> {
                pods.put(pod.meta().uid(), key);
                templates(pod).forEach(template -> add(awaiting, template, key));
                groupOf(pod).ifPresent(group -> add(members, group, key));
            }
            case PodGroup group -> groups.put(group.meta().uid(), key);
            case ResourceClaim claim -> {
                claim.reservedFor().forEach(consumer -> add(reserved, consumer.uid(), key));
                claim.meta().controller().ifPresent(owner -> add(owned, owner.uid(), key));
                if (!stored.outside().isEmpty()) {
                    fromOutside.add(key);
                }
            }
            default -> {}
        }
    }

    private void forget(Stored stored) {
        ObjectKey key = stored.id().key();
        switch (stored.object()) {
            case Pod pod -> {
                pods.remove(pod.meta().uid());
                templates(pod).forEach(template -> drop(awaiting, template, key));
                groupOf(pod).ifPresent(group -> drop(members, group, key));
            }
            case PodGroup group -> groups.remove(group.meta().uid());
            case ResourceClaim claim -> {
                claim.reservedFor().stream().map(Consumer::uid).forEach(uid -> drop(reserved, uid, key));
                claim.meta().controller().map(Owner::uid).ifPresent(uid -> drop(owned, uid, key));
                fromOutside.remove(key);
            }
            default -> {}
        }
    }

    private static Optional<ObjectKey> groupOf(Pod pod) {
        return pod.podGroup().map(name -> new ObjectKey(pod.meta().namespace(), name));
    }

    /** Returns the templates of which the pod gets claims. */
    private static List<ObjectKey> templates(Pod pod) {
        return pod.resourceClaims().stream()
                .flatMap(claim -> template(claim.source()).stream())
                .map(name -> new ObjectKey(pod.meta().namespace(), name))
                .toList();
    }

    private static Optional<String> template(PodClaim.Source source) {
        return switch (source) {
            case PodClaim.Source.FromTemplate(String template) -> Optional.of(template);
            case PodClaim.Source.Made(String template, String _) -> Optional.of(template);
            case PodClaim.Source.Named _, PodClaim.Source.NotNeeded _ -> Optional.empty();
        };
    }

    private static <K> void add(Map<K, SortedSet<ObjectKey>> index, K key, ObjectKey value) {
        index.computeIfAbsent(key, _ -> new TreeSet<>()).add(value);
    }

    private static <K> void drop(Map<K, SortedSet<ObjectKey>> index, K key, ObjectKey value) {
        index.computeIfPresent(key, (_, values) -> {
            values.remove(value);
            return values.isEmpty() ? null : values;
        });
    }
}
