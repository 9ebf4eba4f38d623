package dev.claimstream.manifests;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.manifests.Workload.PodIdentity;
import dev.claimstream.manifests.Workload.PodNaming;
import dev.claimstream.manifests.Workload.PodReplicas;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the replicated jobs of a JobSet (jobset.x-k8s.io/v1alpha2). */
final class JobSetReader {
    private static final String LABELS = "jobset.sigs.k8s.io/";

    /** The label of a pod with the name of its JobSet. */
    static final String NAME_LABEL = LABELS + "jobset-name";

    private static final String EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology";
    private static final String CONTROLLER = LABELS + "jobset-controller";
    private static final String DEFAULT_GROUP = "default";
    private static final List<String> IGNORED = List.of(
            "failurePolicy", "startupPolicy", "successPolicy", "ttlSecondsAfterFinished", "volumeClaimPolicies");

    private final ObjectMeta meta;
    private final boolean isFinished;
    private final List<PodReplicas> replicas = new ArrayList<>();
    private final List<ManifestFinding> notes = new ArrayList<>();

    /** Whether each replicated job that was read starts only after another one completes, by name. */
    private final Map<String, Boolean> isDeferred = new HashMap<>();

    /** The replicated jobs without Jobs, which are complete at once. */
    private final Set<String> withoutJobs = new HashSet<>();

    /** The labels of all pods. */
    private final SortedMap<String, String> common = new TreeMap<>();

    /**
     * Reads a spec.
     *
     * @param annotations the field of the annotations of the JobSet
     * @param isFinished whether the JobSet creates no more pods
     */
    JobSetReader(ObjectMeta meta, ManifestField annotations, FieldMap spec, FieldMap status, boolean isFinished) {
        this.meta = meta;
        this.isFinished = isFinished;
        ManifestField suspend = spec.get("suspend");
        Optional<ManifestFinding> idle = WorkloadReader.otherController(spec.get("managedBy"), CONTROLLER)
                .or(() -> Optional.of(suspend)
                        .filter(ManifestField::isTrue)
                        .map(field -> field.warning(
                                "", "a suspended JobSet creates no pods", "write suspend: false to see the pods")));
        idle.ifPresent(notes::add);
        noteExclusive(annotations);
        commonLabels(spec, status);
        ManifestField list = spec.get("replicatedJobs");
        Map<String, Long> groupSizes = new HashMap<>();
        list.items().stream()
                .map(item -> item.withoutFindings().fieldsOrEmpty())
                .forEach(item -> groupSizes.merge(
                        groupName(item),
                        (long) Math.clamp(item.get("replicas").integer(1), 0, Integer.MAX_VALUE),
                        Long::sum));
        long jobs = groupSizes.values().stream().mapToLong(each -> each).sum();
        Map<String, Long> firstOfGroup = new HashMap<>();
        List<String> names = new ArrayList<>();
        long first = 0;
        for (ManifestField item : list.items()) {
            FieldMap fields = item.fieldsOrEmpty();
            String name = NameValidation.label(fields.get("name"));
            long count = WorkloadReader.count(fields.get("replicas"), 1);
            boolean isLater = isDeferred(fields.get("dependsOn"));
            if (isLater) {
                notes.add(fields.get("dependsOn")
                        .warning(
                                name,
                                "the replicated job starts after another one completes: its pods are not created",
                                "leave dependsOn out to see them"));
            }
            String group = groupName(fields);
            long inGroup = firstOfGroup.getOrDefault(group, 0L);
            var labels = new TreeMap<>(common);
            labels.put(LABELS + "replicatedjob-name", name);
            labels.put(LABELS + "replicatedjob-replicas", Long.toString(count));
            labels.put(LABELS + "global-replicas", Long.toString(jobs));
            WorkloadReader.putIfValid(labels, LABELS + "group-name", group);
            labels.put(LABELS + "group-replicas", Long.toString(groupSizes.getOrDefault(group, 0L)));
            replicatedJob(fields, new JobGroup(name, count, first, inGroup, labels), isLater || idle.isPresent());
            isDeferred.put(name, isLater);
            if (count == 0) {
                withoutJobs.add(name);
            }
            firstOfGroup.put(group, inGroup + count);
            names.add(name);
            first += count;
            fields.warnUnknown();
        }
        NameValidation.checkUnique(list.items(), names);
        spec.ignore(IGNORED);
    }

    /**
     * The Jobs of a replicated job.
     *
     * @param first number of Jobs of the replicated jobs before it
     * @param firstInGroup number of Jobs of those of them that have the same group name
     * @param labels the labels of all its pods
     */
    private record JobGroup(String name, long count, long first, long firstInGroup, SortedMap<String, String> labels) {}

