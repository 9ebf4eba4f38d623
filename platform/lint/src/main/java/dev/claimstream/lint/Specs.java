package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Parts of objects that several rules look at, with their paths. */
final class Specs {
    private Specs() {}

    /**
     * A part of an object.
     *
     * @param key the name of the field that it is, or itself where it is a member of a list
     */
    record Part(String path, SourceNode node, SourceNode key) {
        /** The object itself, or a member of a list. */
        Part(String path, SourceNode node) {
            this(path, node, node);
        }

        Optional<Part> get(String name) {
            String field = path.isEmpty() ? name : path + "." + name;
            return node instanceof SourceNode.Mapping mapping
                    ? mapping.entry(name)
                            .filter(entry -> !entry.value().isNull())
                            .map(entry -> new Part(field, entry.value(), entry.key()))
                    : Optional.empty();
        }

        /** The members of a list in a field. */
        List<Part> items(String name) {
            List<SourceNode> items = node.items(name);
            String list = path.isEmpty() ? name : path + "." + name;
            return IntStream.range(0, items.size())
                    .mapToObj(i -> new Part("%s[%d]".formatted(list, i), items.get(i)))
                    .toList();
        }
    }

    private static Optional<Part> at(Written object, String... names) {
        Optional<Part> part = Optional.of(new Part("", object.root()));
        for (String name : names) {
            part = part.flatMap(each -> each.get(name));
        }
        return part;
    }

    /** The spec of the pods of an object: of a pod, or of what makes pods. */
    static Optional<Part> pod(Written object) {
        return switch (object.apiVersion() + " " + object.kind()) {
            case "v1 Pod" -> at(object, "spec");
            case "v1 PodTemplate" -> at(object, "template", "spec");
            case "batch/v1 CronJob" -> at(object, "spec", "jobTemplate", "spec", "template", "spec");
            case "apps/v1 Deployment",
                    "apps/v1 StatefulSet",
                    "apps/v1 DaemonSet",
                    "apps/v1 ReplicaSet",
                    "batch/v1 Job",
                    "v1 ReplicationController" -> at(object, "spec", "template", "spec");
            default -> Optional.empty();
        };
    }

    /** {@code devices} of a claim or of a template's claims. */
    static Optional<Part> devices(Written object) {
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

    /** What asks for devices: the requests, what stands under exactly in them, and the alternatives. */
    static List<Part> asking(Written object) {
        List<Part> all = new ArrayList<>();
        devices(object)
                .ifPresent(devices -> devices.items("requests").forEach(request -> {
                    all.add(request);
                    request.get("exactly").ifPresent(all::add);
                    all.addAll(request.items("firstAvailable"));
                }));
        return all;
    }

    /** The expressions of a class or a claim. */
    static List<Part> expressions(Written object) {
        List<Part> holders = object.isResource() && object.kind().equals("DeviceClass")
                ? at(object, "spec").stream().toList()
                : asking(object);
        return holders.stream()
                .flatMap(holder -> holder.items("selectors").stream())
                .flatMap(selector -> selector.get("cel").flatMap(cel -> cel.get("expression")).stream())
                .filter(expression -> expression.node() instanceof SourceNode.Scalar)
                .toList();
    }

    /** The devices of a slice. */
    static List<Part> published(Written object) {
        return object.isResource() && object.kind().equals("ResourceSlice")
                ? at(object, "spec").map(spec -> spec.items("devices")).orElse(List.of())
                : List.of();
    }
}
