package dev.claimstream.lint;

import dev.claimstream.manifests.PodTemplates;
import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Finds parts of objects, with their paths, for several rules. */
final class ObjectParts {
    private ObjectParts() {}

    /**
     * A part of an object.
     *
     * @param key the name of the field, or the node itself if it is a list item or the object
     */
    record ObjectPart(String path, SourceNode node, SourceNode key) implements PodTemplates.ObjectPosition<ObjectPart> {
        /** Creates the part for the object itself or for a list item. */
        ObjectPart(String path, SourceNode node) {
            this(path, node, node);
        }

        @Override
        public Optional<ObjectPart> get(String name) {
            String field = path.isEmpty() ? name : path + "." + name;
            return node instanceof SourceNode.SourceMapping mapping
                    ? mapping.entry(name)
                            .filter(entry -> !entry.value().isNull())
                            .map(entry -> new ObjectPart(field, entry.value(), entry.key()))
                    : Optional.empty();
        }

        @Override
        public List<ObjectPart> items(String name) {
            List<SourceNode> items = node.items(name);
            String list = path.isEmpty() ? name : path + "." + name;
            return IntStream.range(0, items.size())
                    .mapToObj(i -> new ObjectPart("%s[%d]".formatted(list, i), items.get(i)))
                    .toList();
        }

        @Override
        public List<String> fieldNames() {
            return node.fields().stream().map(SourceNode.SourceField::name).toList();
        }
    }

    private static Optional<ObjectPart> at(SourceObject object, String... names) {
        Optional<ObjectPart> part = Optional.of(new ObjectPart("", object.root()));
        for (String name : names) {
            part = part.flatMap(each -> each.get(name));
        }
        return part;
    }

    /** Returns the pod specs of an object: of a pod, or of the pod templates of a workload. */
    static List<ObjectPart> pods(SourceObject object) {
        return PodTemplates.podSpecs(object.apiVersion(), object.kind(), new ObjectPart("", object.root()));
    }

    /** Returns whether an operator completes the pods of the object, for example with names and images. */
    static boolean isOfOperator(SourceObject object) {
        return PodTemplates.isOfOperator(object.apiVersion());
    }

    /** Returns {@code devices} of a claim or of the claims of a template. */
    static Optional<ObjectPart> devices(SourceObject object) {
        if (!object.isResource()) {
            return Optional.empty();
        }
        return switch (object.kind()) {
            case "ResourceClaim" -> at(object, "spec", "devices");
            case "ResourceClaimTemplate" ->
                at(object, "spec", "spec", "devices").or(() -> at(object, "spec", "devices"));
            default -> Optional.empty();
        };
    }

    /** Returns the parts that request devices: the requests, their {@code exactly}, and their alternatives. */
    static List<ObjectPart> requestParts(SourceObject object) {
        List<ObjectPart> all = new ArrayList<>();
        devices(object)
                .ifPresent(devices -> devices.items("requests").forEach(request -> {
                    all.add(request);
                    request.get("exactly").ifPresent(all::add);
                    all.addAll(request.items("firstAvailable"));
                }));
        return all;
    }

    /** Returns the expressions of a class or claim. */
    static List<ObjectPart> expressions(SourceObject object) {
        List<ObjectPart> holders = object.isResource() && object.kind().equals("DeviceClass")
                ? at(object, "spec").stream().toList()
                : requestParts(object);
        return holders.stream()
                .flatMap(holder -> holder.items("selectors").stream())
                .flatMap(selector -> selector.get("cel").flatMap(cel -> cel.get("expression")).stream())
                .filter(expression -> expression.node() instanceof SourceNode.SourceScalar)
                .toList();
    }

    /** Returns the devices of a slice. */
    static List<ObjectPart> deviceParts(SourceObject object) {
        return object.isResource() && object.kind().equals("ResourceSlice")
                ? at(object, "spec").map(spec -> spec.items("devices")).orElse(List.of())
                : List.of();
    }
}
