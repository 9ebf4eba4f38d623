package dev.claimstream.manifests;

import static dev.claimstream.manifests.WorkloadSamples.TEMPLATE;
import static dev.claimstream.manifests.WorkloadSamples.findings;
import static dev.claimstream.manifests.WorkloadSamples.jobSet;
import static dev.claimstream.manifests.WorkloadSamples.names;
import static dev.claimstream.manifests.WorkloadSamples.owned;
import static dev.claimstream.manifests.WorkloadSamples.pod;
import static dev.claimstream.manifests.WorkloadSamples.podNames;
import static dev.claimstream.manifests.WorkloadSamples.pods;
import static dev.claimstream.manifests.WorkloadSamples.read;
import static dev.claimstream.manifests.WorkloadSamples.replicatedJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which pods are created for JobSets, and the findings about JobSets. */
class JobSetExpansionTest {
    @Test
    void createsPodsOfJobSet() {
        ManifestReadResult reading = read(jobSet(
                "",
                replicatedJob("leader", "", ""),
                replicatedJob("worker", "replicas: 2, ", "parallelism: 2, completions: 2, ")));
        assertThat(reading.findings()).isEmpty();
        assertThat(names(reading))
                .containsExactly("w-leader-0-0", "w-worker-0-0", "w-worker-0-1", "w-worker-1-0", "w-worker-1-1");
        ObjectMeta meta = pods(reading).getLast().meta();
        assertThat(meta.controller().map(Owner::kind)).contains("JobSet");
        assertThat(meta.labels())
                .containsEntry("jobset.sigs.k8s.io/jobset-name", "w")
                .containsEntry("jobset.sigs.k8s.io/replicatedjob-name", "worker")
                .containsEntry("jobset.sigs.k8s.io/job-index", "1")
                .containsEntry("jobset.sigs.k8s.io/job-global-index", "2")
                .containsEntry("jobset.sigs.k8s.io/global-replicas", "3")
                .containsEntry("jobset.sigs.k8s.io/restart-attempt", "0")
                .containsEntry(
                        "jobset.sigs.k8s.io/jobset-uid",
                        meta.controller().orElseThrow().uid())
                .containsEntry("job-name", "w-worker-1")
                .containsEntry("batch.kubernetes.io/job-completion-index", "1");
    }

    @Test
    void createsNoPodsOfJobsThatStartAfterOthersComplete() {
        ManifestReadResult reading = read(jobSet(
                "",
                replicatedJob("a", "", ""),
                replicatedJob("b", "dependsOn: [{name: a, status: Ready}], ", ""),
                replicatedJob("c", "dependsOn: [{name: a, status: Complete}], ", ""),
                replicatedJob("d", "dependsOn: [{name: c, status: Ready}], ", "")));
        assertThat(names(reading)).containsExactly("w-a-0-0", "w-b-0-0");
        assertThat(reading.findings())
                .extracting(ManifestFinding::field)
                .containsExactly("spec.replicatedJobs[2].dependsOn", "spec.replicatedJobs[3].dependsOn");
    }

    @Test
    void prefersPodsAndJobsOfJobSet() {
        String jobSet = jobSet("", replicatedJob("r", "", ""));
        String job = "{apiVersion: batch/v1, kind: Job, metadata: {name: w-r-0, %s}, spec: {%s}}"
                .formatted(owned("JobSet", "w"), TEMPLATE);
        String running = pod("w-r-0-0-abcde", owned("Job", "w-r-0"));
        assertThat(podNames(jobSet, job)).containsExactly("w-r-0-0");
        assertThat(podNames(jobSet, job, running)).containsExactly("w-r-0-0-abcde");
        assertThat(podNames(
                        jobSet,
                        pod("w-r-0-0-abcde", "labels: {jobset.sigs.k8s.io/jobset-name: w}, " + owned("Job", "w-r-0"))))
                .containsExactly("w-r-0-0-abcde");
    }

    @Test
    void givesPodsOfEachJobOfJobSetTheUidOfTheirJob() {
        List<String> uids =
                pods(read(jobSet("", replicatedJob("r", "replicas: 2, ", "parallelism: 2, completions: 2, ")))).stream()
                        .map(pod -> pod.meta().labels().get("batch.kubernetes.io/controller-uid"))
                        .toList();
        assertThat(uids.get(0)).isEqualTo(uids.get(1));
        assertThat(uids.get(2)).isEqualTo(uids.get(3));
        assertThat(uids.get(0)).isNotEqualTo(uids.get(2));
    }

    @Test
    void numbersRestartsOfJobSetAsItsStatusSays() {
        String restarted = jobSet("", replicatedJob("r", "", "")).replaceFirst("}$", ", status: {restarts: 2}}");
        assertThat(pods(read(restarted)).getFirst().meta().labels())
                .containsEntry("jobset.sigs.k8s.io/restart-attempt", "2");
    }

    @Test
    void reportsExclusiveTopologyAtAnnotations() {
        String exclusive = "annotations: {alpha.jobset.sigs.k8s.io/exclusive-topology: rack}";
        assertThat(findings(jobSet("", replicatedJob("r", "", "")).replace("name: w", "name: w, " + exclusive)))
                .singleElement()
                .asString()
                .contains("metadata.annotations: warning: the annotation alpha.jobset", "share a domain (rack)");
        assertThat(findings(jobSet("", replicatedJob("r", "", ""))
                        .replace("template: {spec", "template: {metadata: {%s}, spec".formatted(exclusive))))
                .singleElement()
                .asString()
                .contains("spec.replicatedJobs[0].template.metadata.annotations: warning: the annotation");
    }

    @Test
    void doesNotDeferAfterReplicatedJobWithoutJobs() {
        assertThat(podNames(jobSet(
                        "",
                        replicatedJob("a", "replicas: 0, ", ""),
                        replicatedJob("b", "dependsOn: [{name: a, status: Complete}], ", ""))))
                .containsExactly("w-b-0-0");
    }

    @Test
    void addsGroupAndCoordinatorLabelsOfJobSet() {
        ManifestReadResult reading = read(jobSet(
                "coordinator: {replicatedJob: a, podIndex: 1}, network: {subdomain: net}, ",
                replicatedJob("a", "groupName: g, replicas: 2, ", ""),
                replicatedJob("b", "", ""),
                replicatedJob("c", "groupName: g, ", "")));
        assertThat(reading.findings()).isEmpty();
        assertThat(pods(reading).getLast().meta().labels())
                .containsEntry("jobset.sigs.k8s.io/group-name", "g")
                .containsEntry("jobset.sigs.k8s.io/group-replicas", "3")
                .containsEntry("jobset.sigs.k8s.io/job-group-index", "2")
                .containsEntry("jobset.sigs.k8s.io/job-global-index", "3")
                .containsEntry("jobset.sigs.k8s.io/coordinator", "w-a-0-1.net");
        assertThat(pods(reading).get(2).meta().labels())
                .containsEntry("jobset.sigs.k8s.io/group-name", "default")
                .containsEntry("jobset.sigs.k8s.io/group-replicas", "1")
                .containsEntry("jobset.sigs.k8s.io/job-group-index", "0");
    }
}
