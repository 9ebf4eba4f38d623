package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Pod;
import dev.claimstream.manifests.ReadOptions.WorkloadTreatment;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Manifests of workloads as text, and the pods that are created for them. */
final class WorkloadSamples {
    static final ReadOptions OPTIONS = ReadOptions.DEFAULT.with(WorkloadTreatment.EXPANDED);
    static final String POD_SPEC =
            "{containers: [{name: c, resources: {claims: [{name: gpu}]}}], resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}";
    static final String TEMPLATE = "template: {metadata: {labels: {app: a}}, spec: " + POD_SPEC + "}";
    static final String SELECTED = "selector: {matchLabels: {app: a}}, " + TEMPLATE;

    static ManifestReadResult read(String... documents) {
        String text = String.join("\n---\n", documents);
        return Manifests.read("f.yaml", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), OPTIONS);
    }

    static List<Pod> pods(ManifestReadResult reading) {
        return reading.objects().stream()
                .filter(Pod.class::isInstance)
                .map(Pod.class::cast)
                .toList();
    }

    static List<String> names(ManifestReadResult reading) {
        return pods(reading).stream().map(pod -> pod.meta().name()).toList();
    }

    /** Returns the names of the pods of documents that have no findings. */
    static List<String> podNames(String... documents) {
        ManifestReadResult reading = read(documents);
        assertThat(reading.findings()).isEmpty();
        return names(reading);
    }

    static List<String> findings(String... documents) {
        return read(documents).findings().stream()
                .map(ManifestFinding::toString)
                .toList();
    }

    static String deployment(String name, String spec) {
        return "{apiVersion: apps/v1, kind: Deployment, metadata: {name: %s, namespace: team}, spec: {%s}}"
                .formatted(name, spec);
    }

    static String object(String apiVersion, String kind, String spec) {
        return "{apiVersion: %s, kind: %s, metadata: {name: w}, spec: {%s}}".formatted(apiVersion, kind, spec);
    }

    static String job(String spec) {
        return object("batch/v1", "Job", spec + ", " + TEMPLATE);
    }

    static String jobSet(String spec, String... replicatedJobs) {
        return object(
                "jobset.x-k8s.io/v1alpha2",
                "JobSet",
                "%sreplicatedJobs: [%s]".formatted(spec, String.join(", ", replicatedJobs)));
    }

    static String replicatedJob(String name, String fields, String jobSpec) {
        return "{name: %s, %stemplate: {spec: {%s%s}}}".formatted(name, fields, jobSpec, TEMPLATE);
    }

    static String pod(String name, String metadata) {
        return "{apiVersion: v1, kind: Pod, metadata: {name: %s, %s}}".formatted(name, metadata);
    }

    static String owned(String kind, String name) {
        return "ownerReferences: [{kind: %s, name: %s, uid: u, controller: true}]".formatted(kind, name);
    }

    private WorkloadSamples() {}
}
