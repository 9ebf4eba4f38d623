package dev.claimstream.manifests;

import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.manifests.ReadOptions.Strictness;
import dev.claimstream.manifests.tree.DocumentNode;
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
    public record AllocationReadResult(Optional<Allocation> allocation, List<ManifestFinding> findings) {
        public AllocationReadResult {
            findings = List.copyOf(findings);
        }
    }

    /**
     * Reads a {@code resource.k8s.io/v1 AllocationResult}.
     *
     * @param field the path that findings show, for example {@code spec.expect.results[0].allocation}
     * @param requests the requests of the claim, which the results reference
     */
    public static AllocationReadResult read(
            String file, String field, DocumentNode node, List<DeviceRequest> requests, Strictness strictness) {
        FindingCollector findings = new FindingCollector(FINDINGS_MAX);
        ObjectReadContext context =
                new ObjectReadContext(file, ApiVersion.RESOURCE_V1, strictness, findings, _ -> Optional.empty());
        FieldPath path = FieldPath.root().child(field);
        ManifestField root = new ManifestField(Optional.of(node), path, node.line(), node.column(), context);
        Allocation allocation = ClaimStatusReader.allocation(root.fieldsOrEmpty(), RequestNames.of(requests));
        context.flush();
        return new AllocationReadResult(context.isClean() ? Optional.of(allocation) : Optional.empty(), findings.all());
    }
}
