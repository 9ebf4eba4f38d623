package dev.claimstream.manifests;

import dev.claimstream.dra.LabelSelector;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.manifests.Workload.PodIdentity;
import dev.claimstream.manifests.Workload.PodNaming;
import dev.claimstream.manifests.Workload.PodReplicas;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads the fields of Deployment, ReplicaSet, StatefulSet, Job and JobSet that determine which pods exist at the start.
 *
 * <p>The pods of a Deployment or ReplicaSet, and of a Job without indices, are named {@code NAME-0}, {@code NAME-1} and so on. On a cluster
 * their names end in random letters. The same files must give the same names in every run, and a reader must recognise the workload and its
 * pod in a table, so the position replaces the letters. A name that another object of the set has is skipped. The pods of an Indexed Job and
 * of a JobSet are named {@code NAME-INDEX}; {@code -2} and so on follows if another object has that name.
 *
 * <p>Order counts only if a pod starts after another one <em>completes</em>. Pods that start after another one is <em>ready</em> (a
 * StatefulSet, a JobSet with a startup policy) exist together soon, so all of them are created.
 */
final class WorkloadReader {
    /** The label by which a Deployment distinguishes the pods of its ReplicaSets. */
    static final String TEMPLATE_HASH_LABEL = "pod-template-hash";

    /** The label by which a StatefulSet and a DaemonSet distinguish the pods of their revisions. */
    private static final String REVISION_HASH_LABEL = "controller-revision-hash";

    private static final int NAME_LENGTH_MAX = 253;

    private static final List<String> DEPLOYMENT_IGNORED =
            List.of("minReadySeconds", "strategy", "revisionHistoryLimit", "progressDeadlineSeconds");
    private static final List<String> STATEFUL_SET_IGNORED = List.of(
            "serviceName",
            "podManagementPolicy",
            "updateStrategy",
            "revisionHistoryLimit",
            "minReadySeconds",
            "persistentVolumeClaimRetentionPolicy");

    private final WorkloadKind kind;
    private final ObjectMeta meta;
    private final List<PodReplicas> replicas = new ArrayList<>();
    private final List<ManifestFinding> notes = new ArrayList<>();

    private WorkloadReader(WorkloadKind kind, ObjectMeta meta) {
        this.kind = kind;
        this.meta = meta;
    }

    /**
     * Returns whether an object lacks the field that each complete object of its kind has, as a patch that lies beside the objects.
     *
     * <p>An object without any field in its spec is a mistake.
     */
    static boolean isPatch(WorkloadKind kind, DocumentPosition object) {
        return object.get("spec")
                .filter(spec -> !spec.fieldNames().isEmpty())
                .filter(spec -> spec.get(kind.requiredField()).isEmpty())
                .isPresent();
    }

    /** Reads a workload. The result counts only if no error was reported. */
    static Workload read(WorkloadKind kind, ObjectMeta meta, FieldMap root, SourceLocation location) {
        var reader = new WorkloadReader(kind, meta);
        ManifestField specField = root.get("spec");
        if (!specField.isPresent()) {
            specField.required("");
        }
        specField.fields().ifPresent(spec -> reader.spec(spec, root));
        root.ignore(List.of("apiVersion", "kind", "status")).reportUnknown();
        return reader.workload(location, specField.report());
    }

    private void spec(FieldMap spec, FieldMap root) {
        switch (kind) {
            case DEPLOYMENT -> deployment(spec);
            case REPLICA_SET -> replicaSet(spec);
            case STATEFUL_SET -> statefulSet(spec, root);
            case JOB -> job(spec, root);
            case JOB_SET -> {
                ManifestField annotations =
                        root.get("metadata").withoutFindings().fieldsOrEmpty().get("annotations");
                JobSetReader jobs = new JobSetReader(
                        meta,
                        annotations,
                        spec,
                        root.get("status").withoutFindings().fieldsOrEmpty(),
                        isFinished(root.get("status")));
                replicas.addAll(jobs.replicas());
                notes.addAll(jobs.notes());
            }
        }
        spec.warnUnknown();
    }

