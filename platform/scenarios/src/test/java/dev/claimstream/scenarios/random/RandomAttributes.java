package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeFields;
import java.util.List;
import java.util.Set;

/** Random attributes of devices: few names and values, some missing, some with a domain. */
final class RandomAttributes {
    private RandomAttributes() {}

    static Tree of(Dice dice, Set<ApiArea> areas) {
        return Tree.mapping(fields -> {
            put(dice, fields, "model", 90, text(dice.of("A", "A", "B")));
            put(dice, fields, "numa", 75, intValue(dice.of("0", "0", "1")));
            put(dice, fields, "version", 50, value("version", Tree.of(dice.of("1.0.0", "1.0.0+x", "2.1.0"))));
            put(dice, fields, "ready", 40, value("bool", Tree.of(dice.chance(70))));
            put(dice, fields, "root", 60, any(dice, areas));
            put(dice, fields, "other.org/rack", 30, text(dice.of("r1", "r2")));
            put(dice, fields, dice.of(RandomPools.DRIVERS) + "/root", 12, any(dice, areas));
            put(dice, fields, "resource.kubernetes.io/numaNode", 20, intValue(dice.of("0", "1")));
            put(dice, fields, "resource.kubernetes.io/pcieRoot", 20, text(dice.of("pci0000:00", "pci0000:80")));
            if (areas.contains(ApiArea.LISTS)) {
                put(dice, fields, "links", 85, list(dice));
            }
            if (areas.contains(ApiArea.ODD_SELECTORS)) {
                put(dice, fields, "future", 5, Tree.mapping(_ -> {}));
                put(dice, fields, "badVersion", 3, value("version", Tree.of("1.2")));
            }
        });
    }

    private static void put(Dice dice, TreeFields fields, String name, int percent, Tree value) {
        if (dice.chance(percent)) {
            fields.put(name, value);
        }
    }

    /** Returns a value of the usual type, sometimes of another. */
    private static Tree any(Dice dice, Set<ApiArea> areas) {
        if (areas.contains(ApiArea.LISTS) && dice.chance(40)) {
            return list(dice);
        }
        return dice.of(
                text("p0"), text("p0"), text("p1"), text("p1"), intValue("1"), value("version", Tree.of("1.0.0")));
    }

    private static Tree list(Dice dice) {
        return dice.of(
                texts("p0"),
                texts("p0", "p1"),
                texts("p1", "p2"),
                texts("p2", "p2"),
                texts(),
                value("ints", new Tree.Sequence(List.of(Tree.of(1), Tree.of(2)))),
                value("ints", new Tree.Sequence(List.of(Tree.of(2)))),
                value("bools", new Tree.Sequence(List.of(Tree.of(true)))),
                value("versions", Tree.texts(List.of("1.0.0", "2.0.0"))));
    }

    private static Tree text(String value) {
        return value("string", Tree.of(value));
    }

    private static Tree texts(String... values) {
        return value("strings", Tree.texts(List.of(values)));
    }

    private static Tree intValue(String value) {
        return value("int", new Tree.Numeral(value));
    }

    private static Tree value(String type, Tree value) {
        return Tree.mapping(fields -> fields.put(type, value));
    }
}
