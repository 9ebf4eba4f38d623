package dev.claimstream.manifests;

import dev.claimstream.dra.ClusterObject;
import java.util.List;

/**
 * The result of reading manifests.
 *
 * @param manifests the valid objects, in reading order
 * @param findings all findings, in reading order
 * @param rejected number of rejected objects, including documents that are not objects
 * @param workloads number of valid workloads, also of those without pods
 */
public record ManifestReadResult(
        List<Manifest> manifests, List<ManifestFinding> findings, long rejected, long workloads) {
    public ManifestReadResult {
        manifests = List.copyOf(manifests);
        findings = List.copyOf(findings);
    }

    /** Returns the objects without their locations. */
    public List<ClusterObject> objects() {
        return manifests.stream().map(Manifest::object).toList();
    }

    /** Returns whether an object was rejected or a file could not be read. */
    public boolean hasErrors() {
        return findings.stream().anyMatch(ManifestFinding::isError);
    }
}
