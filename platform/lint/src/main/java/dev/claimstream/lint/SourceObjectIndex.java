package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The objects of the manifests by kind and name. */
final class SourceObjectIndex {
    private final Map<String, List<SourceObject>> byName = new HashMap<>();
    private final Map<String, List<String>> names = new HashMap<>();

    SourceObjectIndex(List<SourceObject> objects) {
        objects.forEach(each -> byName.computeIfAbsent(each.kind() + "/" + each.name(), _ -> new ArrayList<>())
                .add(each));
    }

    /** Returns the objects with a kind and name in all namespaces. */
    List<SourceObject> byName(String kind, String name) {
        return List.copyOf(byName.getOrDefault(kind + "/" + name, List.of()));
    }

    /** Returns the names of all objects of a kind that an object of a namespace can use, sorted. */
    List<String> names(String kind, String namespace) {
        return names.computeIfAbsent(kind + "/" + namespace, _ -> collectNames(kind, namespace));
    }

    private List<String> collectNames(String kind, String namespace) {
        return byName.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith(kind + "/"))
                .filter(entry -> kind.equals("DeviceClass")
                        || entry.getValue().stream()
                                .anyMatch(each -> each.namespace().equals(namespace)))
                .map(entry -> entry.getKey().substring(kind.length() + 1))
                .filter(name -> !name.isEmpty())
                .sorted()
                .toList();
    }

    /** Returns the claim or template that an entry of a pod names. */
    Optional<SourceObject> claim(SourceObject pod, ObjectPart entry) {
        return entry.node()
                .text("resourceClaimName")
                .flatMap(name -> find(pod.namespace(), "ResourceClaim", name))
                .or(() -> entry.node()
                        .text("resourceClaimTemplateName")
                        .flatMap(name -> find(pod.namespace(), "ResourceClaimTemplate", name)));
    }

    Optional<SourceObject> find(String namespace, String kind, String name) {
        return byName(kind, name).stream()
                .filter(each -> each.namespace().equals(namespace))
                .findFirst();
    }
}
