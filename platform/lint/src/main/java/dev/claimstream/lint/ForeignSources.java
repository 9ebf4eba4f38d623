package dev.claimstream.lint;

import dev.claimstream.manifests.ForeignDocuments;
import dev.claimstream.manifests.source.SourceDocument;
import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceText;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds files that lie beside manifests and are none: values, kustomizations and their patches, configuration of tools. */
final class ForeignSources {
    private static final String KUSTOMIZATION = "kustomization";

    private ForeignSources() {}

    /** Returns the names of the files to pass over; none if the other files contain no object. */
    static Set<String> of(List<SourceText> sources) {
        Set<String> names = new LinkedHashSet<>();
        sources.stream().filter(ForeignSources::isForeign).map(SourceText::name).forEach(names::add);
        Set<Path> patches = sources.stream()
                .filter(source -> fileName(source).startsWith(KUSTOMIZATION))
                .flatMap(ForeignSources::patches)
                .collect(Collectors.toSet());
        sources.stream()
                .map(SourceText::name)
                .filter(name -> path(name).filter(patches::contains).isPresent())
                .forEach(names::add);
        boolean isNothingLeft = sources.stream()
                .filter(source -> !names.contains(source.name()))
                .allMatch(source -> source.documents().isEmpty());
        return isNothingLeft ? Set.of() : names;
    }

    private static String fileName(SourceText source) {
        String name = source.name().replace('\\', '/');
        return name.substring(name.lastIndexOf('/') + 1);
    }

    private static boolean isForeign(SourceText source) {
        return !source.documents().isEmpty()
                && source.documents().stream().map(SourceDocument::root).allMatch(root -> isForeign(source, root));
    }

    private static boolean isForeign(SourceText source, SourceNode root) {
        return switch (root) {
            case SourceNode.SourceMapping mapping ->
                ForeignDocuments.isForeign(
                        source.name(),
                        mapping.entries().stream()
                                .map(SourceNode.SourceField::name)
                                .toList(),
                        root.text("apiVersion").orElse(""),
                        root.text("kind").orElse(""));
            case SourceNode.SourceSequence list ->
                !list.items().isEmpty()
                        && list.items().stream()
                                .allMatch(item -> item instanceof SourceNode.SourceMapping && !item.has("kind"));
            case SourceNode.SourceScalar _ -> false;
        };
    }

    /** Returns the files with patches of a kustomization, which are parts of objects. */
    private static Stream<Path> patches(SourceText source) {
        List<String> paths = new ArrayList<>();
        for (SourceDocument document : source.documents()) {
            for (String list : List.of("patches", "patchesJson6902", "patchesStrategicMerge")) {
                document.root().items(list).forEach(item -> {
                    item.text("path").ifPresent(paths::add);
                    if (item instanceof SourceNode.SourceScalar scalar) {
                        paths.add(scalar.text());
                    }
                });
            }
        }
        return paths.stream().flatMap(path -> resolved(source, path));
    }

    private static Stream<Path> resolved(SourceText source, String patch) {
        return path(source.name()).stream()
                .flatMap(file -> path(patch).stream().map(file::resolveSibling))
                .map(Path::normalize);
    }

    /** Returns a name as a path in its shortest form; empty if it is none, as a patch in the text itself. */
    private static Optional<Path> path(String name) {
        try {
            return Optional.of(Path.of(name).normalize());
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }
}
