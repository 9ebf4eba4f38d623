package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Random selectors that match about half of the devices, and sometimes fail. */
final class RandomSelectors {
    private final Dice dice;
    private final Set<ApiArea> areas;

    RandomSelectors(Dice dice, Set<ApiArea> areas) {
        this.dice = dice;
        this.areas = areas;
    }

    /** Returns the {@code selectors} of a class or request; possibly none. */
    List<Tree> some(int percent) {
        List<Tree> selectors = new ArrayList<>();
        while (selectors.size() < 3 && dice.chance(percent)) {
            String expression = areas.contains(ApiArea.ODD_SELECTORS) && dice.chance(25) ? unusual() : plain();
            selectors.add(Tree.mapping(
                    fields -> fields.put("cel", Tree.mapping(cel -> cel.put("expression", expression)))));
        }
        return selectors;
    }

    String plain() {
        return dice.of(
                "device.driver == \"a.example.com\"",
                "device.driver.startsWith(\"b.\")",
                attribute("model") + " == \"A\"",
                "device.attributes[device.driver].?model.orValue(\"\") == \"A\"",
                "device.attributes[device.driver].?numa.orValue(0) < 1",
                "device.attributes[device.driver].?ready.orValue(false)",
                "\"rack\" in device.attributes[\"other.org\"]",
                "device.attributes[\"other.org\"].?rack.orValue(\"r1\") == \"r1\"",
                "device.capacity[device.driver].?memory.orValue(quantity(\"0\")).compareTo(quantity(\"4\")) >= 0",
                "device.attributes[device.driver].?version.orValue(semver(\"0.1.0\")).isLessThan(semver(\"2.0.0\"))",
                "has(device.attributes[device.driver].root)",
                "device.allowMultipleAllocations",
                "!device.allowMultipleAllocations || device.driver == \"a.example.com\"",
                "true");
    }

    private static String attribute(String name) {
        return "device.attributes[device.driver]." + name;
    }

    private String unusual() {
        return dice.of(
                attribute("model"),
                attribute("root") + " == \"p0\"",
                "device.attributes[\"nowhere\"].root == 1",
                attribute("numa") + " == 0 || " + attribute("gone") + " == 1",
                attribute("gone") + " == 1 && device.driver == \"x\"",
                attribute("version") + " == \"1.0.0\"",
                "\"1.0.0\" == " + attribute("version"),
                "device.attributes[device.driver].?links.orValue([]).exists(x, x == \"p0\")",
                attribute("links") + ".includes(\"p0\")",
                "nonsense",
                "device.nothing",
                "1",
                "device.driver",
                "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c,"
                        + " [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, a + b + c + d + e > 0)))))");
    }

    /** Returns the expression of a derived attribute. */
    String derived() {
        return dice.of(
                "device.attributes[device.driver].model",
                "device.attributes[device.driver].?model.orValue(\"none\")",
                "device.attributes[device.driver].?numa.orValue(7) % 2",
                "device.driver",
                "device.allowMultipleAllocations",
                "device.attributes[device.driver].?links.orValue([\"p0\"])",
                "[device.driver, \"p0\"]",
                "semver(\"1.0.0\")",
                "device.attributes[device.driver].?version.orValue(semver(\"1.0.0\"))",
                "1.5",
                "device.attributes[device.driver].gone");
    }
}
