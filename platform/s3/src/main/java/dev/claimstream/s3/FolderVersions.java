package dev.claimstream.s3;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import software.amazon.awssdk.services.s3.model.DeleteMarkerEntry;
import software.amazon.awssdk.services.s3.model.ObjectVersion;

/** The versions of the sealed objects in a folder. A sealed object has one version, which retention deletes from the beginning. */
final class FolderVersions {
    private final SortedMap<String, List<Version>> byKey = new TreeMap<>();

    /**
     * A version of an object.
     *
     * @param isDeletion whether it is a delete marker
     */
    private record Version(String id, Instant time, boolean isDeletion, boolean isLatest) {}

    void add(ObjectVersion version) {
        add(version.key(), new Version(version.versionId(), version.lastModified(), false, version.isLatest()));
    }

    void add(DeleteMarkerEntry marker) {
        add(marker.key(), new Version(marker.versionId(), marker.lastModified(), true, marker.isLatest()));
    }

    private void add(String key, Version version) {
        byKey.computeIfAbsent(key, _ -> new ArrayList<>()).add(version);
    }

    /**
     * A line per object that was written again or deleted.
     *
     * @param location location of the object of a key, for display
     */
    List<String> problems(UnaryOperator<String> location) {
        var problems = new ArrayList<String>();
        boolean hasEarlier = false;
        for (var each : byKey.entrySet()) {
            // A store lists the newest version of a key first, and its times may be whole seconds.
            List<Version> contents = each.getValue().reversed().stream()
                    .filter(version -> !version.isDeletion())
                    .sorted(Comparator.comparing(Version::time))
                    .toList();
            boolean isDeleted =
                    each.getValue().stream().anyMatch(version -> version.isDeletion() && version.isLatest());
            if (contents.size() > 1) {
                problems.add(
                        "changed: %s was written again at %s, and a sealed file is written once. Compare it with its first version, %s of %s, and restore that one."
                                .formatted(
                                        location.apply(each.getKey()),
                                        contents.getLast().time(),
                                        contents.getFirst().id(),
                                        contents.getFirst().time()));
            } else if (isDeleted && !contents.isEmpty() && (hasEarlier || isLast(each.getKey()))) {
                problems.add(
                        "missing: %s was deleted, and retention deletes from the beginning only. Restore version %s of %s."
                                .formatted(
                                        location.apply(each.getKey()),
                                        contents.getFirst().id(),
                                        contents.getFirst().time()));
            }
            hasEarlier |= !isDeleted;
        }
        return problems;
    }

    /** Whether no object after this one exists. Retention keeps the last one. */
    private boolean isLast(String key) {
        return byKey.tailMap(key).values().stream()
                .flatMap(List::stream)
                .noneMatch(version -> version.isLatest() && !version.isDeletion());
    }
}
