package dev.claimstream.allocation.cell;

import dev.claimstream.allocation.solver.Accounting;
import dev.claimstream.allocation.solver.Asked;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.PodDemand;
import dev.claimstream.allocation.solver.Reason;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.Consumer;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.ExtendedResources;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.NodeSelector;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceList;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** What has to be decided for an item, put together from rows, or what is missing before that. */
sealed interface Assembly {
    /** The claims of the item, as far as they are known. */
    List<ObjectKey> claims();

    /**
     * It can be planned.
     *
     * @param asked claims without an allocation
     * @param fixed claims that have one, ours or a foreign one
     * @param consumers who is to use a claim: the pod, or its group; nobody where there is no pod
     * @param accounting for what devices take of their node beside themselves
     */
    record Ready(
            List<ObjectKey> claims,
            List<Asked> asked,
            List<ResourceClaim> fixed,
            NodeRules rules,
            SortedMap<ObjectKey, Consumer> consumers,
            Optional<Accounting> accounting)
            implements Assembly {
        ItemShape shape() {
            return new ItemShape(asked.stream().map(Asked::spec).toList(), rules, accounting);
        }

        /** Whether every claim is allocated, and the pod among those who may use it. */
        boolean hasEverything(State state) {
            return asked.isEmpty() && fixed.stream().allMatch(claim -> isReserved(state, claim));
        }

        /** Whether whoever is to use a claim may do so. */
        boolean isReserved(State state, ResourceClaim claim) {
            Optional<Consumer> consumer = consumer(claim.key());
            return consumer.isEmpty() || isConsumer(state, claim, consumer.get());
        }

        /** Whether other schedulers have allocated every claim: they find the node of the pod, and deallocate what keeps it from one. */
        boolean isForOthers(State state) {
            return asked.isEmpty()
                    && !fixed.isEmpty()
                    && fixed.stream().allMatch(claim -> Ours.isForOthers(state, claim));
        }

        Optional<Consumer> consumer(ObjectKey claim) {
            return Optional.ofNullable(consumers.get(claim));
        }
    }

    /** Something is missing. */
    record Unready(List<ObjectKey> claims, Plan.Diagnosis diagnosis) implements Assembly {}

    /** Puts an item together; the item's pod or claim must stand. */
    static Assembly of(State state, ItemId item) {
        return of(state, item, claim -> allocation(state, claim).isPresent());
    }

    /**
     * Puts an item together; the item's pod or claim must stand.
     *
     * @param isGiven whether a claim has been given something: elsewhere, too, where there are several cells
     */
    static Assembly of(State state, ItemId item, Predicate<ResourceClaim> isGiven) {
        return switch (item.sort()) {
            case CLAIM -> ofClaim(state, item.key(), isGiven);
            case POD -> ofPod(state, state.pod(item.key()).orElseThrow(), isGiven);
        };
    }

    /** A claim that no pod uses: where its source says so, it waits for one. */
    private static Assembly ofClaim(State state, ObjectKey key, Predicate<ResourceClaim> isGiven) {
        Assembly assembly = ofClaims(state, List.of(key), NodeRules.none(), new TreeMap<>(), isGiven);
        return assembly instanceof Ready && Consumers.isAwaited(state, key)
                ? state.claim(key)
                        .filter(claim -> !isGiven.test(claim))
                        .<Assembly>map(
                                claim -> unready(List.of(key), Reason.NoConsumer, Consumers.whyNone(state, claim)))
                        .orElse(assembly)
                : assembly;
    }

    private static Assembly ofPod(State state, Pod pod, Predicate<ResourceClaim> isGiven) {
        List<ObjectKey> claims = pod.claims();
        for (PodClaim each : pod.resourceClaims()) {
            if (each.source() instanceof PodClaim.Source.FromTemplate from) {
                var template = new ObjectKey(pod.meta().namespace(), from.template());
                return state.template(template).isEmpty()
                        ? unready(
                                claims, Reason.TemplateMissing, "claim template %s does not exist".formatted(template))
                        : unready(
                                claims,
                                Reason.ClaimNotMade,
                                "the claim for pod claim %s is not made yet".formatted(each.name()));
            }
        }
        Optional<String> groupName =
                pod.podGroup().filter(name -> state.settings().features().has(Feature.WORKLOAD_RESOURCE_CLAIMS));
        Optional<PodGroup> group = groupName.flatMap(
                name -> state.podGroup(new ObjectKey(pod.meta().namespace(), name)));
        Optional<ObjectKey> missing = pod.podGroup()
                .map(name -> new ObjectKey(pod.meta().namespace(), name))
                .filter(key -> state.podGroup(key).isEmpty());
        if (missing.isPresent()) {
            return unready(claims, Reason.PodGroupMissing, "pod group %s does not exist".formatted(missing.get()));
        }
        for (PodClaim each : pod.resourceClaims()) {
            Optional<String> foreign = foreign(state, pod, each, groupName);
            if (foreign.isPresent()) {
                return unready(claims, Reason.ClaimNotMade, foreign.get());
            }
        }
        var rules = NodeRules.of(pod, pod.nodeName().isPresent() ? ResourceList.none() : requests(state, pod));
        var accounts = new Accounts(state);
        Assembly assembly = ofClaims(state, claims, rules, consumers(pod, group), isGiven);
        if (assembly instanceof Ready ready && pod.nodeName().isEmpty() && ready.isForOthers(state)) {
            return leftToOthers(claims, ready.fixed.getFirst().key());
        }
        return assembly instanceof Ready ready
                        && pod.nodeName().isEmpty()
                        && accounts.areKept()
                        && !ready.hasEverything(state)
                ? accounts.heededIn(ready, pod)
                : assembly;
    }

