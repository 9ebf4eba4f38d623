package dev.claimstream.cli;

import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.DeviceClass;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.dra.DeviceTaintRule;
import dev.claimstream.dra.Namespace;
import dev.claimstream.dra.Node;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.dra.ResourceClaimTemplate;
import dev.claimstream.dra.ResourceSlice;
import dev.claimstream.manifests.Finding;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.selectors.CelSelectors;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Finds expressions that do not compile, at their places. An API server refuses objects that have one, and so do we. */
final class Expressions {
    private final CelSelectors selectors;

    Expressions(CelSelectors selectors) {
        this.selectors = selectors;
    }

    /** What is wrong with the expressions of an object. */
    List<Finding> findings(Manifest manifest) {
        return expressions(manifest.object()).entrySet().stream()
                .flatMap(each -> selectors.problem(each.getValue()).stream()
                        .map(problem -> manifest.error(
                                each.getKey(),
                                each.getValue(),
                                "CEL compile error: " + problem,
                                "correct the expression; the variable is device with driver, attributes and capacity")))
                .toList();
    }

    private static Map<String, String> expressions(ClusterObject object) {
        Map<String, String> found = new LinkedHashMap<>();
        switch (object) {
            case DeviceClass each -> add(found, "spec", each.selectors());
            case ResourceClaim claim -> add(found, "spec.devices", claim.spec());
            case ResourceClaimTemplate template -> add(found, "spec.spec.devices", template.spec());
            case ResourceSlice slice -> {}
            case DeviceTaintRule rule -> {}
            case Node node -> {}
            case Namespace namespace -> {}
            case Pod pod -> {}
        }
        return found;
    }

    private static void add(Map<String, String> found, String path, ClaimSpec spec) {
        for (int i = 0; i < spec.requests().size(); i++) {
            String request = path + ".requests[" + i + "]";
            switch (spec.requests().get(i)) {
                case DeviceRequest.Exactly exactly ->
                    add(found, request + ".exactly", exactly.spec().selectors());
                case DeviceRequest.FirstAvailable first -> {
                    for (int j = 0; j < first.alternatives().size(); j++) {
                        add(
                                found,
                                request + ".firstAvailable[" + j + "]",
                                first.alternatives().get(j).spec().selectors());
                    }
                }
                case DeviceRequest.Unsupported unsupported -> {}
            }
        }
    }

    private static void add(Map<String, String> found, String path, List<String> selectors) {
        for (int i = 0; i < selectors.size(); i++) {
            found.put(path + ".selectors[" + i + "].cel.expression", selectors.get(i));
        }
    }
}
