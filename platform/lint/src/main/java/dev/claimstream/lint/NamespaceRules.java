package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.tree.ScalarType;
import java.util.List;
import java.util.Optional;

/** Checks that the namespace permits admin access, if the namespace is among the objects. */
final class NamespaceRules {
    private static final String LABEL = "resource.kubernetes.io/admin-access";

    private NamespaceRules() {}

    static List<LintFinding> findings(SourceObject object, SourceObjectIndex references) {
        Optional<SourceObject> namespace =
                references.byName("Namespace", object.namespace()).stream().findFirst();
        if (namespace.isEmpty() || allows(namespace.get())) {
            return List.of();
        }
        return ObjectParts.requestParts(object).stream()
                .flatMap(request -> request.get("adminAccess").stream())
                .filter(flag -> flag.node() instanceof SourceNode.SourceScalar scalar
                        && scalar.type() == ScalarType.BOOL
                        && ScalarType.isTrue(scalar.text()))
                .map(flag -> object.error(
                        LintRule.ADMIN_NAMESPACE,
                        flag.node(),
                        flag.path(),
                        "true",
                        "Forbidden: admin access to devices requires the `%s: true` label on the containing namespace"
                                .formatted(LABEL),
                        "label the namespace %s, or leave adminAccess out".formatted(object.namespace())))
                .toList();
    }

    private static boolean allows(SourceObject namespace) {
        return namespace
                .root()
                .at("metadata", "labels")
                .flatMap(labels -> labels.text(LABEL))
                .filter("true"::equals)
                .isPresent();
    }
}
