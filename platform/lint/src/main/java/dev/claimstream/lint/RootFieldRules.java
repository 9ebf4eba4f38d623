package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds wrong capitals in the fields of an object itself and in its kind; no other rule knows what to check then. */
final class RootFieldRules {
    private static final List<String> FIELDS = List.of("apiVersion", "kind", "metadata", "spec", "status");
    private static final List<String> KINDS = List.of(
            "ResourceClaim",
            "ResourceClaimTemplate",
            "DeviceClass",
            "ResourceSlice",
            "DeviceTaintRule",
            "Pod",
            "Node",
            "Namespace",
            "PodTemplate",
            "ReplicationController",
            "Deployment",
            "StatefulSet",
            "DaemonSet",
            "ReplicaSet",
            "Job",
            "CronJob");

    private RootFieldRules() {}

    static List<LintFinding> findings(SourceObject object) {
        List<LintFinding> found = new ArrayList<>();
        for (SourceNode.SourceField entry : object.root().fields()) {
            FIELDS.stream()
                    .filter(name -> name.equalsIgnoreCase(entry.name())
                            && !object.root().has(name))
                    .findFirst()
                    .ifPresent(name -> found.add(object.error(
                            LintRule.MISSPELT_FIELD,
                            entry.key(),
                            entry.name(),
                            "",
                            "unknown field",
                            "did you mean " + name + "?")));
        }
        kind(object)
                .ifPresent(name -> found.add(object.error(
                        LintRule.UNKNOWN_KIND,
                        object.root().fields().stream()
                                .filter(entry -> entry.name().equalsIgnoreCase("kind"))
                                .map(SourceNode.SourceField::key)
                                .findFirst()
                                .orElseThrow(),
                        "kind",
                        object.kind(),
                        "no matches for kind \"%s\" in version \"%s\"".formatted(object.kind(), object.apiVersion()),
                        "did you mean %s?".formatted(name))));
        return found;
    }

    /** Returns the kind that differs from the written one in capitals only. */
    static Optional<String> kind(SourceObject object) {
        String kind = object.kind();
        return KINDS.stream()
                .filter(known -> known.equalsIgnoreCase(kind) && !known.equals(kind))
                .findFirst();
    }
}
