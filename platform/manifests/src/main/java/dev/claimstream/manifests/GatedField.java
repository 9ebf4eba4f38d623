package dev.claimstream.manifests;

import static java.util.Map.entry;

import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A written field that an API server drops before validation while a feature gate is off.
 *
 * <p>Source: {@code dropDisabledFields} in {@code pkg/registry/resource/*}{@code /strategy.go}.
 *
 * @param path for example {@code spec.devices[0].taints}
 * @param name its last element, for example {@code taints}
 * @param feature the disabled feature
 */
record GatedField(String path, String name, Feature feature) {
    private static final String DEVICE = "spec\\.devices\\[\\d+](?:\\.basic)?\\.";
    private static final String REQUEST = "spec(?:\\.spec)?\\.devices\\.requests\\[\\d+]\\.";
    private static final String OPTION = REQUEST + "(?:(?:exactly|firstAvailable\\[\\d+])\\.)?";
    private static final String KEY = "\\[[^\\]]*]";
    /** A path of a field that has a gate, up to that field. The outer fields come before the fields in them. */
    private static final List<Map.Entry<Pattern, Feature>> SLICE = List.of(
            field("spec\\.(sharedCounters|perDeviceNodeSelection)", Feature.PARTITIONABLE_DEVICES),
            field("spec\\.(skipNodeOperations)", Feature.OPTIONAL_NODE_OPERATIONS),
            field(DEVICE + "(taints)", Feature.DEVICE_TAINTS),
            field(DEVICE + "(consumesCounters|nodeName|nodeSelector|allNodes)", Feature.PARTITIONABLE_DEVICES),
            field(DEVICE + "consumesCounters\\[\\d+]\\.(compatibilityGroups)", Feature.DEVICE_COMPATIBILITY_GROUPS),
            field(DEVICE + "(allowMultipleAllocations)", Feature.CONSUMABLE_CAPACITY),
            field(DEVICE + "capacity" + KEY + "\\.(requestPolicy)", Feature.CONSUMABLE_CAPACITY),
            field(
                    DEVICE + "(bindingConditions|bindingFailureConditions|bindsToNode)",
                    Feature.DEVICE_BINDING_CONDITIONS),
            field(
                    DEVICE + "(bindingConditions|bindingFailureConditions|bindsToNode)",
                    Feature.RESOURCE_CLAIM_DEVICE_STATUS),
            field(DEVICE + "(nodeAllocatableResources)", Feature.NODE_ALLOCATABLE_RESOURCES),
            field(DEVICE + "attributes" + KEY + "\\.(ints|bools|strings|versions)", Feature.LIST_TYPE_ATTRIBUTES));

    private static final List<Map.Entry<Pattern, Feature>> CLAIM = List.of(
            field(REQUEST + "(firstAvailable)", Feature.PRIORITIZED_LIST),
            field(OPTION + "(tolerations)", Feature.DEVICE_TAINTS),
            field(OPTION + "(capacity)", Feature.CONSUMABLE_CAPACITY),
            field(OPTION + "(derivedAttributes)", Feature.DERIVED_ATTRIBUTES),
            field(OPTION + "(adminAccess)", Feature.ADMIN_ACCESS),
            field(
                    "spec(?:\\.spec)?\\.devices\\.constraints\\[\\d+]\\.(distinctAttribute)",
                    Feature.CONSUMABLE_CAPACITY));
    private static final List<Map.Entry<Pattern, Feature>> CLASS =
            List.of(field("spec\\.(extendedResourceName)", Feature.EXTENDED_RESOURCE));

    /** Returns the outermost field with a disabled feature that a path is in, or is. */
    static Optional<GatedField> of(Kind kind, String path, FeatureGates features) {
        return gated(kind).stream()
                .filter(each -> !features.has(each.getValue()))
                .flatMap(each -> match(each.getKey(), path)
                        .map(found -> new GatedField(found.group(), found.group(1), each.getValue()))
                        .stream())
                .findFirst();
    }

    private static Optional<MatchResult> match(Pattern field, String path) {
        Matcher matcher = field.matcher(path);
        return matcher.lookingAt() ? Optional.of(matcher.toMatchResult()) : Optional.empty();
    }

    private static List<Map.Entry<Pattern, Feature>> gated(Kind kind) {
        return switch (kind) {
            case RESOURCE_SLICE -> SLICE;
            case RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE -> CLAIM;
            case DEVICE_CLASS -> CLASS;
            case DEVICE_TAINT_RULE, NODE, POD, POD_GROUP, NAMESPACE -> List.of();
        };
    }

    private static Map.Entry<Pattern, Feature> field(String path, Feature feature) {
        return entry(Pattern.compile(path + "(?=$|[.\\[])"), feature);
    }

    /** Returns the path of the object that has the field. */
    String parent() {
        return path.substring(0, path.length() - name.length() - 1);
    }
}
