package dev.claimstream.manifests;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.manifests.Workload.WorkloadKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;

/** Collects the workloads of one read. */
final class WorkloadCollector {
    private final FindingCollector findings;
    private final SequencedMap<WorkloadKey, Workload> workloads = new LinkedHashMap<>();
    private final Map<WorkloadKey, Long> digests = new HashMap<>();
    private final List<OtherWorkload> others = new ArrayList<>();

    WorkloadCollector(FindingCollector findings) {
        this.findings = findings;
    }

    /** A workload of a kind that is not expanded, whose pods use claims. */
    record OtherWorkload(WorkloadKey key, SourceLocation location) {}

    /** Returns the metadata of a workload, with a derived name if it has none of its own. */
    ObjectMeta named(WorkloadKind kind, MetadataReader.MetadataReadResult metadata) {
        ObjectMeta meta = metadata.meta();
        if (metadata.generateName().isEmpty()) {
            return meta;
        }
        String base = metadata.generateName().get();
        for (int attempt = 0; ; attempt++) {
            String name = DerivedNames.generated(kind.apiName(), meta.namespace(), base, attempt);
            if (!workloads.containsKey(kind.key(meta.namespace(), name))) {
                return meta.toBuilder().name(name).build();
            }
        }
    }

    /**
     * Adds a workload, unless there already is one with the same kind and name.
     *
     * @param digest of the content: a second object with the same content is the same object, as for {@code kubectl apply}
     * @return whether there is no other workload with this kind and name and another content
     */
    boolean add(Workload workload, long digest) {
        Workload first = workloads.putIfAbsent(workload.key(), workload);
        Long firstDigest = digests.putIfAbsent(workload.key(), digest);
        if (first == null || (firstDigest != null && firstDigest == digest)) {
            return true;
        }
        findings.add(new ManifestFinding(
                ManifestFinding.Severity.ERROR,
                workload.locations().getOrDefault("metadata.name", workload.location()),
                "metadata.name",
                workload.meta().key().toString(),
                "there is a %s of this name at %s already"
                        .formatted(workload.kind().apiName(), first.location()),
                "leave one of the two out, or give it another name"));
        return false;
    }

    /** Adds a workload of a kind that is not expanded. */
    void addOther(WorkloadKey key, SourceLocation location) {
        others.add(new OtherWorkload(key, location));
    }

    List<Workload> all() {
        return List.copyOf(workloads.values());
    }

    Optional<Workload> find(WorkloadKey key) {
        return Optional.ofNullable(workloads.get(key));
    }

    List<OtherWorkload> others() {
        return others;
    }

    boolean isEmpty() {
        return workloads.isEmpty() && others.isEmpty();
    }
}
