package dev.claimstream.lint;

import dev.claimstream.dra.ExtendedResources;
import dev.claimstream.lint.ObjectParts.ObjectPart;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Checks that pods do not request devices of managed classes as extended resources.
 *
 * <p>For extended resources kube-scheduler itself creates and allocates a claim, without the controller that manages the class.
 */
final class ManagedClassRules {
    private static final List<String> CONTAINERS = List.of("containers", "initContainers");
    private static final List<String> AMOUNTS = List.of("requests", "limits");

    private final Set<String> managed;

    ManagedClassRules(Set<String> managed) {
        this.managed = Set.copyOf(managed);
    }

    List<LintFinding> findings(SourceObject object) {
        if (managed.isEmpty()) {
            return List.of();
        }
        List<LintFinding> found = new ArrayList<>();
        name(object).ifPresent(found::add);
        ObjectParts.pods(object)
                .forEach(pod -> CONTAINERS.stream()
                        .flatMap(list -> pod.items(list).stream())
                        .flatMap(container -> container.get("resources").stream())
                        .forEach(resources -> AMOUNTS.forEach(amounts ->
                                resources.get(amounts).ifPresent(part -> checkAmounts(object, part, found)))));
        return found;
    }

    private Optional<LintFinding> name(SourceObject object) {
        if (!object.isResource() || !object.kind().equals("DeviceClass") || !managed.contains(object.name())) {
            return Optional.empty();
        }
        return new ObjectPart("", object.root())
                .get("spec")
                .flatMap(spec -> spec.get("extendedResourceName"))
                .map(name -> object.error(
                        LintRule.MANAGED_CLASS,
                        name.key(),
                        name.path(),
                        object.root()
                                .at("spec")
                                .flatMap(spec -> spec.text("extendedResourceName"))
                                .orElse(""),
                        "kube-scheduler itself allocates requests for this name, although it does not manage the class",
                        "leave it out, and let pods name claims of the class"));
    }

    private void checkAmounts(SourceObject object, ObjectPart amounts, List<LintFinding> found) {
        amounts.node().fields().stream()
                .filter(each -> each.name().startsWith(ExtendedResources.CLASS_PREFIX)
                        && managed.contains(each.name().substring(ExtendedResources.CLASS_PREFIX.length())))
                .forEach(each -> found.add(object.error(
                        LintRule.MANAGED_CLASS,
                        each.key(),
                        "%s[%s]".formatted(amounts.path(), each.name()),
                        each.name(),
                        "kube-scheduler itself allocates this resource, although it does not manage the class",
                        "name a claim of the class in resourceClaims of the pod and in resources.claims")));
    }
}
