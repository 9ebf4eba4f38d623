package dev.claimstream.kubernetes.miniature;

import dev.claimstream.dra.ClaimConsumer;
import dev.claimstream.dra.ClusterObject;
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
final class ClusterState {
    private final NavigableMap<ObjectId, StoredObject> objects = new TreeMap<>();
    private final Map<String, ObjectKey> podsByUid = new HashMap<>();
    private final Map<String, ObjectKey> groupsByUid = new HashMap<>();
    private final Map<ObjectKey, SortedSet<ObjectKey>> podsByGroup = new HashMap<>();
    private final Map<String, SortedSet<ObjectKey>> claimsByConsumer = new HashMap<>();
    private final Map<String, SortedSet<ObjectKey>> claimsByOwner = new HashMap<>();
    private final Map<ObjectKey, SortedSet<ObjectKey>> podsByTemplate = new HashMap<>();
    private final SortedSet<ObjectKey> claimsWithUnresolvedUids = new TreeSet<>();
    private final TreeSet<ObjectId> dirty = new TreeSet<>();
    private List<ObjectChange> changes = new ArrayList<>();
    private long version;

    /** Creates the state of durable objects; all of them are dirty. */
    static ClusterState of(Collection<StoredObject> persisted, long version) {
        ClusterState state = new ClusterState();
        state.version = version;
        persisted.forEach(stored -> {
            state.objects.put(stored.id(), stored);
            state.index(stored);
            state.dirty.add(stored.id());
        });
        return state;
    }

    long version() {
        return version;
    }

    /** Returns a version that no object has had. */
    long nextVersion() {
        return ++version;
    }

    Collection<StoredObject> all() {
        return Collections.unmodifiableCollection(objects.values());
    }

    Optional<StoredObject> find(ObjectId id) {
        return Optional.ofNullable(objects.get(id));
    }

    <T extends ClusterObject> Optional<T> find(Class<T> type, Kind kind, ObjectKey key) {
        return find(new ObjectId(kind, key)).map(StoredObject::object).map(type::cast);
    }

    /** Returns the pod of this uid if it has not finished. */
    Optional<Pod> findActivePod(String uid) {
        return Optional.ofNullable(podsByUid.get(uid)).flatMap(this::findActivePod);
    }

    /** Returns the pod of this name if it has not finished. */
    Optional<Pod> findActivePod(ObjectKey key) {
        return find(Pod.class, Kind.POD, key).filter(pod -> !pod.finished());
    }

    /** Returns the pod group of this name if it is not being deleted. */
    Optional<PodGroup> findGroup(ObjectKey key) {
        return find(PodGroup.class, Kind.POD_GROUP, key)
                .filter(group -> !group.meta().deleting());
    }

    /** Returns whether the uid belongs to an unfinished pod or to a pod group. */
    boolean isActive(String uid) {
        return findActivePod(uid).isPresent() || groupsByUid.containsKey(uid);
    }

    /** Returns the claims whose controller owner has this uid. */
    List<ResourceClaim> claimsOwnedBy(String uid) {
        return claimsByOwner.getOrDefault(uid, Collections.emptySortedSet()).stream()
                .flatMap(key -> find(ResourceClaim.class, Kind.RESOURCE_CLAIM, key).stream())
                .toList();
    }

    /** Returns the claims whose manifest contains uids that no object has. */
    List<ObjectKey> claimsWithUnresolvedUids() {
        return List.copyOf(claimsWithUnresolvedUids);
    }

    List<ObjectId> listIds(String namespace, Kind kind) {
        var first = new ObjectId(kind, new ObjectKey(namespace, ""));
        return objects.tailMap(first, true).keySet().stream()
                .takeWhile(id -> id.kind() == kind && id.key().namespace().equals(namespace))
                .toList();
    }

    // ---- changes

    /** Creates or replaces an object under a new version. */
    StoredObject put(ClusterObject object, SortedSet<String> outside) {
        StoredObject stored = new StoredObject(object, ++version, outside);
        StoredObject before = objects.put(stored.id(), stored);
        if (before != null) {
            unindex(before);
        }
        index(stored);
        changes.add(new ObjectChange(stored, false));
        enqueueDependents(stored);
        return stored;
    }

    void remove(ObjectId id) {
        StoredObject before = objects.remove(id);
        if (before == null) {
            throw new IllegalStateException("%s does not exist and cannot be removed".formatted(id));
        }
        unindex(before);
        changes.add(new ObjectChange(new StoredObject(before.object(), ++version, before.unresolvedUids()), true));
        dirty.remove(id);
        enqueueDependents(before);
    }

    int changeCount() {
        return changes.size();
    }

    /** Returns the changes since the last call. */
    List<ObjectChange> drainChanges() {
        List<ObjectChange> taken = changes;
        changes = new ArrayList<>();
        return taken;
    }

    /** Removes the next dirty object from the queue of the controller. */
    Optional<ObjectId> pollDirty() {
        return Optional.ofNullable(dirty.pollFirst());
    }

