package dev.claimstream.manifests.write;

import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.OpaqueConfig;
import dev.claimstream.manifests.tree.Tree;

/** Writes {@code DeviceClass.spec} and {@code DeviceTaintRule.spec}. */
final class ClassTree {
    private ClassTree() {}

    static Tree of(DeviceClass deviceClass) {
        return Tree.mapping(fields -> fields.putList("selectors", deviceClass.selectors(), SharedTrees::selector)
                .putList("config", deviceClass.config(), ClassTree::config)
                .putIfPresent("extendedResourceName", deviceClass.extendedResourceName(), Tree::of));
    }

    private static Tree config(OpaqueConfig config) {
        return Tree.mapping(fields -> SharedTrees.opaque(fields, config));
    }

    static Tree of(DeviceTaintRule rule) {
        return Tree.mapping(fields -> fields.putIfPresent("deviceSelector", rule.selector(), ClassTree::selector)
                .put("taint", SharedTrees.taint(rule.taint())));
    }

    private static Tree selector(DeviceTaintRule.DeviceTaintSelector selector) {
        return Tree.mapping(fields -> fields.putIfPresent("driver", selector.driver(), Tree::of)
                .putIfPresent("pool", selector.pool(), Tree::of)
                .putIfPresent("device", selector.device(), Tree::of));
    }
}
