package dev.claimstream.manifests;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.manifests.ManifestFinding.Severity;
import dev.claimstream.manifests.Workload.PodIdentity;
import dev.claimstream.manifests.Workload.PodReplicas;
import dev.claimstream.manifests.Workload.WorkloadKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;

/**
 * Creates the pods of workloads, as their controllers do at the start.
 *
 * <ul>
 *   <li>A workload with a pod in the manifests gets no pods: manifests of a running cluster have its real pods.
 *   <li>A workload that another one of the manifests controls gets no pods: a ReplicaSet of a Deployment, a Job of a JobSet.
 *   <li>The owner of a pod is the workload of the manifests, also if a ReplicaSet or Job stands between them on a cluster.
 *   <li>All workloads together get at most {@link ReadOptions#EXPANDED_PODS_MAX} pods. One with more is an error and gets none.
 * </ul>
 */
final class WorkloadExpansion {
    private final WorkloadCollector workloads;
    private final FindingCollector findings;
    private final Set<WorkloadKey> owners = new HashSet<>();
    private final Map<WorkloadKey, SourceLocation> podNames = new HashMap<>();
    private final Set<UsedName> usedNames = new HashSet<>();
    private final List<Manifest> created = new ArrayList<>();
    private long total;
    private long rejected;

    WorkloadExpansion(WorkloadCollector workloads, List<Manifest> manifests, FindingCollector findings) {
        this.workloads = workloads;
        this.findings = findings;
        for (Manifest manifest : manifests) {
            if (manifest.object() instanceof Pod pod) {
                addOwners(pod.meta());
                if (manifest.generateName().isEmpty()) {
                    podNames.put(podKey(pod.meta().namespace(), pod.meta().name()), manifest.location());
                }
            }
        }
        for (Workload workload : workloads.all()) {
            if (owners.contains(workload.key())) {
                workload.meta().controller().ifPresent(owner -> addOwner(owner, workload.meta()));
            }
        }
    }

    /** The name of a pod of a workload that another object has already. */
    private record UsedName(WorkloadKey workload, String name) {}

    /**
     * The created pods.
     *
     * @param rejected number of pods and workloads with an error
     */
    record Pods(List<Manifest> manifests, long rejected) {}

    private static WorkloadKey podKey(String namespace, String name) {
        return WorkloadKey.of(Kind.POD.apiName(), namespace, name);
    }

    /** Adds the controllers of a pod, also those whose link to it is not in the manifests. */
    private void addOwners(ObjectMeta pod) {
        pod.controller().ifPresent(owner -> {
            addOwner(owner, pod);
            String suffix = "-" + pod.labels().getOrDefault(WorkloadReader.TEMPLATE_HASH_LABEL, "");
            if (owner.kind().equals(WorkloadKind.REPLICA_SET.apiName())
                    && owner.name().endsWith(suffix)) {
                String deployment = owner.name().substring(0, owner.name().length() - suffix.length());
                owners.add(WorkloadKey.of(WorkloadKind.DEPLOYMENT.apiName(), pod.namespace(), deployment));
            }
        });
        Optional.ofNullable(pod.labels().get(JobSetReader.NAME_LABEL))
                .ifPresent(name -> owners.add(WorkloadKey.of(WorkloadKind.JOB_SET.apiName(), pod.namespace(), name)));
    }

    private void addOwner(Owner owner, ObjectMeta owned) {
        owners.add(WorkloadKey.of(owner, owned.namespace()));
    }

    /** Creates the pods in the order of their workloads. */
    Pods pods() {
        List<Workload> wanted = workloads.all().stream()
                .filter(this::isExpanded)
                .filter(this::fits)
                .toList();
        wanted.forEach(this::reserveFixedNames);
        wanted.forEach(this::expand);
        reportOthers();
        return new Pods(created, rejected);
    }

    private boolean isExpanded(Workload workload) {
        boolean isControlled = workload.meta()
                .controller()
                .flatMap(owner ->
                        workloads.find(WorkloadKey.of(owner, workload.meta().namespace())))
                .isPresent();
        return !isControlled && !owners.contains(workload.key());
    }

