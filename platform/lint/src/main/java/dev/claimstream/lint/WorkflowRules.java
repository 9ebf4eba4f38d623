package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** Checks the claims in Argo Workflows. Their templates have no pod spec: a patch adds the claims to the pod. */
final class WorkflowRules {
    private static final Set<String> KINDS =
            Set.of("Workflow", "WorkflowTemplate", "ClusterWorkflowTemplate", "CronWorkflow");
    private static final String PATCH = "podSpecPatch";

    private WorkflowRules() {}

    static boolean isWorkflow(SourceObject object) {
        return object.apiVersion().startsWith("argoproj.io/") && KINDS.contains(object.kind());
    }

    static List<LintFinding> findings(SourceObject object) {
        Optional<ObjectPart> spec = Optional.of(new ObjectPart("", object.root()))
                .filter(_ -> isWorkflow(object))
                .flatMap(root -> root.get("spec"))
                .map(part -> part.get("workflowSpec").orElse(part));
        List<LintFinding> found = new ArrayList<>();
        spec.ifPresent(part -> part.items("templates").forEach(template -> {
            String defaults =
                    part.get("templateDefaults").map(WorkflowRules::patch).orElse("");
            String patch = String.join("\n", patch(part), defaults, patch(template));
            for (ObjectPart container : containers(template)) {
                container
                        .get("resources")
                        .ifPresent(resources -> resources
                                .items("claims")
                                .forEach(use -> unknownClaim(object, use, patch).ifPresent(found::add)));
            }
        }));
        return found;
    }

    /** Returns whether a patch, in JSON or YAML, contains an object with exactly this name. */
    private static boolean names(String patch, String name) {
        return Pattern.compile("\\bname[\"']?\\s*:\\s*[\"']?" + Pattern.quote(name) + "(?![-.\\w])")
                .matcher(patch)
                .find();
    }

    private static String patch(ObjectPart part) {
        return part.node().text(PATCH).orElse("");
    }

    private static List<ObjectPart> containers(ObjectPart template) {
        List<ObjectPart> containers = new ArrayList<>();
        template.get("container").ifPresent(containers::add);
        template.get("script").ifPresent(containers::add);
        template.get("containerSet").ifPresent(set -> containers.addAll(set.items("containers")));
        containers.addAll(template.items("sidecars"));
        containers.addAll(template.items("initContainers"));
        return containers;
    }

    private static Optional<LintFinding> unknownClaim(SourceObject object, ObjectPart use, String patch) {
        String name = use.node().text("name").orElse("");
        boolean isKnown = patch.contains("resourceClaims") && (names(patch, name) || patch.contains("{{"));
        if (name.isEmpty() || isKnown || !(use.node() instanceof SourceNode.SourceMapping)) {
            return Optional.empty();
        }
        return Optional.of(object.error(
                LintRule.UNKNOWN_CLAIM,
                use.node(),
                use.path(),
                name,
                "Not found: the pod lists no claim of this name",
                "list it in the patch of the pod: %s: '{\"resourceClaims\": [{\"name\": \"%s\", ...}]}'"
                        .formatted(PATCH, name)));
    }
}
