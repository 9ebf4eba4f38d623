package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Finds versions and kinds that older Kubernetes releases served. */
final class KindRules {
    static final String V1 = "resource.k8s.io/v1";
    private static final Set<String> BETAS = Set.of("resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2");
    private static final Set<String> KINDS =
            Set.of("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceTaintRule");

    private KindRules() {}

    static List<LintFinding> findings(SourceObject object) {
        List<LintFinding> found = new ArrayList<>();
        SourceNode version = object.root().get("apiVersion").orElse(object.root());
        if (isBeta(object)) {
            found.add(object.error(
                    LintRule.BETA_VERSION,
                    version,
                    "apiVersion",
                    object.apiVersion(),
                    "no API server has served this version by default since 1.34",
                    "write apiVersion: " + V1));
        }
        if (object.apiVersion().startsWith("scheduling.x-k8s.io/")
                && object.kind().equals("PodGroup")) {
            String members = object.root()
                    .at("spec")
                    .flatMap(spec -> spec.text("minMember"))
                    .orElse("N");
            found.add(object.error(
                    LintRule.POD_GROUP,
                    version,
                    "apiVersion",
                    object.apiVersion(),
                    "PodGroup of this API group is not part of Kubernetes: it needs a CRD and a scheduler plugin",
                    "Kubernetes has its own: apiVersion: scheduling.k8s.io/v1beta1, kind: PodGroup,"
                            + " spec.schedulingPolicy.gang.minCount: %s, and spec.schedulingGroup.podGroupName in the pods"
                                    .formatted(members)
                            + " (feature gates GenericWorkload and GangScheduling); or keep it, and install the"
                            + " scheduler-plugins with coscheduling"));
        }
        oldClaim(object, found);
        idleRule(object, found);
        return found;
    }

    private static boolean isBeta(SourceObject object) {
        boolean isAlphaRule = object.isKind(
                "resource.k8s.io/v1alpha3", "DeviceTaintRule"); // v1alpha3: read, but not served by default
        return isAlphaRule
                || (BETAS.contains(object.apiVersion())
                        && KINDS.contains(object.kind())
                        && !isOnlyVersionOf136(object));
    }

    /** Returns whether 1.36 serves the kind only in this version, if it is enabled: {@code v1} of DeviceTaintRule exists since 1.37. */
    static boolean isOnlyVersionOf136(SourceObject object) {
        return object.isKind("resource.k8s.io/v1beta2", "DeviceTaintRule");
    }

    /** Checks claims of removed versions, which the reader does not read. */
    private static void oldClaim(SourceObject object, List<LintFinding> found) {
        if (!object.apiVersion().startsWith("resource.k8s.io/v1alpha")) {
            return;
        }
        for (String parent : List.of("spec", "spec.spec")) {
            object.root()
                    .at(parent.split("\\."))
                    .flatMap(spec -> spec.get("resourceClassName"))
                    .ifPresent(name -> {
                        String value = name instanceof SourceNode.SourceScalar scalar ? scalar.text() : "";
                        found.add(object.error(
                                LintRule.ALPHA_CLAIM,
                                name,
                                parent + ".resourceClassName",
                                value,
                                "since 1.31 a claim requests devices, not a resource class",
                                "write devices: {requests: [{name: device, exactly: {deviceClassName: %s}}]}"
                                        .formatted(value)));
                    });
        }
    }

    private static void idleRule(SourceObject object, List<LintFinding> found) {
        boolean isRule = object.isResource() && object.kind().equals("DeviceTaintRule");
        object.root()
                .at("spec", "deviceSelector")
                .filter(selector -> isRule
                        && selector instanceof SourceNode.SourceMapping
                        && selector.fields().stream()
                                .allMatch(entry -> entry.value().isNull()))
                .ifPresent(selector -> found.add(object.warning(
                        LintRule.BROAD_RULE,
                        selector,
                        "spec.deviceSelector",
                        "",
                        "an empty selector taints every device of the cluster",
                        "write deviceSelector: {driver: ...}, with pool and device for a single one; leave it if all devices"
                                + " are meant")));
        object.root()
                .get("spec")
                .filter(spec -> isRule
                        && spec.get("deviceSelector").isEmpty()
                        && spec.fields().stream().noneMatch(entry -> MisplacedFields.isOfSelector(entry.name())))
                .ifPresent(spec -> found.add(object.error(
                        LintRule.IDLE_RULE,
                        spec,
                        "spec.deviceSelector",
                        "",
                        "a rule without a selector taints nothing in 1.37.2; up to 1.37.0, kube-scheduler applies it to every device",
                        "write deviceSelector: {driver: ...}, with pool and device for a single one")));
    }
}