    /** That a claim was made for somebody else. */
    private static Optional<String> foreign(State state, Pod pod, PodClaim entry, Optional<String> group) {
        return pod.claim(entry)
                .flatMap(state::claim)
                .filter(claim -> !pod.mayUse(entry, claim, group))
                .map(claim -> "claim %s was not made for pod %s: %s"
                        .formatted(
                                claim.key(),
                                pod.key(),
                                claim.meta()
                                        .controller()
                                        .map(owner -> "it belongs to %s %s".formatted(owner.kind(), owner.name()))
                                        .orElse("it belongs to nobody")));
    }

    /** A claim that the group of a pod shares is used by the group, every other one by the pod ({@code BindTo} of Kubernetes). */
    private static SortedMap<ObjectKey, Consumer> consumers(Pod pod, Optional<PodGroup> group) {
        var consumers = new TreeMap<ObjectKey, Consumer>();
        for (PodClaim each : pod.resourceClaims()) {
            Consumer consumer = group.filter(shared -> shared.shared(each).isPresent())
                    .map(shared -> Consumer.podGroup(
                            shared.meta().name(), shared.meta().uid()))
                    .orElseGet(() -> Consumer.pod(pod.meta().name(), pod.meta().uid()));
            pod.claim(each).ifPresent(key -> consumers.merge(key, consumer, (one, other) -> one));
        }
        return consumers;
    }

    /** Pods know their group by name alone, and so do those who look whether a claim is reserved for it. */
    private static boolean isSame(Consumer one, Consumer other) {
        return (one.isPodGroup() && other.isPodGroup()) ? one.name().equals(other.name()) : one.equals(other);
    }

    /** What kube-scheduler makes claims for itself, or leaves to a device plugin, is not asked of the node here. */
    private static ResourceList requests(State state, Pod pod) {
        return PodDemand.ofPod(pod)
                .without(resource -> ExtendedResources.isExtended(resource) && state.isOfClass(resource));
    }

    private static Assembly ofClaims(
            State state,
            List<ObjectKey> keys,
            NodeRules rules,
            SortedMap<ObjectKey, Consumer> consumers,
            Predicate<ResourceClaim> isGiven) {
        List<Asked> asked = new ArrayList<>();
        List<ResourceClaim> fixed = new ArrayList<>();
        List<ObjectKey> left = new ArrayList<>();
        List<NodeSelector> selectors = new ArrayList<>();
        for (ObjectKey key : keys) {
            Optional<ResourceClaim> found = state.claim(key);
            Optional<Unready> missing =
                    missing(state, keys, key, found, Optional.ofNullable(consumers.get(key)), isGiven);
            if (missing.isPresent()) {
                return missing.get();
            }
            ResourceClaim claim = found.orElseThrow();
            Optional<Allocation> allocation = allocation(state, claim);
            allocation.flatMap(Allocation::nodeSelector).ifPresent(selectors::add);
            if (allocation.isPresent()) {
                fixed.add(claim);
            } else if (Ours.isForOthers(state, claim)) {
                left.add(key);
            } else {
                asked.add(new Asked(key, claim.meta().uid(), claim.spec()));
            }
        }
        if (asked.isEmpty() && fixed.isEmpty() && !left.isEmpty()) {
            return leftToOthers(keys, left.getFirst());
        }
        return new Ready(
                keys, List.copyOf(asked), List.copyOf(fixed), rules.with(selectors), consumers, Optional.empty());
    }

    private static Unready leftToOthers(List<ObjectKey> keys, ObjectKey claim) {
        return unready(
                keys, Reason.NotOurs, "kube-scheduler allocates claim %s: its classes are not ours".formatted(claim));
    }

