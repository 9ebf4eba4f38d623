package dev.claimstream.lint;

import dev.claimstream.lint.ObjectParts.ObjectPart;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Separates folders with slices and claims of their own from the others, as the examples of a driver with the slices of one machine.
 *
 * <p>The slices of such a folder say nothing about claims elsewhere. A folder with slices alone is the inventory of all. If a text
 * elsewhere uses an object of the folder, they belong together.
 */
final class SelfContainedFolders {
    private final List<FolderText> texts;

    /**
     * A text with what matters for the separation.
     *
     * @param defined kinds and names of the classes, claims and templates of the text
     * @param used kinds and names that its claims and pods refer to
     */
    private record FolderText(
            SourceText source,
            Path folder,
            boolean hasSlices,
            boolean hasConsumers,
            Set<String> defined,
            Set<String> used) {
        static FolderText of(SourceText source) {
            List<SourceObject> objects = SourceObject.of(source);
            Set<String> defined = new HashSet<>();
            Set<String> used = new HashSet<>();
            for (SourceObject object : objects) {
                if (object.isResource()) {
                    defined.add(object.kind() + "/" + object.name());
                }
                ObjectParts.requestParts(object)
                        .forEach(request -> add(used, "DeviceClass", request, "deviceClassName"));
                entries(object).forEach(entry -> {
                    add(used, "ResourceClaim", entry, "resourceClaimName");
                    add(used, "ResourceClaimTemplate", entry, "resourceClaimTemplateName");
                });
            }
            Path path = Path.of(source.name()).normalize();
            return new FolderText(
                    source,
                    path.getParent() == null ? Path.of("") : path.getParent(),
                    objects.stream().anyMatch(object -> object.kind().equals("ResourceSlice")),
                    objects.stream()
                            .anyMatch(object -> ObjectParts.devices(object).isPresent()
                                    || entries(object).findAny().isPresent()),
                    defined,
                    used);
        }

        private static Stream<ObjectPart> entries(SourceObject object) {
            return ObjectParts.pods(object).stream().flatMap(pod -> pod.items("resourceClaims").stream());
        }

        private static void add(Set<String> used, String kind, ObjectPart holder, String field) {
            holder.get(field)
                    .filter(name -> name.node() instanceof SourceNode.SourceScalar)
                    .ifPresent(name -> used.add(kind + "/" + ((SourceNode.SourceScalar) name.node()).text()));
        }
    }

    private SelfContainedFolders(List<SourceText> sources) {
        texts = sources.stream().map(FolderText::of).toList();
    }

    /** Returns the parts: one for each such folder, and the rest; one part if there is no such folder beside other claims. */
    static List<List<SourceText>> parts(List<SourceText> sources) {
        return new SelfContainedFolders(sources).parts();
    }

    private List<List<SourceText>> parts() {
        Set<Path> found = new HashSet<>();
        texts.stream()
                .filter(FolderText::hasSlices)
                .forEach(text -> consumersFolder(text.folder()).ifPresent(found::add));
        List<Path> folders = found.stream()
                .filter(folder -> found.stream().noneMatch(other -> !other.equals(folder) && folder.startsWith(other)))
                .sorted()
                .toList();
        List<FolderText> rest = texts.stream()
                .filter(text -> folders.stream().noneMatch(text.folder()::startsWith))
                .toList();
        if (folders.isEmpty() || rest.stream().noneMatch(FolderText::hasConsumers) || refersToOthers(rest)) {
            return List.of(sources(texts));
        }
        List<List<SourceText>> parts = new ArrayList<>();
        for (Path folder : folders) {
            parts.add(sources(texts.stream()
                    .filter(text -> text.folder().startsWith(folder)
                            || (rest.contains(text) && !text.hasConsumers() && !text.hasSlices()))
                    .toList()));
        }
        parts.add(sources(rest));
        return parts;
    }

    private static List<SourceText> sources(List<FolderText> texts) {
        return texts.stream().map(FolderText::source).toList();
    }

    /** Returns the nearest folder at or above one that has claims or pods with claims below it; empty if only the root has. */
    private Optional<Path> consumersFolder(Path start) {
        for (Path folder = start; folder != null && !folder.toString().isEmpty(); folder = folder.getParent()) {
            Path current = folder;
            if (texts.stream()
                    .anyMatch(text -> text.hasConsumers() && text.folder().startsWith(current))) {
                return Optional.of(folder);
            }
        }
        return Optional.empty();
    }

    private boolean refersToOthers(List<FolderText> rest) {
        Set<String> own = new HashSet<>();
        rest.forEach(text -> own.addAll(text.defined()));
        Set<String> elsewhere = new HashSet<>();
        texts.forEach(text -> elsewhere.addAll(text.defined()));
        return rest.stream()
                .flatMap(text -> text.used().stream())
                .anyMatch(name -> !own.contains(name) && elsewhere.contains(name));
    }
}
