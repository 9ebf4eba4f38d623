package dev.claimstream.lint;

import dev.claimstream.manifests.SourceLocation;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** The objects of all files by the lines on which they stand. */
final class ObjectLocations {
    private final Map<String, NavigableMap<Integer, SourceObject>> byFirstLine = new HashMap<>();

    ObjectLocations(List<SourceObject> objects) {
        objects.forEach(each -> byFirstLine
                .computeIfAbsent(each.source().name(), _ -> new TreeMap<>())
                .putIfAbsent(firstLine(each), each));
    }

    private static int firstLine(SourceObject object) {
        return object.source().line(object.root().span().start());
    }

    private static int lastLine(SourceObject object) {
        return object.source().line(object.root().span().end());
    }

    /** Returns the first object on the line of a location. */
    Optional<SourceObject> objectAt(SourceLocation location) {
        NavigableMap<Integer, SourceObject> objects = byFirstLine.getOrDefault(location.file(), new TreeMap<>());
        var last = objects.floorEntry(location.line());
        if (last == null || lastLine(last.getValue()) < location.line()) {
            return Optional.empty();
        }
        var before = objects.lowerEntry(last.getKey());
        boolean isShared = before != null && lastLine(before.getValue()) >= location.line();
        return Optional.of(isShared ? before.getValue() : last.getValue());
    }
}