    /** Reports the findings about the pods, and returns the workload. */
    private Workload workload(SourceLocation location, ObjectReadContext report) {
        List<PodReplicas> desired = meta.deleting() ? List.of() : replicas;
        var unlocated = new Workload(kind, meta, location, desired, notes, new TreeMap<>());
        replicas.forEach(each -> each.template()
                .check(unlocated.podMeta(each.template(), each.identities().apply(0), "")));
        return new Workload(kind, meta, location, desired, notes, report.locations());
    }

    private void deployment(FieldMap spec) {
        ManifestField paused = spec.get("paused");
        ManifestField count = spec.get("replicas");
        PodTemplate template = template(spec, false);
        var labels = new TreeMap<String, String>();
        templateHash(template).ifPresent(hash -> labels.put(TEMPLATE_HASH_LABEL, hash));
        boolean isPaused = paused.isTrue();
        if (isPaused) {
            notes.add(paused.warning("", "a paused Deployment creates no pods", "write paused: false to see its pods"));
        }
        long replicaCount = count(count, 1);
        replicas.add(new PodReplicas(
                template, isPaused ? 0 : replicaCount, count, PodNaming.POSITION, i -> numbered(i, labels)));
        checkSelector(spec.get("selector"), template);
        spec.ignore(DEPLOYMENT_IGNORED);
    }

    private void replicaSet(FieldMap spec) {
        ManifestField count = spec.get("replicas");
        PodTemplate template = template(spec, false);
        replicas.add(new PodReplicas(
                template, count(count, 1), count, PodNaming.POSITION, i -> numbered(i, new TreeMap<>())));
        checkSelector(spec.get("selector"), template);
        spec.ignore(List.of("minReadySeconds"));
    }

    private PodIdentity numbered(long index, SortedMap<String, String> labels) {
        return new PodIdentity(podName(meta.name(), "-" + index), labels, new TreeMap<>());
    }

    private void statefulSet(FieldMap spec, FieldMap root) {
        ManifestField count = spec.get("replicas");
        FieldMap ordinals = spec.get("ordinals").fieldsOrEmpty();
        long start = count(ordinals.get("start"), 0);
        ordinals.warnUnknown();
        PodTemplate template =
                template(spec, !spec.get("volumeClaimTemplates").items().isEmpty());
        long replicaCount = count(count, 1);
        replicas.add(
                new PodReplicas(template, replicaCount, count, PodNaming.FIXED, i -> ordinal(start + i, template)));
        if (replicaCount > 0) {
            checkLabelLength(root, "-" + (start + replicaCount - 1), "the name of each pod is the value of a label");
        }
        checkSelector(spec.get("selector"), template);
        spec.ignore(STATEFUL_SET_IGNORED);
    }

    private static Optional<String> templateHash(PodTemplate template) {
        return template.field().node().map(node -> DerivedNames.hash(ContentDigest.ofValue(node)));
    }

    private PodIdentity ordinal(long ordinal, PodTemplate template) {
        String name = podName(meta.name(), "-" + ordinal);
        var labels = new TreeMap<String, String>();
        labels.put("apps.kubernetes.io/pod-index", Long.toString(ordinal));
        putIfValid(labels, "statefulset.kubernetes.io/pod-name", name);
        templateHash(template).ifPresent(hash -> putIfValid(labels, REVISION_HASH_LABEL, meta.name() + "-" + hash));
        return new PodIdentity(name, labels, new TreeMap<>());
    }

    private void job(FieldMap spec, FieldMap root) {
        checkLabelLength(root, "", "the name of a Job is the value of a label");
        JobPods job = JobPods.read(spec, false);
        Optional<ManifestFinding> idle = job.managed().or(job::suspended);
        idle.or(job::laterPods).ifPresent(notes::add);
        boolean isIdle = idle.isPresent() || isFinished(root.get("status"));
        replicas.add(new PodReplicas(
                job.template(),
                isIdle ? 0 : job.podsAtStart(),
                job.countField(),
                job.isIndexed() ? PodNaming.INDEX : PodNaming.POSITION,
                i -> job.identity(meta.name(), kind.uid(meta), i, new TreeMap<>())));
    }

