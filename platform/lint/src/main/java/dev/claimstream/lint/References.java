package dev.claimstream.lint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The objects of the manifests by kind and name. */
final class References {
    private final Map<String, List<Written>> byName = new HashMap<>();

    References(List<Written> objects) {
        objects.forEach(each -> byName.computeIfAbsent(each.kind() + "/" + each.name(), _ -> new ArrayList<>())
                .add(each));
    }

    /** Returns the objects with a kind and name in all namespaces. */
    List<Written> named(String kind, String name) {
        return List.copyOf(byName.getOrDefault(kind + "/" + name, List.of()));
    }

    /** Returns the object with a kind and name in a namespace. */
    Optional<Written> in(String namespace, String kind, String name) {
        return named(kind, name).stream()
                .filter(each -> each.namespace().equals(namespace))
                .findFirst();
    }
}
