package dev.claimstream.manifests;

import dev.claimstream.manifests.Workload.PodIdentity;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The pods of a Job that run at the start, as its spec says; also of a Job inside a JobSet.
 *
 * @param podsAtStart number of pods that run at the start
 * @param countField the field that determines this number
 * @param suspended the warning that a suspended Job creates no pods
 * @param managed the warning that another controller creates the pods
 * @param laterPods the warning that some pods run only after others complete
 */
record JobPods(
        PodTemplate template,
        long podsAtStart,
        ManifestField countField,
        boolean isIndexed,
        Optional<ManifestFinding> suspended,
        Optional<ManifestFinding> managed,
        Optional<ManifestFinding> laterPods) {
    private static final String INDEX = "batch.kubernetes.io/job-completion-index";
    private static final String CONTROLLER = "kubernetes.io/job-controller";
    private static final String INDEXED = "Indexed";
    private static final List<String> IGNORED = List.of(
            "activeDeadlineSeconds",
            "backoffLimit",
            "backoffLimitPerIndex",
            "manualSelector",
            "maxFailedIndexes",
            "podFailurePolicy",
            "podReplacementPolicy",
            "selector",
            "successPolicy",
            "ttlSecondsAfterFinished");

    /**
     * Reads a spec.
     *
     * @param isOfJobSet whether the completion mode is Indexed if none is written
     */
    static JobPods read(FieldMap spec, boolean isOfJobSet) {
        ManifestField mode = spec.get("completionMode");
        if (mode.isPresent()) {
            mode.requireOneOf(mode.text(), List.of("NonIndexed", INDEXED));
        }
        boolean isIndexed = mode.isPresent() ? mode.text().equals(INDEXED) : isOfJobSet;
        ManifestField completionsField = spec.get("completions");
        ManifestField parallelismField = spec.get("parallelism");
        long parallelism = WorkloadReader.count(parallelismField, 1);
        Optional<Long> completions = completionsField.isPresent()
                ? Optional.of(WorkloadReader.count(completionsField, 1))
                : Optional.of(1L).filter(_ -> !parallelismField.isPresent());
        if (isIndexed && completions.isEmpty()) {
            completionsField.required("when completion mode is Indexed");
        }
        ManifestField suspend = spec.get("suspend");
        Optional<ManifestFinding> suspended = suspend.isTrue()
                ? Optional.of(
                        suspend.warning("", "a suspended Job creates no pods", "write suspend: false to see the pods"))
                : Optional.empty();
        var pods = new JobPods(
                PodTemplate.read(spec.get(PodTemplates.TEMPLATE), false),
                completions.map(all -> Math.min(all, parallelism)).orElse(parallelism),
                parallelismField.isPresent() ? parallelismField : completionsField,
                isIndexed,
                suspended,
                WorkloadReader.otherController(spec.get("managedBy"), CONTROLLER),
                completions
                        .filter(all -> all > parallelism && parallelism > 0)
                        .map(all -> completionsField.warning(
                                Long.toString(all),
                                "a Job runs as many pods at a time as parallelism says: the first %d are created"
                                        .formatted(parallelism),
                                "write parallelism: %d to see all of them at once".formatted(all))));
        spec.ignore(IGNORED);
        return pods;
    }

    /**
     * Returns the identity of a pod.
     *
     * @param more labels of the owner of the Job
     */
    PodIdentity identity(String job, String uid, long index, SortedMap<String, String> more) {
        var labels = new TreeMap<>(more);
        var annotations = new TreeMap<>(more);
        WorkloadReader.putIfValid(labels, "batch.kubernetes.io/job-name", job);
        WorkloadReader.putIfValid(labels, "job-name", job);
        WorkloadReader.putIfValid(labels, "batch.kubernetes.io/controller-uid", uid);
        WorkloadReader.putIfValid(labels, "controller-uid", uid);
        if (isIndexed) {
            labels.put(INDEX, Long.toString(index));
            annotations.put(INDEX, Long.toString(index));
        }
        return new PodIdentity(WorkloadReader.podName(job, "-" + index), labels, annotations);
    }
}