    private static String groupName(FieldMap replicatedJob) {
        String written = replicatedJob.get("groupName").text();
        return written.isEmpty() ? DEFAULT_GROUP : written;
    }

    private void noteExclusive(ManifestField annotations) {
        Optional.ofNullable(annotations.values().get(EXCLUSIVE))
                .ifPresent(topology -> notes.add(annotations.warning(
                        topology.text(),
                        "the annotation %s is not evaluated: jobs may share a domain".formatted(EXCLUSIVE),
                        "write podAntiAffinity into the templates")));
    }

    private void commonLabels(FieldMap spec, FieldMap status) {
        WorkloadReader.putIfValid(common, NAME_LABEL, meta.name());
        WorkloadReader.putIfValid(common, LABELS + "jobset-uid", WorkloadKind.JOB_SET.uid(meta));
        common.put(
                LABELS + "restart-attempt", Long.toString(status.get("restarts").integer(0)));
        FieldMap network = spec.get("network").withoutFindings().fieldsOrEmpty();
        String subdomain = network.get("subdomain").text();
        ManifestField field = spec.get("coordinator");
        FieldMap coordinator = field.fieldsOrEmpty();
        String address = "%s-%s-%d-%d.%s"
                .formatted(
                        meta.name(),
                        coordinator.get("replicatedJob").text(),
                        coordinator.get("jobIndex").integer(0),
                        coordinator.get("podIndex").integer(0),
                        subdomain.isEmpty() ? meta.name() : subdomain);
        if (field.isPresent()) {
            WorkloadReader.putIfValid(common, LABELS + "coordinator", address);
        }
        coordinator.warnUnknown();
    }

    List<PodReplicas> replicas() {
        return replicas;
    }

    List<ManifestFinding> notes() {
        return notes;
    }

    private boolean isDeferred(ManifestField field) {
        boolean isLater = false;
        for (ManifestField item : field.items()) {
            FieldMap fields = item.fieldsOrEmpty();
            ManifestField name = fields.get("name");
            ManifestField status = fields.get("status");
            status.requireOneOf(status.text(), List.of("Ready", "Complete"));
            if (!isDeferred.containsKey(name.text())) {
                name.invalid(
                        name.text(),
                        "not a replicated job before this one",
                        "name one of the replicated jobs above it");
            }
            boolean isPending = status.text().equals("Complete") || isDeferred.getOrDefault(name.text(), false);
            isLater |= isPending && !withoutJobs.contains(name.text());
            fields.warnUnknown();
        }
        return isLater;
    }

    private void replicatedJob(FieldMap fields, JobGroup group, boolean isLater) {
        ManifestField jobTemplate = fields.get(PodTemplates.TEMPLATE);
        if (!jobTemplate.isPresent()) {
            jobTemplate.required("");
            return;
        }
        FieldMap template = jobTemplate.fieldsOrEmpty();
        ManifestField specField = template.get("spec");
        if (!specField.isPresent()) {
            specField.required("");
            return;
        }
        FieldMap spec = specField.fieldsOrEmpty();
        JobPods job = JobPods.read(spec, true);
        if (!isLater && !isFinished) {
            job.managed().or(job::laterPods).ifPresent(notes::add);
        }
        boolean isIdle = isLater || isFinished || job.managed().isPresent();
        spec.warnUnknown();
        noteExclusive(template.get("metadata").withoutFindings().fieldsOrEmpty().get("annotations"));
        template.warnUnknown();
        long perJob = job.podsAtStart();
        replicas.add(new PodReplicas(
                job.template(),
                isIdle ? 0 : group.count * perJob,
                fields.get("replicas").isPresent() ? fields.get("replicas") : job.countField(),
                PodNaming.INDEX,
                i -> identity(group, job, perJob == 0 ? 0 : i / perJob, perJob == 0 ? 0 : i % perJob)));
    }

    private PodIdentity identity(JobGroup group, JobPods job, long jobIndex, long podIndex) {
        String jobName = WorkloadReader.podName(meta.name(), "-%s-%d".formatted(group.name, jobIndex));
        String namespace = meta.namespace().isEmpty() ? ClusterCompletion.DEFAULT_NAMESPACE : meta.namespace();
        var labels = new TreeMap<>(group.labels);
        labels.put(LABELS + "job-index", Long.toString(jobIndex));
        labels.put(LABELS + "job-global-index", Long.toString(group.first + jobIndex));
        labels.put(LABELS + "job-group-index", Long.toString(group.firstInGroup + jobIndex));
        labels.put(LABELS + "job-key", DerivedNames.sha1Hex(namespace + "/" + jobName));
        return job.identity(
                jobName, DerivedNames.uid(WorkloadKind.JOB.apiName(), namespace, jobName), podIndex, labels);
    }
}
