package dev.claimstream.load.upstream;

import dev.claimstream.allocation.inventory.Inventory;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.Plan;
import dev.claimstream.allocation.solver.Planner;
import dev.claimstream.allocation.solver.Policy;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceResult;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.write.ManifestWriter;
import dev.claimstream.selectors.CelSelectors;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/** A cluster in use and a new claim, as input for upstream's allocator and as inventory for the solver. */
final class Setting {
    private static final long STEPS_MAX = 200_000;

    private final String name;
    private final ClaimSpec wanted;
    private final Inventory inventory = new Inventory();
    private final Planner planner = new Planner(inventory, new CelSelectors());
    private final TreeMap<String, DeviceClass> classes = new TreeMap<>();
    private final List<ClusterObject> objects = new ArrayList<>();
    private final Deque<ResourceClaim> held = new ArrayDeque<>();
    private Optional<Node> lastNode = Optional.empty();
    private int claims;

    Setting(String name, ClaimSpec wanted) {
        this.name = name;
        this.wanted = wanted;
    }

    String name() {
        return name;
    }

    Setting with(DeviceClass deviceClass) {
        classes.put(deviceClass.meta().name(), deviceClass);
        planner.setClasses(classes);
        objects.add(deviceClass);
        return this;
    }

    Setting with(Node node, List<ResourceSlice> slices) {
        inventory.put(node);
        lastNode = Optional.of(node);
        objects.add(node);
        slices.forEach(inventory::put);
        objects.addAll(slices);
        return this;
    }

    /** Allocates random claims of these specs until one does not fit or a number of devices is allocated. */
    Setting filled(List<ClaimSpec> sorts, int devices, long seed) {
        var random = new Random(seed);
        int taken = 0;
        while (taken < devices) {
            ClaimSpec sort = sorts.get(random.nextInt(sorts.size()));
            if (!(plan(sort, Policy.FIRST_FIT) instanceof Plan.Placed placed)) {
                return this;
            }
            Allocation allocation = placed.allocations().getFirst();
            taken += allocation.results().size();
            hold(sort, allocation);
        }
        return this;
    }

    /** Deallocates a number of random claims. */
    Setting thinned(int gone, long seed) {
        List<ResourceClaim> left = new ArrayList<>(held);
        var random = new Random(seed);
        for (int i = 0; i < gone && !left.isEmpty(); i++) {
            release(left.remove(random.nextInt(left.size())));
        }
        held.clear();
        held.addAll(left);
        return this;
    }

    private void hold(ClaimSpec sort, Allocation allocation) {
        String uid = "held-" + claims++;
        var claim = new ResourceClaim(ObjectMeta.of("load", uid, uid), sort, Optional.of(allocation), List.of());
        hold(claim);
        held.add(claim);
    }

    private void hold(ResourceClaim claim) {
        results(claim)
                .forEach(result -> inventory.hold(
                        result,
                        claim.meta().uid(),
                        new ObjectKey("load", claim.meta().name())));
    }

    private void release(ResourceClaim claim) {
        results(claim)
                .forEach(result ->
                        inventory.release(result.device(), claim.meta().uid()));
    }

    private static List<DeviceResult> results(ResourceClaim claim) {
        return claim.allocation().orElseThrow().results();
    }

    int heldClaims() {
        return held.size();
    }

    private Plan plan(ClaimSpec spec, Policy policy) {
        return planner.plan(
                new ItemShape(List.of(spec), NodeRules.none()), new Planner.Terms(policy, STEPS_MAX, node -> true));
    }

    Plan plan(Policy policy) {
        return plan(wanted, policy);
    }

    /** Deallocates and allocates the oldest claim, or updates a node. The next plan is then not answered from caches alone. */
    void stir() {
        ResourceClaim oldest = held.poll();
        if (oldest == null) {
            inventory.put(lastNode.orElseThrow());
        } else {
            release(oldest);
            var unused = inventory.views();
            hold(oldest);
            held.add(oldest);
        }
    }

    /** Returns the request for {@code upstream measure}, on one line. */
    String question(int rounds, long timeoutMillis) {
        List<Tree> all = new ArrayList<>();
        objects.forEach(each -> all.add(ManifestWriter.tree(each)));
        held.forEach(each -> all.add(ManifestWriter.tree(each)));
        all.add(ManifestWriter.tree(
                new ResourceClaim(ObjectMeta.of("load", "wanted", "wanted"), wanted, Optional.empty(), List.of())));
        return Tree.mapping(fields -> fields.put("name", name)
                        .put("objects", new Tree.Sequence(all))
                        .put("claims", Tree.texts(List.of("load/wanted")))
                        .put("rounds", rounds)
                        .put("timeoutMillis", timeoutMillis))
                .json();
    }
}
