package dev.claimstream.manifests;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.manifests.ManifestFinding.Severity;
import dev.claimstream.manifests.Workload.PodIdentity;
import dev.claimstream.manifests.Workload.PodNaming;
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
import java.util.SortedMap;
import java.util.stream.Stream;

/**
 * Creates the pods of workloads, as their controllers do at the start.
 *
 * <ul>
 *   <li>A workload with a pod in the manifests gets no pods: manifests of a running cluster have its real pods.
 *   <li>A workload that another one of the manifests controls gets no pods: a ReplicaSet of a Deployment, a Job of a JobSet.
 *   <li>A workload with a pod that owns a claim of the manifests gets no pods, because that pod exists ({@link MissingPods}). A StatefulSet
 *       creates that pod with the uid that the claim names, so that the pod uses the claim.
 *   <li>The owner of a pod is the workload of the manifests, also if a ReplicaSet or Job stands between them on a cluster.
 *   <li>All workloads together get at most {@link ReadOptions#EXPANDED_PODS_MAX} pods, and these {@link ReadOptions#EXPANDED_CLAIMS_MAX}
 *       claims. A workload with more is an error and gets none.
 * </ul>
 */
final class WorkloadExpansion {
    private final WorkloadCollector workloads;
    private final FindingCollector findings;
    private final Set<WorkloadKey> owners = new HashSet<>();
    private final Map<WorkloadKey, SourceLocation> podNames = new HashMap<>();
    private final MissingPods missing;
    private final Map<WorkloadKey, WorkloadKey> existingPods = new HashMap<>();
    private final Set<UsedName> usedNames = new HashSet<>();
    private final List<Manifest> created = new ArrayList<>();
    private long podCount;
    private long claimCount;
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
        missing = new MissingPods(manifests, podNames.keySet());
        findExistingPods();
    }

    /** Finds the missing pods of workloads, and of the workloads that control these. */
    private void findExistingPods() {
        List<WorkloadKey> keys = Stream.concat(
                        workloads.all().stream().map(Workload::key),
                        workloads.others().stream().map(WorkloadCollector.OtherWorkload::key))
                .toList();
        existingPods.putAll(missing.byWorkload(keys));
        for (Workload workload : workloads.all()) {
            WorkloadKey pod = existingPods.get(workload.key());
            if (pod != null) {
                workload.meta()
                        .controller()
                        .ifPresent(owner -> existingPods.putIfAbsent(
                                WorkloadKey.of(owner, workload.meta().namespace()), pod));
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
    record ExpandedPods(List<Manifest> manifests, long rejected) {}

    private static WorkloadKey podKey(String namespace, String name) {
        return WorkloadKey.of("v1", Kind.POD.apiName(), namespace, name);
    }

    /** Adds the controllers of a pod, also those whose link to it is not in the manifests. */
    private void addOwners(ObjectMeta pod) {
        pod.controller().ifPresent(owner -> {
            addOwner(owner, pod);
            String suffix = "-" + pod.labels().getOrDefault(WorkloadReader.TEMPLATE_HASH_LABEL, "");
            if (WorkloadKind.REPLICA_SET.isKindOf(WorkloadKey.of(owner, pod.namespace()))
                    && owner.name().endsWith(suffix)) {
                String deployment = owner.name().substring(0, owner.name().length() - suffix.length());
                owners.add(WorkloadKind.DEPLOYMENT.key(pod.namespace(), deployment));
            }
        });
        Optional.ofNullable(pod.labels().get(JobSetReader.NAME_LABEL))
                .ifPresent(name -> owners.add(WorkloadKind.JOB_SET.key(pod.namespace(), name)));
    }

    private void addOwner(Owner owner, ObjectMeta owned) {
        owners.add(WorkloadKey.of(owner, owned.namespace()));
    }

    /** Creates the pods in the order of their workloads. */
    ExpandedPods pods() {
        List<Workload> existing = workloads.all().stream()
                .filter(this::isExpanded)
                .filter(this::isWithoutPods)
                .filter(this::fits)
                .toList();
        existing.forEach(this::reserveFixedNames);
        existing.forEach(this::expand);
        reportOthers();
        return new ExpandedPods(created, rejected);
    }

    private boolean isExpanded(Workload workload) {
        boolean isControlled = workload.meta()
                .controller()
                .flatMap(owner ->
                        workloads.find(WorkloadKey.of(owner, workload.meta().namespace())))
                .isPresent();
        return !isControlled && !owners.contains(workload.key());
    }

    /** Returns whether no pod of a workload exists, and warns otherwise. */
    private boolean isWithoutPods(Workload workload) {
        WorkloadKey pod = existingPods.get(workload.key());
        if (pod == null) {
            return true;
        }
        if (workload.replicas().stream().anyMatch(replicas -> replicas.count() > 0)) {
            findings.add(new ManifestFinding(
                    Severity.WARNING,
                    workload.location(),
                    "kind",
                    pod.name(),
                    "the pods of %s exist in the cluster, because one of them owns a claim: none are created"
                            .formatted(workload.key()),
                    "pass their manifests too: kubectl get pods -A -o yaml"));
        }
        return false;
    }

    /** Counts the pods and claims of a workload, and reports it if it has too many. */
    private boolean fits(Workload workload) {
        long pods = podCount;
        long claims = claimCount;
        for (PodReplicas replicas : workload.replicas()) {
            if (replicas.count() > ReadOptions.EXPANDED_PODS_MAX - pods) {
                reportTooMany(workload, replicas, "pods", ReadOptions.EXPANDED_PODS_MAX, "write a smaller number");
                return false;
            }
            pods += replicas.count();
            claims += replicas.count() * replicas.template().claimsPerPod();
            if (claims > ReadOptions.EXPANDED_CLAIMS_MAX) {
                reportTooMany(
                        workload,
                        replicas,
                        "claims",
                        ReadOptions.EXPANDED_CLAIMS_MAX,
                        "write a smaller number, or fewer entries with a template");
                return false;
            }
        }
        podCount = pods;
        claimCount = claims;
        return true;
    }

    private void reportTooMany(Workload workload, PodReplicas replicas, String objects, int max, String remedy) {
        findings.add(new ManifestFinding(
                Severity.ERROR,
                replicas.countField().location(),
                replicas.countField().path().text(),
                Long.toString(replicas.count()),
                "%s has too many %s: the workloads of all files together may have %d"
                        .formatted(workload.key(), objects, max),
                remedy + ", as for one part of the cluster"));
        rejected++;
    }

    /** Reserves the names that pods must have, before other pods take names that are free. */
    private void reserveFixedNames(Workload workload) {
        SequencedMap<String, SourceLocation> used = new LinkedHashMap<>();
        for (PodReplicas replicas : workload.replicas()) {
            for (long i = 0; replicas.naming() == PodNaming.FIXED && i < replicas.count(); i++) {
                String name = replicas.identities().apply(i).name();
                reserve(workload, name).ifPresent(first -> used.put(name, first));
            }
        }
        if (!used.isEmpty()) {
            reportUsedNames(workload, used);
        }
    }

    /** Reserves a name for a pod of a workload, and returns the location of the object that already has it. */
    private Optional<SourceLocation> reserve(Workload workload, String name) {
        return Optional.ofNullable(
                podNames.putIfAbsent(podKey(workload.meta().namespace(), name), workload.location()));
    }

    private void reportUsedNames(Workload workload, SequencedMap<String, SourceLocation> used) {
        int more = used.size() - 1;
        findings.add(new ManifestFinding(
                Severity.ERROR,
                workload.locations().getOrDefault("metadata.name", workload.location()),
                "metadata.name",
                used.firstEntry().getKey(),
                "%s creates a pod of this name, and there is one at %s already%s"
                        .formatted(
                                workload.key(),
                                used.firstEntry().getValue(),
                                more == 0 ? "" : "; the same holds for %d more of its pods".formatted(more)),
                "leave one of the two out, or give it another name"));
        used.keySet().forEach(name -> usedNames.add(new UsedName(workload.key(), name)));
        rejected += used.size();
    }

    private void expand(Workload workload) {
        workload.notes().forEach(findings::add);
        for (PodReplicas replicas : workload.replicas()) {
            SortedMap<String, SourceLocation> locations = workload.locationsOf(replicas.template());
            long position = 0;
            for (long pods = 0; pods < replicas.count(); position++) {
                PodIdentity identity = replicas.identities().apply(position);
                if (replicas.naming() == PodNaming.INDEX) {
                    identity = withFreeName(workload, identity);
                }
                boolean isFixed = replicas.naming() == PodNaming.FIXED;
                boolean isFree = isFixed
                        ? !usedNames.contains(new UsedName(workload.key(), identity.name()))
                        : reserve(workload, identity.name()).isEmpty();
                if (isFree) {
                    String uid = isFixed ? uidOfClaimOwner(workload, identity) : "";
                    create(workload, replicas, workload.podMeta(replicas.template(), identity, uid), locations);
                }
                if (isFree || isFixed) {
                    pods++;
                }
            }
        }
    }

    private PodIdentity withFreeName(Workload workload, PodIdentity identity) {
        String name = identity.name();
        for (int i = 2; podNames.containsKey(podKey(workload.meta().namespace(), name)); i++) {
            name = WorkloadReader.podName(identity.name(), "-" + i);
        }
        return identity.withName(name);
    }

    private String uidOfClaimOwner(Workload workload, PodIdentity identity) {
        return missing.uid(podKey(workload.meta().namespace(), identity.name())).orElse("");
    }

    private void create(
            Workload workload, PodReplicas replicas, ObjectMeta meta, SortedMap<String, SourceLocation> locations) {
        Pod pod = replicas.template().pod(meta);
        created.add(new Manifest(
                pod,
                ApiVersion.CORE_V1.text(),
                workload.location(),
                Optional.empty(),
                locations,
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
