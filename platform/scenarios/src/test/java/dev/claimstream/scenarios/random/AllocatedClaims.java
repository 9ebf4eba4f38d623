package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Random allocated claims: with dedicated devices, with shares, with admin access, with devices that no slice
 * publishes.
 */
final class AllocatedClaims {
    private final Dice dice;
    private final Set<ApiArea> areas;
    private final RandomCapacities capacities;
    private int shares;

    AllocatedClaims(Dice dice, Set<ApiArea> areas) {
        this.dice = dice;
        this.areas = areas;
        this.capacities = new RandomCapacities(dice, areas);
    }

    List<Tree> objects(List<RandomPools.GeneratedDevice> seen) {
        List<Tree> claims = new ArrayList<>();
        if (!areas.contains(ApiArea.HELD)) {
            return claims;
        }
        for (RandomPools.GeneratedDevice device : dice.some(seen, seen.size() > 12 ? 10 : 25)) {
            int holders = device.isShared() ? dice.of(1, 1, 2) : 1;
            for (int i = 0; i < holders; i++) {
                claims.add(claim("held-" + claims.size(), device));
            }
        }
        if (dice.chance(15)) {
            claims.add(claim(
                    "held-gone",
                    new RandomPools.GeneratedDevice(
                            dice.of(RandomPools.DRIVERS), "pool-1", "dev-gone", false, List.of())));
        }
        return claims;
    }

    private Tree claim(String name, RandomPools.GeneratedDevice device) {
        Tree request = Tree.mapping(fields ->
                fields.put("name", "r").put("exactly", Tree.mapping(exactly -> exactly.put("deviceClassName", "any"))));
        Tree spec = Tree.mapping(fields -> fields.put(
                "devices", Tree.mapping(devices -> devices.put("requests", new Tree.Sequence(List.of(request))))));
        Tree allocation = Tree.mapping(fields -> fields.put(
                "devices",
                Tree.mapping(devices -> devices.put("results", new Tree.Sequence(List.of(result(device)))))));
        return Tree.mapping(fields -> fields.put("apiVersion", "resource.k8s.io/v1")
                .put("kind", "ResourceClaim")
                .put(
                        "metadata",
                        Tree.mapping(metadata -> metadata.put("name", name).put("namespace", "default")))
                .put("spec", spec)
                .put("status", Tree.mapping(status -> status.put("allocation", allocation))));
    }

    private Tree result(RandomPools.GeneratedDevice device) {
        boolean isShare = device.isShared() ? dice.chance(90) : areas.contains(ApiArea.CAPACITY) && dice.chance(8);
        boolean isAdmin = areas.contains(ApiArea.ADMIN) && dice.chance(25);
        return Tree.mapping(fields -> {
            fields.put("request", "r")
                    .put("driver", device.driver())
                    .put("pool", device.pool())
                    .put("device", device.device())
                    .putIfTrue("adminAccess", isAdmin);
            if (isShare) {
                fields.put("shareID", new UUID(0x1000, shares++).toString());
                if (!device.capacities().isEmpty() && dice.chance(90)) {
                    fields.put("consumedCapacity", consumed(device.capacities()));
                }
            }
        });
    }

    private Tree consumed(List<String> names) {
        List<String> consumed = new ArrayList<>(dice.chance(10) ? dice.some(names, 50) : names);
        if (dice.chance(5)) {
            consumed.add("gone");
        }
        return Tree.mapping(fields -> consumed.forEach(name -> fields.put(name, capacities.allocatedAmount())));
    }
}
