package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import java.util.ArrayList;
import java.util.List;

/** Random device taint rules. */
final class RandomTaintRules {
    private final Dice dice;

    RandomTaintRules(Dice dice) {
        this.dice = dice;
    }

    List<Tree> objects(List<RandomPools.GeneratedDevice> seen) {
        List<Tree> rules = new ArrayList<>();
        int count = dice.between(1, 2);
        for (int i = 0; i < count; i++) {
            String name = "rule-" + i;
            RandomPools.GeneratedDevice one = dice.of(seen);
            boolean isBare = dice.chance(10);
            Tree selector = Tree.mapping(fields -> {
                if (dice.chance(50)) {
                    fields.put("driver", one.driver());
                }
                if (dice.chance(50)) {
                    fields.put("pool", one.pool());
                }
                if (dice.chance(60)) {
                    fields.put("device", one.device());
                }
            });
            rules.add(ProblemMaker.object(
                    "resource.k8s.io/v1",
                    "DeviceTaintRule",
                    metadata -> metadata.put("name", name),
                    Tree.mapping(fields -> {
                        if (!isBare) {
                            fields.put("deviceSelector", selector);
                        }
                        fields.put("taint", RandomDevices.taint(dice));
                    })));
        }
        return rules;
    }
}
