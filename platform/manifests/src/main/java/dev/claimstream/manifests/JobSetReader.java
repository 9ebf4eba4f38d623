package dev.claimstream.manifests;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.manifests.Workload.PodIdentity;
import dev.claimstream.manifests.Workload.PodReplicas;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads the replicated jobs of a JobSet (jobset.x-k8s.io/v1alpha2). */
final class JobSetReader {
    private static final String LABELS = "jobset.sigs.k8s.io/";

    /** The label of a pod with the name of its JobSet. */
    static final String NAME_LABEL = LABELS + "jobset-name";

    private static final String EXCLUSIVE = "alpha.jobset.sigs.k8s.io/exclusive-topology";
    private static final List<String> IGNORED = List.of(
            "coordinator",
            "failurePolicy",
            "managedBy",
            "network",
            "startupPolicy",
            "successPolicy",
            "ttlSecondsAfterFinished",
            "volumeClaimPolicies");

    private final ObjectMeta meta;
    private final boolean isFinished;
    private final List<PodReplicas> replicas = new ArrayList<>();
    private final List<ManifestFinding> notes = new ArrayList<>();

    /** Whether each replicated job that was read starts only after another one completes, by name. */
    private final Map<String, Boolean> isDeferred = new HashMap<>();

    /**
     * Reads a spec.
     *
     * @param isFinished whether the JobSet creates no more pods
     */
    JobSetReader(ObjectMeta meta, FieldMap spec, boolean isFinished) {
        this.meta = meta;
        this.isFinished = isFinished;
        ManifestField suspend = spec.get("suspend");
        boolean isSuspended = suspend.isTrue();
        if (isSuspended) {
            notes.add(
                    suspend.warning("", "a suspended JobSet creates no pods", "write suspend: false to see the pods"));
        }
        Optional.ofNullable(meta.annotations().get(EXCLUSIVE))
                .ifPresent(topology -> notes.add(suspend.warning(
                        topology,
                        "the annotation %s is not evaluated: jobs may share a domain".formatted(EXCLUSIVE),
                        "write podAntiAffinity into the templates")));
        ManifestField list = spec.get("replicatedJobs");
        long jobs = list.items().stream()
                .mapToLong(
                        item -> item.silenced().fieldsOrEmpty().get("replicas").integer(1))
                .map(count -> Math.clamp(count, 0, Integer.MAX_VALUE))
                .sum();
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
            replicatedJob(fields, new JobGroup(name, count, first, jobs), isLater || isSuspended);
            isDeferred.put(name, isLater);
            names.add(name);
            first += count;
            fields.ignore(List.of("groupName")).warnUnknown();
        }
        NameValidation.checkUnique(list.items(), names);
        spec.ignore(IGNORED);
    }

    /**
     * The Jobs of a replicated job.
     *
     * @param first number of Jobs of the replicated jobs before it
     * @param all number of Jobs of the JobSet
     */
    private record JobGroup(String name, long count, long first, long all) {}

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
            isLater |= status.text().equals("Complete") || isDeferred.getOrDefault(name.text(), false);
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
        boolean isIdle = isLater || isFinished;
        if (!isIdle) {
            job.laterPods().ifPresent(notes::add);
        }
        spec.warnUnknown();
        template.ignore(List.of("metadata")).warnUnknown();
        long perJob = job.podsAtStart();
        replicas.add(new PodReplicas(
                job.template(),
                isIdle ? 0 : group.count * perJob,
                fields.get("replicas").isPresent() ? fields.get("replicas") : job.countField(),
                true,
                i -> identity(group, job, perJob == 0 ? 0 : i / perJob, perJob == 0 ? 0 : i % perJob)));
    }

    private PodIdentity identity(JobGroup group, JobPods job, long jobIndex, long podIndex) {
        String jobName = WorkloadReader.podName(meta.name(), "-%s-%d".formatted(group.name, jobIndex));
        String namespace = meta.namespace().isEmpty() ? ClusterCompletion.DEFAULT_NAMESPACE : meta.namespace();
        var labels = new TreeMap<String, String>();
        WorkloadReader.putIfValid(labels, NAME_LABEL, meta.name());
        labels.put(LABELS + "replicatedjob-name", group.name);
        labels.put(LABELS + "replicatedjob-replicas", Long.toString(group.count));
        labels.put(LABELS + "job-index", Long.toString(jobIndex));
        labels.put(LABELS + "job-global-index", Long.toString(group.first + jobIndex));
        labels.put(LABELS + "global-replicas", Long.toString(group.all));
        labels.put(LABELS + "job-key", DerivedNames.sha1Hex(namespace + "/" + jobName));
        labels.put(LABELS + "restart-attempt", "0");
        return job.identity(jobName, podIndex, labels);
    }
}