    /** Counts the pods of a workload, and reports it if it has too many. */
    private boolean fits(Workload workload) {
        long before = total;
        for (PodReplicas replicas : workload.replicas()) {
            if (replicas.count() > ReadOptions.EXPANDED_PODS_MAX - total) {
                findings.add(new ManifestFinding(
                        Severity.ERROR,
                        replicas.countField().location(),
                        replicas.countField().path().text(),
                        Long.toString(replicas.count()),
                        "%s has too many pods: the workloads of all files together may have %d"
                                .formatted(workload.key(), ReadOptions.EXPANDED_PODS_MAX),
                        "write a smaller number, as for one part of the cluster"));
                rejected++;
                total = before;
                return false;
            }
            total += replicas.count();
        }
        return true;
    }

    /** Reserves the names that pods must have, before other pods take names that are free. */
    private void reserveFixedNames(Workload workload) {
        for (PodReplicas replicas : workload.replicas()) {
            for (long i = 0; replicas.hasFixedNames() && i < replicas.count(); i++) {
                PodIdentity identity = replicas.identities().apply(i);
                reserve(workload, identity.name()).ifPresent(first -> reportUsedName(workload, identity, first));
            }
        }
    }

    /** Reserves a name for a pod of a workload, and returns the location of the object that already has it. */
    private Optional<SourceLocation> reserve(Workload workload, String name) {
        return Optional.ofNullable(
                podNames.putIfAbsent(podKey(workload.meta().namespace(), name), workload.location()));
    }

    private void reportUsedName(Workload workload, PodIdentity identity, SourceLocation first) {
        findings.add(new ManifestFinding(
                Severity.ERROR,
                workload.locations().getOrDefault("metadata.name", workload.location()),
                "metadata.name",
                identity.name(),
                "%s creates a pod of this name, and there is one at %s already".formatted(workload.key(), first),
                "leave one of the two out, or give it another name"));
        usedNames.add(new UsedName(workload.key(), identity.name()));
        rejected++;
    }

    private void expand(Workload workload) {
        workload.notes().forEach(findings::add);
        for (PodReplicas replicas : workload.replicas()) {
            long position = 0;
            for (long pods = 0; pods < replicas.count(); position++) {
                PodIdentity identity = replicas.identities().apply(position);
                if (replicas.hasFixedNames()) {
                    pods++;
                    if (!usedNames.contains(new UsedName(workload.key(), identity.name()))) {
                        create(workload, replicas, identity);
                    }
                } else if (reserve(workload, identity.name()).isEmpty()) {
                    pods++;
                    create(workload, replicas, identity);
                }
            }
        }
    }

    private void create(Workload workload, PodReplicas replicas, PodIdentity identity) {
        Pod pod = replicas.template().pod(workload.podMeta(replicas.template(), identity));
        created.add(new Manifest(
                pod,
                ApiVersion.CORE_V1.text(),
                workload.location(),
                Optional.empty(),
                workload.locations(),
                List.of(),
                List.of(),
                Optional.of(replicas.template().field().path().text())));
    }

    /** Reports the kinds that are not expanded, one line each. */
    private void reportOthers() {
        SequencedMap<String, List<WorkloadCollector.OtherWorkload>> kinds = new LinkedHashMap<>();
        workloads.others().stream()
                .filter(other -> !owners.contains(other.key()))
                .forEach(other -> kinds.computeIfAbsent(other.key().kind(), _ -> new ArrayList<>())
                        .add(other));
        kinds.forEach((kind, all) -> {
            WorkloadKey first = all.getFirst().key();
            findings.add(new ManifestFinding(
                    Severity.WARNING,
                    all.getFirst().location(),
                    "kind",
                    "",
                    "%s is not expanded: the pods of %s/%s%s and their claims are missing"
                            .formatted(
                                    kind,
                                    first.namespace(),
                                    first.name(),
                                    all.size() == 1 ? "" : " and %d more".formatted(all.size() - 1)),
                    Remedies.PODS_OF_WORKLOAD));
        });
    }
}
