package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.ClosestName;
import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Finds names of classes, templates and claims that nothing among the manifests defines.
 *
 * <p>They are warnings, and only if the manifests define objects of the kind: the object may be in the cluster. A name that is near to no
 * defined one is reported once. The classes that public drivers install are
 * not reported.
 */
final class ReferenceRules {
    private static final int NAMES_MAX = 3;

    private final SourceObject object;
    private final SourceObjectIndex references;
    private final Set<String> reported;
    private final List<LintFinding> found = new ArrayList<>();

    private ReferenceRules(SourceObject object, SourceObjectIndex references, Set<String> reported) {
        this.object = object;
        this.references = references;
        this.reported = reported;
    }

    /**
     * Returns the findings about an object.
     *
     * @param reported kind and name of the objects that were reported before; new ones are added
     */
    static List<LintFinding> findings(SourceObject object, SourceObjectIndex references, Set<String> reported) {
        ReferenceRules rules = new ReferenceRules(object, references, reported);
        ObjectParts.requestParts(object)
                .forEach(request -> rules.check(request, "deviceClassName", "DeviceClass", LintRule.UNKNOWN_CLASS));
        for (ObjectPart pod : ObjectParts.pods(object)) {
            for (ObjectPart entry : pod.items("resourceClaims")) {
                rules.check(entry, "resourceClaimName", "ResourceClaim", LintRule.UNKNOWN_TEMPLATE);
                rules.check(entry, "resourceClaimTemplateName", "ResourceClaimTemplate", LintRule.UNKNOWN_TEMPLATE);
            }
        }
        return rules.found;
    }

    private void check(ObjectPart holder, String field, String kind, LintRule rule) {
        Optional<ObjectPart> name = holder.get(field);
        if (name.isEmpty() || !(name.get().node() instanceof SourceNode.SourceScalar scalar)) {
            return;
        }
        List<String> known = references.names(kind, object.namespace());
        boolean isDefined = !references.byName(kind, scalar.text()).isEmpty(); // other-namespace reports the rest
        boolean isInstalledByDriver = kind.equals("DeviceClass") && PublishedClasses.contains(scalar.text());
        if (known.isEmpty() || isDefined || isInstalledByDriver) {
            return;
        }
        Optional<String> suggestion = ClosestName.of(scalar.text(), known);
        boolean isElsewhere = suggestion.isEmpty() && kind.equals("ResourceClaim") && !isInSameText(kind, known);
        if (isElsewhere || (!reported.add(kind + "/" + scalar.text()) && suggestion.isEmpty())) {
            return;
        }
        String remedy = suggestion
                .map("did you mean %s?"::formatted)
                .orElseGet(() -> "it must be in the cluster already; the manifests define " + listed(known));
        found.add(object.warning(
                rule,
                name.get().key(),
                name.get().path(),
                scalar.text(),
                "no %s of this name is among the manifests".formatted(kind),
                remedy));
    }

    /** Returns whether the text of the object defines one of the names. The claims of other texts are often those of other pods. */
    private boolean isInSameText(String kind, List<String> names) {
        return names.stream()
                .flatMap(name -> references.byName(kind, name).stream())
                .anyMatch(each -> each.source().name().equals(object.source().name()));
    }

    private static String listed(List<String> names) {
        String first = String.join(", ", names.subList(0, Math.min(NAMES_MAX, names.size())));
        return names.size() <= NAMES_MAX ? first : "%s and %d more".formatted(first, names.size() - NAMES_MAX);
    }
}
