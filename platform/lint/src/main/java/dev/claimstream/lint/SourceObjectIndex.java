package dev.claimstream.lint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The objects of the manifests by kind and name. */
final class SourceObjectIndex {
    private final Map<String, List<SourceObject>> byName = new HashMap<>();

    SourceObjectIndex(List<SourceObject> objects) {
        objects.forEach(each -> byName.computeIfAbsent(each.kind() + "/" + each.name(), _ -> new ArrayList<>())
                .add(each));
    }

    /** Returns the objects with a kind and name in all namespaces. */
    List<SourceObject> byName(String kind, String name) {
        return List.copyOf(byName.getOrDefault(kind + "/" + name, List.of()));
    }

    /** Returns the object with a kind and name in a namespace. */
    Optional<SourceObject> find(String namespace, String kind, String name) {
        return byName(kind, name).stream()
                .filter(each -> each.namespace().equals(namespace))
                .findFirst();
    }
}
