package dev.claimstream.manifests;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.manifests.ReadOptions.Strictness;
import dev.claimstream.manifests.tree.Node;
import java.util.List;
import java.util.Optional;

/** Reads allocations outside the status of a claim. */
public final class AllocationReader {
    private static final int FINDINGS_MAX = 100;

    private AllocationReader() {}

    /**
     * The result of reading an allocation.
     *
     * @param allocation absent if there is an error
     */
    public record Read(Optional<Allocation> allocation, List<Finding> findings) {
        public Read {
            findings = List.copyOf(findings);
        }
    }

    /**
     * Reads a {@code resource.k8s.io/v1 AllocationResult}.
     *
     * @param field the path that findings show, for example {@code spec.expect.results[0].allocation}
     * @param requests the requests of the claim, which the results reference
     */
    public static Read read(String file, String field, Node node, List<DeviceRequest> requests, Strictness strictness) {
        Findings findings = new Findings(FINDINGS_MAX);
        Report report = new Report(file, ApiVersion.RESOURCE_V1, strictness, findings);
        FieldPath path = FieldPath.root().child(field);
        Field place = new Field(Optional.of(node), path, node.line(), node.column(), report);
        Allocation allocation = Allocations.allocation(place.fieldsOrNone(), RequestNames.of(requests));
        report.close();
        return new Read(report.isClean() ? Optional.of(allocation) : Optional.empty(), findings.all());
    }
}
