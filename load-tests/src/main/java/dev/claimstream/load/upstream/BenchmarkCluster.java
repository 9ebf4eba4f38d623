package dev.claimstream.load.upstream;

import dev.claimstream.allocation.inventory.DeviceInventory;
import dev.claimstream.allocation.solver.AllocationPlan;
import dev.claimstream.allocation.solver.AllocationPlanner;
import dev.claimstream.allocation.solver.ItemShape;
import dev.claimstream.allocation.solver.NodeRules;
import dev.claimstream.allocation.solver.PlacementPolicy;
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
final class BenchmarkCluster {
    private static final long STEPS_MAX = 200_000;

    private final String name;
    private final ClaimSpec requested;
    private final DeviceInventory inventory = new DeviceInventory();
    private final AllocationPlanner planner = new AllocationPlanner(inventory, new CelSelectors());
    private final TreeMap<String, DeviceClass> classes = new TreeMap<>();
    private final List<ClusterObject> objects = new ArrayList<>();
    private final Deque<ResourceClaim> allocated = new ArrayDeque<>();
    private Optional<Node> lastNode = Optional.empty();
    private int claims;

    BenchmarkCluster(String name, ClaimSpec wanted) {
        this.name = name;
        this.requested = wanted;
    }

    String name() {
        return name;
    }

    BenchmarkCluster with(DeviceClass deviceClass) {
        classes.put(deviceClass.meta().name(), deviceClass);
        planner.setClasses(classes);
        objects.add(deviceClass);
        return this;
    }

    BenchmarkCluster with(Node node, List<ResourceSlice> slices) {
        inventory.put(node);
        lastNode = Optional.of(node);
        objects.add(node);
        slices.forEach(inventory::put);
        objects.addAll(slices);
        return this;
    }

    /** Allocates random claims of these specs until one does not fit or a number of devices is allocated. */
    BenchmarkCluster fill(List<ClaimSpec> sorts, int devices, long seed) {
        var random = new Random(seed);
        int taken = 0;
        while (taken < devices) {
            ClaimSpec sort = sorts.get(random.nextInt(sorts.size()));
            if (!(plan(sort, PlacementPolicy.FIRST_FIT) instanceof AllocationPlan.Allocated placed)) {
                return this;
            }
            Allocation allocation = placed.allocations().getFirst();
            taken += allocation.results().size();
            allocate(sort, allocation);
        }
        return this;
    }

    /** Deallocates a number of random claims. */
    BenchmarkCluster releaseSome(int gone, long seed) {
        List<ResourceClaim> left = new ArrayList<>(allocated);
        var random = new Random(seed);
        for (int i = 0; i < gone && !left.isEmpty(); i++) {
            release(left.remove(random.nextInt(left.size())));
        }
        allocated.clear();
        allocated.addAll(left);
        return this;
    }

    private void allocate(ClaimSpec sort, Allocation allocation) {
        String uid = "held-" + claims++;
        var claim = new ResourceClaim(ObjectMeta.of("load", uid, uid), sort, Optional.of(allocation), List.of());
        allocate(claim);
        allocated.add(claim);
    }

    private void allocate(ResourceClaim claim) {
        results(claim)
                .forEach(result -> inventory.addUsage(
                        result,
                        claim.meta().uid(),
                        new ObjectKey("load", claim.meta().name())));
    }

    private void release(ResourceClaim claim) {
        results(claim)
                .forEach(result ->
                        inventory.removeUsage(result.device(), claim.meta().uid()));
    }

    private static List<DeviceResult> results(ResourceClaim claim) {
        return claim.allocation().orElseThrow().results();
    }

    int allocatedClaims() {
        return allocated.size();
    }

    private AllocationPlan plan(ClaimSpec spec, PlacementPolicy policy) {
        return planner.plan(
                new ItemShape(List.of(spec), NodeRules.none()),
                new AllocationPlanner.PlanOptions(policy, STEPS_MAX, node -> true));
    }

    AllocationPlan plan(PlacementPolicy policy) {
        return plan(requested, policy);
    }

    /**
     * Deallocates and allocates the oldest claim, or updates a node. The next plan is then not answered from caches
     * alone.
     */
    void changeState() {
        ResourceClaim oldest = allocated.poll();
        if (oldest == null) {
            inventory.put(lastNode.orElseThrow());
        } else {
            release(oldest);
            var unused = inventory.views();
            allocate(oldest);
            allocated.add(oldest);
        }
    }

    /** Returns the request for {@code upstream measure}, on one line. */
    String upstreamRequest(int rounds, long timeoutMillis) {
        List<Tree> all = new ArrayList<>();
        objects.forEach(each -> all.add(ManifestWriter.tree(each)));
        allocated.forEach(each -> all.add(ManifestWriter.tree(each)));
        all.add(ManifestWriter.tree(
                new ResourceClaim(ObjectMeta.of("load", "wanted", "wanted"), requested, Optional.empty(), List.of())));
        return Tree.mapping(fields -> fields.put("name", name)
                        .put("objects", new Tree.Sequence(all))
                        .put("claims", Tree.texts(List.of("load/wanted")))
                        .put("rounds", rounds)
                        .put("timeoutMillis", timeoutMillis))
                .json();
    }
}