    private static Optional<Unready> missing(
            State state,
            List<ObjectKey> keys,
            ObjectKey key,
            Optional<ResourceClaim> found,
            Optional<Consumer> consumer,
            Predicate<ResourceClaim> isGiven) {
        if (found.isEmpty()) {
            return Optional.of(unready(keys, Reason.ClaimMissing, "claim %s does not exist".formatted(key)));
        }
        ResourceClaim claim = found.get();
        if (claim.meta().deleting()) {
            return Optional.of(unready(keys, Reason.BeingDeleted, "claim %s is being deleted".formatted(key)));
        }
        Optional<Row.RefusedRow> refused = state.refused(claim.meta().uid());
        if (refused.isPresent()) {
            return Optional.of(unready(
                    keys,
                    Reason.Refused,
                    "the cluster did not take what claim %s was given: %s"
                            .formatted(key, refused.get().message())));
        }
        Optional<Row.DeallocationRow> deallocation =
                state.deallocation(claim.meta().uid()).filter(Row.DeallocationRow::isOrdered);
        if (deallocation.isPresent()) {
            return Optional.of(unready(keys, Reason.Reallocating, Deallocation.message(deallocation.get())));
        }
        if (claim.allocation().isEmpty() && state.isRevoked(claim)) {
            return Optional.of(unready(
                    keys,
                    Reason.TakenBack,
                    (hasLostDevice(state, claim)
                                    ? "a device that claim %s was given is not published any more: it is taken back before the claim is given another one"
                                    : "no pod used claim %s any more, and its allocation is revoked: it is allocated again once the writer confirms that the claim does not have it")
                            .formatted(key)));
        }
        boolean isFree = !isGiven.test(claim);
        Optional<String> mixed = isFree ? Ours.mixed(state, claim) : Optional.empty();
        if (mixed.isPresent()) {
            return Optional.of(unready(keys, Reason.NotOurs, mixed.get()));
        }
        if (isFree
                && asksForAdmin(claim)
                && !Ours.isForOthers(state, claim)
                && !state.namespace(key.namespace())
                        .map(Namespace::allowsAdminAccess)
                        .orElse(false)) {
            return Optional.of(unready(
                    keys,
                    Reason.AdminAccessDenied,
                    "claim %s asks for admin access, and namespace %s does not carry the label %s=true"
                            .formatted(key, key.namespace(), Namespace.ADMIN_ACCESS_LABEL)));
        }
        if (consumer.isPresent()
                && !isConsumer(state, claim, consumer.get())
                && consumers(state, claim).size() >= Consumer.MAX) {
            return Optional.of(unready(
                    keys,
                    Reason.ConsumersExhausted,
                    "claim %s has its %d consumers already".formatted(key, Consumer.MAX)));
        }
        return Optional.empty();
    }

    private static boolean hasLostDevice(State state, ResourceClaim claim) {
        return allocation(state, claim).stream()
                .flatMap(allocation -> State.devicesOf(allocation).stream())
                .anyMatch(device -> state.inventory().published(device).isEmpty());
    }

    /** What is missing. */
    static Unready unready(List<ObjectKey> claims, Reason reason, String message) {
        return new Unready(claims, new Plan.Diagnosis(reason, message, Optional.empty()));
    }

    private static boolean asksForAdmin(ResourceClaim claim) {
        return claim.spec().requests().stream()
                .anyMatch(request -> request instanceof DeviceRequest.Exactly exactly && exactly.admin());
    }

    /** What a claim has: what its status says, else what we gave. */
    static Optional<Allocation> allocation(State state, ResourceClaim claim) {
        return claim.allocation().or(() -> state.grant(claim.meta().uid()).map(Row.GrantRow::allocation));
    }

    /** Who may use a claim: whom its status names, and to whom we gave it and who still stands. */
    static List<Consumer> consumers(State state, ResourceClaim claim) {
        var named = new LinkedHashSet<>(claim.reservedFor());
        var consumers = new LinkedHashSet<Consumer>();
        given(state, claim)
                .filter(each -> named.contains(each) || stands(state, claim, each))
                .forEach(consumers::add);
        consumers.addAll(claim.reservedFor());
        return List.copyOf(consumers);
    }

    /** Whether it is one of them; each pod of a claim that many share asks this for each change of the claim. */
    private static boolean isConsumer(State state, ResourceClaim claim, Consumer consumer) {
        return claim.reservedFor().stream().anyMatch(each -> isSame(each, consumer))
                || given(state, claim).anyMatch(each -> isSame(each, consumer) && stands(state, claim, each));
    }

    private static Stream<Consumer> given(State state, ResourceClaim claim) {
        return state.grant(claim.meta().uid()).map(Row.GrantRow::reservedFor).stream()
                .flatMap(List::stream);
    }

    private static boolean stands(State state, ResourceClaim claim, Consumer consumer) {
        var key = new ObjectKey(claim.meta().namespace(), consumer.name());
        if (consumer.isPodGroup()) {
            return state.podGroup(key)
                    .filter(group -> group.meta().uid().equals(consumer.uid()))
                    .isPresent();
        }
        return state.pod(key)
                .filter(pod -> pod.meta().uid().equals(consumer.uid()) && !pod.finished())
                .isPresent();
    }
}
