package dev.claimstream.lint;

import dev.claimstream.manifests.source.SourceText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Divides texts into sets that each describe one cluster.
 *
 * <p>A file with a scenario is a set of its own. Directories whose ResourceSlices of one name differ describe different clusters: each of
 * them is a set, with the directories below it.
 */
final class ManifestSets {
    private static final String SLICE = "ResourceSlice";

    private ManifestSets() {}

    static List<List<SourceText>> of(List<SourceText> sources) {
        List<List<SourceText>> sets = new ArrayList<>();
        List<SourceText> others = new ArrayList<>();
        for (SourceText source : sources) {
            if (hasScenario(source)) {
                sets.add(List.of(source));
            } else {
                others.add(source);
            }
        }
        divide(others, 0, sets);
        return sets;
    }

    private static boolean hasScenario(SourceText source) {
        return SourceObject.of(source).stream().anyMatch(object -> object.kind().equals("Scenario"));
    }

    /** Adds one set, or one for each directory at the depth at which the slices of two directories differ. */
    private static void divide(List<SourceText> sources, int depth, List<List<SourceText>> sets) {
        Map<String, List<SourceText>> byDirectory = new LinkedHashMap<>();
        sources.forEach(source -> byDirectory
                .computeIfAbsent(directory(source, depth), _ -> new ArrayList<>())
                .add(source));
        boolean isDeepest = byDirectory.size() <= 1 && byDirectory.containsKey("");
        if (sources.isEmpty() || isDeepest || !isContradictory(sources)) {
            sets.add(sources);
        } else if (byDirectory.size() > 1 && isContradictory(byDirectory)) {
            byDirectory.values().forEach(inner -> divide(inner, depth + 1, sets));
        } else if (byDirectory.size() == 1) {
            divide(sources, depth + 1, sets);
        } else {
            sets.add(sources);
        }
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
        record SliceText(String group, String text) {}
        Map<String, SliceText> first = new HashMap<>();
        for (var group : groups.entrySet()) {
            for (SourceText source : group.getValue()) {
                for (SourceObject object : SourceObject.of(source)) {
                    if (object.kind().equals(SLICE)) {
                        SliceText slice = new SliceText(
                                group.getKey(), source.text(object.root().span()));
                        SliceText other = first.putIfAbsent(object.name(), slice);
                        if (other != null && !other.group.equals(slice.group) && !other.text.equals(slice.text)) {
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }
}