    private void enqueueDependents(StoredObject stored) {
        ObjectId id = stored.id();
        boolean exists = objects.containsKey(id);
        switch (stored.object()) {
            case Pod pod -> {
                enqueueClaims(claimsByConsumer.get(pod.meta().uid()));
                enqueueClaims(claimsByOwner.get(pod.meta().uid()));
                enqueueClaims(claimsWithUnresolvedUids.subSet(
                        new ObjectKey(id.key().namespace(), ""),
                        new ObjectKey(id.key().namespace() + "\0", "")));
                if (exists) {
                    dirty.add(id);
                }
            }
            case ResourceClaim claim -> {
                if (exists) {
                    dirty.add(id);
                }
                claim.meta()
                        .controller()
                        .map(owner -> podsByUid.get(owner.uid()))
                        .ifPresent(this::enqueuePod);
                claim.meta()
                        .controller()
                        .map(owner -> groupsByUid.get(owner.uid()))
                        .ifPresent(group -> dirty.add(new ObjectId(Kind.POD_GROUP, group)));
            }
            case PodGroup group -> {
                enqueueClaims(claimsByConsumer.get(group.meta().uid()));
                enqueueClaims(claimsByOwner.get(group.meta().uid()));
                podsByGroup.getOrDefault(id.key(), Collections.emptySortedSet()).forEach(this::enqueuePod);
                if (exists) {
                    dirty.add(id);
                }
            }
            case dev.claimstream.dra.ResourceClaimTemplate _ -> {
                podsByTemplate
                        .getOrDefault(id.key(), Collections.emptySortedSet())
                        .forEach(this::enqueuePod);
                groupsByUid.values().forEach(group -> dirty.add(new ObjectId(Kind.POD_GROUP, group)));
            }
            case dev.claimstream.dra.ResourceSlice _,
                    dev.claimstream.dra.DeviceClass _,
                    dev.claimstream.dra.DeviceTaintRule _,
                    dev.claimstream.dra.Node _,
                    dev.claimstream.dra.Namespace _ -> {}
        }
    }

    private void enqueueClaims(java.util.@org.jspecify.annotations.Nullable Set<ObjectKey> keys) {
        if (keys != null) {
            keys.forEach(key -> dirty.add(ObjectId.claim(key)));
        }
    }

    private void enqueuePod(ObjectKey key) {
        dirty.add(ObjectId.pod(key));
    }

    // ---- indexes

    private void index(StoredObject stored) {
        ObjectKey key = stored.id().key();
        switch (stored.object()) {
            case Pod pod -> {
                podsByUid.put(pod.meta().uid(), key);
                templates(pod).forEach(template -> addToIndex(podsByTemplate, template, key));
                groupOf(pod).ifPresent(group -> addToIndex(podsByGroup, group, key));
            }
            case PodGroup group -> groupsByUid.put(group.meta().uid(), key);
            case ResourceClaim claim -> {
                claim.reservedFor().forEach(consumer -> addToIndex(claimsByConsumer, consumer.uid(), key));
                claim.meta().controller().ifPresent(owner -> addToIndex(claimsByOwner, owner.uid(), key));
                if (!stored.unresolvedUids().isEmpty()) {
                    claimsWithUnresolvedUids.add(key);
                }
            }
            default -> {}
        }
    }

    private void unindex(StoredObject stored) {
        ObjectKey key = stored.id().key();
        switch (stored.object()) {
            case Pod pod -> {
                podsByUid.remove(pod.meta().uid());
                templates(pod).forEach(template -> removeFromIndex(podsByTemplate, template, key));
                groupOf(pod).ifPresent(group -> removeFromIndex(podsByGroup, group, key));
            }
            case PodGroup group -> groupsByUid.remove(group.meta().uid());
            case ResourceClaim claim -> {
                claim.reservedFor().stream()
                        .map(ClaimConsumer::uid)
                        .forEach(uid -> removeFromIndex(claimsByConsumer, uid, key));
                claim.meta().controller().map(Owner::uid).ifPresent(uid -> removeFromIndex(claimsByOwner, uid, key));
                claimsWithUnresolvedUids.remove(key);
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

    private static Optional<String> template(PodClaim.ClaimSource source) {
        return switch (source) {
            case PodClaim.ClaimSource.TemplateReference(String template) -> Optional.of(template);
            case PodClaim.ClaimSource.GeneratedClaim(String template, String _) -> Optional.of(template);
            case PodClaim.ClaimSource.ClaimReference _, PodClaim.ClaimSource.NoClaimNeeded _ -> Optional.empty();
        };
    }

    private static <K> void addToIndex(Map<K, SortedSet<ObjectKey>> index, K key, ObjectKey value) {
        index.computeIfAbsent(key, _ -> new TreeSet<>()).add(value);
    }

    private static <K> void removeFromIndex(Map<K, SortedSet<ObjectKey>> index, K key, ObjectKey value) {
        index.computeIfPresent(key, (_, values) -> {
            values.remove(value);
            return values.isEmpty() ? null : values;
        });
    }
}