    /** Reports a name that is too long as a label, which a cluster rejects. */
    private void checkLabelLength(FieldMap root, String suffix, String reason) {
        ManifestField metadata = root.get("metadata");
        int lengthMax = NameValidation.LABEL_MAX - suffix.length();
        if (meta.name().length() > lengthMax && metadata.report().isClean()) {
            metadata.fieldsOrEmpty()
                    .get("name")
                    .invalid(
                            meta.name(),
                            "must be no more than %d bytes: %s".formatted(lengthMax, reason),
                            "write a shorter name");
        }
    }

    private PodTemplate template(FieldMap spec, boolean hasVolumeClaims) {
        return PodTemplate.read(spec.get(PodTemplates.TEMPLATE), hasVolumeClaims);
    }

    /** Checks that the required selector selects the pods of the template. */
    private void checkSelector(ManifestField field, PodTemplate template) {
        if (!field.isPresent()) {
            field.required("");
            return;
        }
        Optional<LabelSelector> selector = PodTopologyReader.selector(field);
        if (!field.report().isClean() || selector.isEmpty()) {
            return;
        }
        if (selector.get().requirements().isEmpty()) {
            field.invalid(
                    "",
                    "empty selector is invalid for " + kind.apiName(),
                    "write the labels of the template under matchLabels:");
        } else if (!selector.get().matches(template.labels())) {
            template.field()
                    .child("metadata.labels")
                    .invalid(
                            template.labels().toString(),
                            "`selector` does not match template `labels`",
                            "write the labels of spec.selector.matchLabels into the template too");
        }
    }

    /** Returns the warning that another controller than that of Kubernetes or JobSet creates the pods, if the field names one. */
    static Optional<ManifestFinding> otherController(ManifestField managedBy, String builtIn) {
        return managedBy
                .optionalText()
                .filter(name -> !name.isEmpty() && !name.equals(builtIn))
                .map(name -> managedBy.warning(
                        name,
                        "another controller creates the pods: none are created",
                        "leave managedBy out to see the pods of %s".formatted(builtIn)));
    }

    /** Reads a number of pods, jobs or the like: 32 bits, not negative. */
    static long count(ManifestField field, long absent) {
        long count = field.integer(absent);
        if (count > Integer.MAX_VALUE) {
            field.error(Long.toString(count), "Invalid value: not a whole number of 32 bits", "write a smaller one");
        } else if (count < 0) {
            field.invalid(Long.toString(count), "must be greater than or equal to 0", "write 0 or more");
        }
        return Math.clamp(count, 0, Integer.MAX_VALUE);
    }

    /** Returns whether the conditions of a Job or JobSet say that it creates no more pods. */
    private static boolean isFinished(ManifestField status) {
        return status.withoutFindings().fieldsOrEmpty().get("conditions").items().stream()
                .map(ManifestField::fieldsOrEmpty)
                .filter(condition -> condition.get("status").text().equals("True"))
                .anyMatch(condition -> List.of("Complete", "Completed", "Failed", "FailureTarget", "SuccessCriteriaMet")
                        .contains(condition.get("type").text()));
    }

    /** Returns a name with a suffix, cut to the length that a pod may have. */
    static String podName(String base, String suffix) {
        int room = NAME_LENGTH_MAX - suffix.length();
        return (base.length() > room ? base.substring(0, room) : base) + suffix;
    }

    /** Sets a label unless the value is too long for a label, as a very long name is. */
    static void putIfValid(SortedMap<String, String> labels, String key, String value) {
        if (value.length() <= NameValidation.LABEL_MAX) {
            labels.put(key, value);
        }
    }
}
