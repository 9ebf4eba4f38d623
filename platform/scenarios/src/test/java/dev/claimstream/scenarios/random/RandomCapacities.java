package dev.claimstream.scenarios.random;

import dev.claimstream.manifests.tree.Tree;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Random capacities of devices with every kind of request policy, and requests for them. */
final class RandomCapacities {
    private final Dice dice;
    private final Set<ApiArea> areas;

    RandomCapacities(Dice dice, Set<ApiArea> areas) {
        this.dice = dice;
        this.areas = areas;
    }

    SortedMap<String, Tree> deviceCapacities(boolean isShared) {
        SortedMap<String, Tree> all = new TreeMap<>();
        if (areas.contains(ApiArea.ODD_AMOUNTS) && dice.chance(60)) {
            all.put(
                    "memory",
                    capacity(
                            dice.of(
                                    "9223372036854775807",
                                    "9007199254740993",
                                    "-1",
                                    "1500u",
                                    "16E",
                                    "100E",
                                    "3e30",
                                    "1000000000000000000002"),
                            isShared));
        } else if (dice.chance(80)) {
            all.put("memory", capacity(dice.of("8", "10", "10Gi", "10Gi", "4", "2500m"), isShared));
        }
        if (dice.chance(40)) {
            all.put("bandwidth", capacity(dice.of("10", "100", "100", "8G", "0"), isShared));
        }
        if (dice.chance(10)) {
            all.put("other.org/power", capacity("700", isShared));
        }
        return all;
    }

    /** Returns the same amounts with other request policies. */
    SortedMap<String, Tree> withOtherPolicies(SortedMap<String, Tree> capacity) {
        SortedMap<String, Tree> others = new TreeMap<>(capacity);
        others.replaceAll((_, each) ->
                each instanceof Tree.Mapping fields && fields.fields().get("value") instanceof Tree.Text(String value)
                        ? capacity(value, true)
                        : each);
        return others;
    }

    private Tree capacity(String value, boolean isShared) {
        boolean hasPolicy = areas.contains(ApiArea.CAPACITY) && (isShared ? dice.chance(65) : dice.chance(10));
        return Tree.mapping(fields -> {
            fields.put("value", value);
            if (hasPolicy) {
                fields.put("requestPolicy", policy());
            }
        });
    }

    private Tree policy() {
        if (areas.contains(ApiArea.ODD_AMOUNTS) && dice.chance(60)) {
            return range(
                    dice.of("0", "1", "1m", "-1"),
                    dice.of("", "", "9223372036854775807", "16E"),
                    dice.of("", "2", "1m", "9223372036854775807"),
                    dice.of("", "", "1Gi", "1500u", "16E", "9223372036854775807"));
        }
        return switch (dice.between(0, 3)) {
            case 0 -> Tree.mapping(fields -> fields.put("default", amount()));
            case 1 ->
                Tree.mapping(fields -> fields.put("default", dice.of("1", "2", "1000m", "0"))
                        .put(
                                "validValues",
                                Tree.texts(dice.of(
                                        List.of("1", "2", "4"),
                                        List.of("2", "8"),
                                        List.of("0", "1"),
                                        List.of("1Gi", "4Gi")))));
            case 2 -> range("1", dice.of("", "2", "8", "4"), dice.of("", "1", "2", "3"), dice.of("1", "2", "3"));
            default ->
                areas.contains(ApiArea.FRACTIONS)
                        ? range(
                                dice.of("500m", "250m", "1", "500m", "250m", "1", "100u"),
                                dice.of("", "2500m", "2", "", "2500m", "2", "16E"),
                                dice.of("", "250m", "500m", "1m", "100u", "1500m"),
                                dice.of("500m", "1", "750m"))
                        : range(
                                dice.of("0", "1Gi", "2"),
                                dice.of("", "8Gi"),
                                dice.of("", "1Gi", "2"),
                                dice.of("2", "1Gi", "2Gi"));
        };
    }

    private static Tree range(String min, String max, String step, String byDefault) {
        return Tree.mapping(fields -> fields.putUnlessEmpty("default", byDefault)
                .put(
                        "validRange",
                        Tree.mapping(range -> range.putUnlessEmpty("min", min)
                                .putUnlessEmpty("max", max)
                                .putUnlessEmpty("step", step))));
    }

    /** Returns an amount to request or to have allocated. */
    String amount() {
        if (areas.contains(ApiArea.ODD_AMOUNTS) && dice.chance(30)) {
            return dice.of(
                    "9223372036854775807",
                    "1073741824",
                    "16E",
                    "50E",
                    "1e21",
                    "1e30",
                    "9223372036854775",
                    "1m",
                    "1500u");
        }
        return areas.contains(ApiArea.FRACTIONS) && dice.chance(50)
                ? dice.of("500m", "750m", "1250m", "1", "100u", "1300m")
                : dice.of("0", "1", "1", "2", "2", "3", "5", "1Gi", "3Gi", "20Gi", "1000m");
    }

    /** Returns an allocated amount, rarely a negative one. */
    String allocatedAmount() {
        return areas.contains(ApiArea.ODD_AMOUNTS) && dice.chance(10) ? dice.of("-1", "-3e30") : amount();
    }

    /** Returns the {@code capacity} field of a request. */
    Tree request() {
        return Tree.mapping(fields -> fields.put("requests", Tree.mapping(requests -> {
            if (dice.chance(75)) {
                requests.put("memory", amount());
            }
            if (dice.chance(25)) {
                requests.put("bandwidth", amount());
            }
            if (dice.chance(4)) {
                requests.put(dice.of("unknown", "other.org/power"), amount());
            }
            if (areas.contains(ApiArea.LIMITS) && dice.chance(30)) {
                requests.put("memory", dice.of("9223372036854775807", "9223372036854775808", "16E"));
            }
        })));
    }
}
