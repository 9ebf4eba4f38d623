package dev.claimstream.scenarios.random;

import dev.claimstream.dra.Feature;
import java.util.Optional;

/** A part of the API that problems cover, and the percentage of problems that cover it. */
public enum ApiArea {
    COUNTERS(35, Feature.PARTITIONABLE_DEVICES),
    CAPACITY(30, Feature.CONSUMABLE_CAPACITY),
    FRACTIONS(15, Feature.FRACTIONAL_CAPACITY_RANGE),
    TAINTS(20, Feature.DEVICE_TAINTS),
    TAINT_RULES(12, Feature.DEVICE_TAINT_RULES),
    ADMIN(15, Feature.ADMIN_ACCESS),
    ALTERNATIVES(30, Feature.PRIORITIZED_LIST),
    ALL_DEVICES(25),
    BINDING(15, Feature.DEVICE_BINDING_CONDITIONS),
    LISTS(15, Feature.LIST_TYPE_ATTRIBUTES),
    MATCH(25),
    DISTINCT(15),
    CONFIG(20),
    ODD_POOLS(20),
    ODD_SELECTORS(8),
    PER_DEVICE(20, Feature.PARTITIONABLE_DEVICES),
    HELD(45),
    LIMITS(6),
    ODD_REQUESTS(4),
    DERIVED(8, Feature.DERIVED_ATTRIBUTES),
    COMPATIBILITY(10, Feature.DEVICE_COMPATIBILITY_GROUPS),
    NODE_OPERATIONS(6, Feature.OPTIONAL_NODE_OPERATIONS),
    /** Extreme and negative amounts, and steps of zero. An API server would reject some of them. */
    ODD_AMOUNTS(8),
    /** Devices that differ in one field only. */
    TWINS(15);

    private final int percent;
    private final Optional<Feature> feature;

    ApiArea(int percent) {
        this.percent = percent;
        this.feature = Optional.empty();
    }

    ApiArea(int percent, Feature feature) {
        this.percent = percent;
        this.feature = Optional.of(feature);
    }

    int percent() {
        return percent;
    }

    /** Returns the feature gate that the area requires. */
    Optional<Feature> feature() {
        return feature;
    }
}
