package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Classes, claims and templates that are defined where lint does not read them.
 *
 * <p>A template of Helm defines them under names that only rendering shows. The controller of a custom resource creates those that the
 * custom resource names.
 */
final class UnseenDefinitions {
    private static final Pattern KIND = Pattern.compile("(?m)^[\\s-]*[\"']?kind[\"']?:\\s+[\"']?"
            + "(DeviceClass|ResourceClaim|ResourceClaimTemplate)[\"']?\\s*,?\\s*(?:\\s#.*)?$");
    private static final Pattern MISSING = Pattern.compile("no (\\w+) of this name is among the manifests");
    private static final String TYPING_ERROR = "did you mean ";
    private static final String TEMPLATES = "templates";

    /** API groups of Kubernetes with a dot in their names; the others have none. */
    private static final Set<String> GROUPS = Set.of(
            "admissionregistration.k8s.io",
            "apiextensions.k8s.io",
            "apiregistration.k8s.io",
            "authentication.k8s.io",
            "authorization.k8s.io",
            "certificates.k8s.io",
            "coordination.k8s.io",
            "discovery.k8s.io",
            "events.k8s.io",
            "flowcontrol.apiserver.k8s.io",
            "internal.apiserver.k8s.io",
            "networking.k8s.io",
            "node.k8s.io",
            "rbac.authorization.k8s.io",
            "resource.k8s.io",
            "scheduling.k8s.io",
            "storage.k8s.io",
            "storagemigration.k8s.io");

    private final List<TemplateKind> kinds;
    private final Set<String> names = new HashSet<>();

    /**
     * A kind that a template defines.
     *
     * @param folder of the chart; empty if all files are below it
     */
    private record TemplateKind(String kind, Path folder) {
        boolean isFor(String kindOfMissing, Path file) {
            return kind.equals(kindOfMissing) && (folder.toString().isEmpty() || file.startsWith(folder));
        }
    }

    /**
     * Looks for definitions.
     *
     * @param unfinished the texts that are not yet manifests
     * @param objects of all other texts
     */
    UnseenDefinitions(List<SourceText> unfinished, List<SourceObject> objects) {
        kinds = unfinished.stream()
                .flatMap(source -> KIND.matcher(source.text())
                        .results()
                        .map(found -> found.group(1))
                        .distinct()
                        .map(kind -> new TemplateKind(kind, chart(path(source.name())))))
                .distinct()
                .toList();
        objects.stream()
                .filter(object -> !LintCoverage.isChecked(object) && isCustom(object))
                .flatMap(object -> object.root().get("spec").stream())
                .forEach(this::collect);
    }

    private static Path path(String name) {
        return Path.of(name).normalize();
    }

    /** Returns the folder of the chart that contains a template: the one above its templates, else the one of the file. */
    private static Path chart(Path template) {
        List<Path> folders = new ArrayList<>();
        for (Path folder = template.getParent(); folder != null; folder = folder.getParent()) {
            folders.add(folder);
        }
        Path nearest = folders.isEmpty() ? Path.of("") : folders.getFirst();
        return folders.stream()
                .filter(folder -> folder.endsWith(TEMPLATES))
                .findFirst()
                .map(folder -> folder.getParent() == null ? Path.of("") : folder.getParent())
                .orElse(nearest);
    }

    /** Returns whether an object belongs to an API group that a custom resource definition adds. */
    private static boolean isCustom(SourceObject object) {
        String version = object.apiVersion();
        String group = version.substring(0, Math.max(0, version.indexOf('/')));
        return group.contains(".") && !GROUPS.contains(group);
    }

    private void collect(SourceNode node) {
        switch (node) {
            case SourceNode.SourceScalar scalar -> names.add(scalar.text());
            case SourceNode.SourceSequence list -> list.items().forEach(this::collect);
            case SourceNode.SourceMapping mapping -> mapping.entries().forEach(entry -> collect(entry.value()));
        }
    }

    /** Returns whether a finding misses an object that is probably defined here. A name that is near to another one is an error. */
    boolean explain(LintFinding found) {
        var missing = MISSING.matcher(found.finding().message());
        if (!missing.matches() || found.finding().remedy().startsWith(TYPING_ERROR)) {
            return false;
        }
        Path file = path(found.finding().location().file());
        return names.contains(found.finding().value())
                || kinds.stream().anyMatch(template -> template.isFor(missing.group(1), file));
    }
}
