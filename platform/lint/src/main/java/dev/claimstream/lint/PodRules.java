package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks pods and pod templates: every listed claim exists and is used by a container. */
final class PodRules {
    private static final List<String> CONTAINERS = List.of("containers", "initContainers", "ephemeralContainers");

    private final SourceObject object;
    private final ObjectPart spec;
    private final SourceObjectIndex references;
    private final List<LintFinding> found = new ArrayList<>();

    private PodRules(SourceObject object, ObjectPart spec, SourceObjectIndex references) {
        this.object = object;
        this.spec = spec;
        this.references = references;
    }

    static List<LintFinding> findings(SourceObject object, SourceObjectIndex references) {
        List<LintFinding> found = new ArrayList<>();
        for (ObjectPart spec : ObjectParts.pods(object)) {
            PodRules rules = new PodRules(object, spec, references);
            if (!ObjectParts.isOfOperator(object)) {
                rules.containers(); // an operator may add names and images
            }
            rules.entries();
            rules.checkUses();
            found.addAll(rules.found);
        }
        return found;
    }

    private void containers() {
        List<ObjectPart> containers = spec.items("containers");
        if (containers.isEmpty()) {
            required(spec, "containers", "write containers: [{name: ..., image: ...}]");
        }
        boolean isPod = object.kind().equals("Pod"); // in other kinds, a controller or webhook may set the image
        for (ObjectPart container : containers) {
            if (container.node().text("name").isEmpty()) {
                required(container, "name", "give the container a name");
            }
            if (isPod && container.node().text("image").isEmpty()) {
                required(container, "image", "name an image");
            }
        }
    }

    private void required(ObjectPart parent, String field, String remedy) {
        add(LintRule.REQUIRED, parent.node(), parent.path() + "." + field, "", "Required value", remedy);
    }

    private void entries() {
        for (ObjectPart entry : spec.items("resourceClaims")) {
            boolean isClaim = entry.node().text("resourceClaimName").isPresent();
            boolean isTemplate = entry.node().text("resourceClaimTemplateName").isPresent();
            if (!object.kind().equals("Pod")) {
                source(entry, isClaim, isTemplate);
            }
            entry.get("resourceClaimName").ifPresent(name -> checkNamespace(name, "ResourceClaim"));
            entry.get("resourceClaimTemplateName").ifPresent(name -> checkNamespace(name, "ResourceClaimTemplate"));
        }
    }

    /** Checks the claim source in pod templates; the reader checks it in pods. */
    private void source(ObjectPart entry, boolean isClaim, boolean isTemplate) {
        if (isClaim && isTemplate) {
            String message = "Invalid value: at most one of `resourceClaimName` or `resourceClaimTemplateName` may be"
                    + " specified";
            add(LintRule.INVALID_VALUE, entry.node(), entry.path(), "", message, "leave one of the two out");
        } else if (!isClaim && !isTemplate && !entry.node().has("source")) {
            String message = "Invalid value: must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
            add(LintRule.INVALID_VALUE, entry.node(), entry.path(), "", message, "write one of the two");
        }
    }

    private void checkNamespace(ObjectPart name, String kind) {
        if (!(name.node() instanceof SourceNode.SourceScalar scalar)) {
            return;
        }
        List<SourceObject> named = references.byName(kind, scalar.text());
        if (named.isEmpty() || named.stream().anyMatch(each -> each.namespace().equals(object.namespace()))) {
            return;
        }
        add(
                LintRule.OTHER_NAMESPACE,
                name.key(),
                name.path(),
                scalar.text(),
                "the %s of this name is in namespace %s, the pod in %s"
                        .formatted(kind, named.getFirst().namespace(), object.namespace()),
                "put both into one namespace: a pod uses only claims and templates of its namespace");
    }

    private void checkUses() {
        Set<String> used = new HashSet<>();
        for (String list : CONTAINERS) {
            for (ObjectPart container : spec.items(list)) {
                container.get("resources").ifPresent(resources -> {
                    Set<String> here = new HashSet<>();
                    resources.items("claims").forEach(use -> use(use, used, here));
                });
            }
        }
        for (ObjectPart entry : spec.items("resourceClaims")) {
            String name = entry.node().text("name").orElse("");
            if (!used.contains(name) && !spec.items("containers").isEmpty()) {
                unused(entry, name);
            }
        }
    }

    private void unused(ObjectPart entry, String name) {
        Optional<SourceObject> claim = references.claim(object, entry);
        if (NetworkClaims.isOfSandbox(claim, references)) {
            return;
        }
        if (NetworkClaims.isNetwork(entry, claim, references)) {
            found.add(object.warning(
                    LintRule.UNUSED_CLAIM,
                    entry.node(),
                    entry.path(),
                    name,
                    "no container uses the claim, which is right if the driver acts on the network of the pod",
                    "for a driver that acts on containers, write resources: {claims: [{name: %s}]} in a container"
                            .formatted(name)));
            return;
        }
        add(
                LintRule.UNUSED_CLAIM,
                entry.node(),
                entry.path(),
                name,
                "no container uses the claim: its devices are allocated but no container gets them",
                "write resources: {claims: [{name: %s}]} in a container".formatted(name));
    }

    private void use(ObjectPart use, Set<String> used, Set<String> here) {
        String name = use.node().text("name").orElse("");
        String request = use.node().text("request").orElse("");
        used.add(name);
        Optional<ObjectPart> entry = spec.items("resourceClaims").stream()
                .filter(each -> each.node().text("name").orElse("").equals(name))
                .findFirst();
        if (!here.add(name + "/" + request)) {
            add(LintRule.DUPLICATE, use.node(), use.path(), name, "Duplicate value", "leave one of the two out");
        }
        if (entry.isEmpty()) {
            add(
                    LintRule.UNKNOWN_CLAIM,
                    use.node(),
                    use.path(),
                    name,
                    "Not found: the pod lists no claim of this name",
                    "list it in resourceClaims of the pod, or name one of " + names());
        } else if (!request.isEmpty()) {
            request(use, request, entry.get());
        }
    }

    private String names() {
        List<String> names = spec.items("resourceClaims").stream()
                .flatMap(each -> each.node().text("name").stream())
                .toList();
        return names.isEmpty() ? "the listed claims: none" : "these: " + String.join(", ", names);
    }

    private void request(ObjectPart use, String request, ObjectPart entry) {
        List<String> known = references
                .claim(object, entry)
                .flatMap(ObjectParts::devices)
                .map(devices -> devices.items("requests"))
                .orElse(List.of())
                .stream()
                .flatMap(each -> each.node().text("name").stream())
                .toList();
        if (!known.isEmpty() && !known.contains(request)) {
            add(
                    LintRule.UNKNOWN_REQUEST,
                    use.node(),
                    use.path() + ".request",
                    request,
                    "the claim has no request of this name: the container does not start",
                    "name one of " + String.join(", ", known));
        }
    }

    private void add(LintRule rule, SourceNode at, String path, String value, String message, String remedy) {
        found.add(object.error(rule, at, path, value, message, remedy));
    }
}
