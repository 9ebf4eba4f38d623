package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceNode;
import dev.claimstream.manifests.source.SourceText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Divides texts into sets that each describe one cluster.
 *
 * <p>A file with a scenario is a set of its own. Directories whose ResourceSlices of one name differ describe different clusters: each of
 * them is a set, with the directories below it. The files above and the directories without slices beside them belong to each of these
 * clusters, unless they define an object of a cluster in another way.
 */
final class ManifestSets {
    private static final String SLICE = "ResourceSlice";

    private final List<List<SourceText>> sets = new ArrayList<>();
    /** The groups of texts that are part of a set already. */
    private final Set<List<SourceText>> joined = Collections.newSetFromMap(new IdentityHashMap<>());

    private ManifestSets() {}

    static List<List<SourceText>> of(List<SourceText> sources) {
        ManifestSets division = new ManifestSets();
        List<SourceText> others = new ArrayList<>();
        for (SourceText source : sources) {
            if (hasKind(source, "Scenario")) {
                division.sets.add(List.of(source));
            } else {
                others.add(source);
            }
        }
        SelfContainedFolders.parts(others).forEach(part -> division.divide(part, 0, List.of()));
        return division.sets;
    }

    private static boolean hasKind(SourceText source, String kind) {
        return SourceObject.of(source).stream().anyMatch(object -> object.kind().equals(kind));
    }

    /**
     * Adds one set, or one for each directory that describes a cluster.
     *
     * @param shared groups of texts that belong to each cluster
     */
    private void divide(List<SourceText> sources, int depth, List<List<SourceText>> shared) {
        Map<String, List<SourceText>> byDirectory = new LinkedHashMap<>();
        sources.forEach(source -> byDirectory
                .computeIfAbsent(directory(source, depth), _ -> new ArrayList<>())
                .add(source));
        boolean isDeepest = byDirectory.size() == 1 && byDirectory.containsKey("");
        if (isDeepest || !isContradictory(sources)) {
            add(sources, shared);
        } else if (byDirectory.size() == 1) {
            divide(sources, depth + 1, shared);
        } else {
            divide(byDirectory, depth, shared);
        }
    }

    private void divide(Map<String, List<SourceText>> byDirectory, int depth, List<List<SourceText>> shared) {
        boolean isBetween = isContradictory(byDirectory);
        List<List<SourceText>> clusters = new ArrayList<>();
        List<SourceText> rest = new ArrayList<>();
        List<List<SourceText>> common = new ArrayList<>();
        byDirectory.forEach((directory, sources) -> {
            if (directory.isEmpty() || sources.stream().noneMatch(source -> hasKind(source, SLICE))) {
                common.add(sources);
            } else if (isBetween || isContradictory(sources)) {
                clusters.add(sources);
            } else {
                rest.addAll(sources);
            }
        });
        if (!rest.isEmpty()) {
            clusters.add(rest);
        }
        List<List<SourceText>> all = new ArrayList<>(common);
        all.addAll(shared);
        clusters.forEach(cluster -> divide(cluster, depth + 1, all));
        common.stream().filter(group -> !joined.contains(group)).forEach(group -> add(group, all));
    }

    /** Adds the set of a cluster and of the shared texts that define none of its objects in another way. */
    private void add(List<SourceText> cluster, List<List<SourceText>> shared) {
        List<SourceText> set = new ArrayList<>(cluster);
        Map<String, SourceNode> defined = objects(cluster);
        for (List<SourceText> group : shared) {
            Map<String, SourceNode> objects = objects(group);
            boolean isSame = objects.entrySet().stream()
                    .allMatch(each -> !defined.containsKey(each.getKey())
                            || SameValues.isSame(each.getValue(), defined.get(each.getKey())));
            if (group != cluster && isSame) {
                defined.putAll(objects);
                set.addAll(group);
                joined.add(group);
            }
        }
        sets.add(set);
    }

    private static Map<String, SourceNode> objects(Collection<SourceText> sources) {
        Map<String, SourceNode> objects = new LinkedHashMap<>();
        for (SourceText source : sources) {
            for (SourceObject object : SourceObject.of(source)) {
                if (!object.name().isEmpty() && LintCoverage.isChecked(object)) {
                    objects.put("%s/%s/%s".formatted(object.kind(), object.namespace(), object.name()), object.root());
                }
            }
        }
        return objects;
    }

    /** Returns the name of the directory of a file at a depth; empty if the file is in the directory above. */
    private static String directory(SourceText source, int depth) {
        Path path = Path.of(source.name());
        return depth < path.getNameCount() - 1 ? path.getName(depth).toString() : "";
    }

    private static boolean isContradictory(List<SourceText> sources) {
        Map<String, List<SourceText>> byFile = new LinkedHashMap<>();
        sources.forEach(source -> byFile.put(source.name(), List.of(source)));
        return isContradictory(byFile);
    }

    /** Returns whether two groups have different slices of one name. */
    private static boolean isContradictory(Map<String, List<SourceText>> groups) {
        record GroupSlice(String group, SourceNode root) {}
        Map<String, GroupSlice> first = new HashMap<>();
        for (var group : groups.entrySet()) {
            for (SourceText source : group.getValue()) {
                for (SourceObject object : SourceObject.of(source)) {
                    if (object.kind().equals(SLICE) && !object.name().isEmpty()) {
                        GroupSlice slice = new GroupSlice(group.getKey(), object.root());
                        GroupSlice other = first.putIfAbsent(object.name(), slice);
                        if (other != null
                                && !other.group.equals(slice.group)
                                && !SameValues.isSame(other.root, slice.root)) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }
}
