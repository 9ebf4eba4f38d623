package dev.claimstream.manifests;

import dev.claimstream.dra.ClusterObject;
import java.util.List;

/**
 * What was read.
 *
 * @param manifests the objects that are right, in the order of reading
 * @param findings all that was found, in the order of reading
 * @param refused how many objects are not right, with those that are no object at all
 */
public record Reading(List<Manifest> manifests, List<Finding> findings, long refused) {
    public Reading {
        manifests = List.copyOf(manifests);
        findings = List.copyOf(findings);
    }

    /** The objects without their places. */
    public List<ClusterObject> objects() {
        return manifests.stream().map(Manifest::object).toList();
    }

    /** Whether some object was refused or some file could not be read. */
    public boolean hasErrors() {
        return findings.stream().anyMatch(Finding::isError);
    }
}
