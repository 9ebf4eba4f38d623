package dev.claimstream.manifests;

import static dev.claimstream.manifests.WorkloadSamples.POD_SPEC;
import static dev.claimstream.manifests.WorkloadSamples.SELECTED;
import static dev.claimstream.manifests.WorkloadSamples.TEMPLATE;
import static dev.claimstream.manifests.WorkloadSamples.deployment;
import static dev.claimstream.manifests.WorkloadSamples.findings;
import static dev.claimstream.manifests.WorkloadSamples.job;
import static dev.claimstream.manifests.WorkloadSamples.jobSet;
import static dev.claimstream.manifests.WorkloadSamples.names;
import static dev.claimstream.manifests.WorkloadSamples.object;
import static dev.claimstream.manifests.WorkloadSamples.owned;
import static dev.claimstream.manifests.WorkloadSamples.pod;
import static dev.claimstream.manifests.WorkloadSamples.podNames;
import static dev.claimstream.manifests.WorkloadSamples.pods;
import static dev.claimstream.manifests.WorkloadSamples.read;
import static dev.claimstream.manifests.WorkloadSamples.replicatedJob;
import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which pods are created for workloads, and the findings about workloads. */
class WorkloadExpansionTest {
    @Test
    void createsPodsOfDeployment() {
        ManifestReadResult reading = read(deployment("web", "replicas: 3, " + SELECTED));
        assertThat(reading.findings()).isEmpty();
        assertThat(names(reading)).containsExactly("web-0", "web-1", "web-2");
        ObjectMeta meta = pods(reading).getLast().meta();
        assertThat(meta.namespace()).isEqualTo("team");
        assertThat(meta.labels()).containsEntry("app", "a").containsKey("pod-template-hash");
        assertThat(meta.controller().map(Owner::kind)).contains("Deployment");
        assertThat(meta.controller().map(Owner::name)).contains("web");
        Manifest first = reading.manifests().getFirst();
        assertThat(first.pathInText("spec.resourceClaims[0]")).isEqualTo("spec.template.spec.resourceClaims[0]");
        assertThat(first.locationOf("spec.resourceClaims[0]").column())
                .isEqualTo(
                        deployment("web", "replicas: 3, " + SELECTED).indexOf("{name: gpu, resourceClaimTemplateName")
                                + 1);
    }

    @Test
    void ignoresWorkloadsByDefault() {
        ManifestReadResult reading = Manifests.read("f.yaml", jobSet("", replicatedJob("r", "", "")));
        assertThat(reading.manifests()).isEmpty();
        assertThat(reading.findings())
                .singleElement()
                .asString()
                .contains("kind JobSet of jobset.x-k8s.io/v1alpha2 is not served, ignored: pass the pods");
    }

    @Test
    void givesSamePodsInEveryRun() {
        String text = deployment("web", "replicas: 2, " + SELECTED);
        String job =
                "{apiVersion: batch/v1, kind: Job, metadata: {generateName: train-}, spec: {%s}}".formatted(TEMPLATE);
        assertThat(read(text, job).objects()).isEqualTo(read(text, job).objects());
        assertThat(podNames(job, job))
                .satisfiesExactly(
                        first -> assertThat(first).matches("train-[a-z0-9]{5}-0"),
                        second -> assertThat(second).matches("train-[a-z0-9]{5}-0"));
        assertThat(podNames(job, job)).doesNotHaveDuplicates();
    }

    @Test
    void completesClaimsOfCreatedPods() {
        ManifestReadResult reading = read(
                "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t, namespace: team},"
                        + " spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}}",
                deployment("web", "replicas: 2, " + SELECTED));
        assertThat(ClusterCompletion.complete(reading.manifests()).stream()
                        .map(Manifest::object)
                        .filter(ResourceClaim.class::isInstance)
                        .map(claim -> claim.meta().name()))
                .satisfiesExactly(
                        first -> assertThat(first).matches("web-0-gpu-[a-z0-9]{5}"),
                        second -> assertThat(second).matches("web-1-gpu-[a-z0-9]{5}"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "''|w-0",
                "'replicas: 0, '|none",
                "'replicas: 2, ordinals: {start: 5}, '|w-5 w-6",
            })
    void numbersPodsOfStatefulSet(String fields, String expected) {
        List<String> names = podNames(object("apps/v1", "StatefulSet", fields + SELECTED));
        assertThat(names).isEqualTo(expected == null ? List.of() : List.of(expected.split(" ")));
    }

    @Test
    void addsLabelsAndVolumesOfStatefulSet() {
        Pod pod = pods(read(object("apps/v1", "StatefulSet", "volumeClaimTemplates: [{}], " + SELECTED)))
                .getFirst();
        assertThat(pod.meta().labels())
                .containsEntry("apps.kubernetes.io/pod-index", "0")
                .containsEntry("statefulset.kubernetes.io/pod-name", "w-0")
                .hasEntrySatisfying(
                        "controller-revision-hash", hash -> assertThat(hash).matches("w-[a-z0-9]{10}"));
        assertThat(pod.topology().usesVolumes()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "backoffLimit: 1|1",
                "parallelism: 3|3",
                "parallelism: 0|0",
                "'completions: 2, parallelism: 5'|2",
                "'completions: 4, parallelism: 4, completionMode: Indexed'|4",
            })
    void createsPodsThatJobRunsAtStart(String fields, int pods) {
        assertThat(podNames(job(fields))).hasSize(pods);
    }

    @Test
    void createsFirstPodsOfLongJob() {
        ManifestReadResult reading = read(job("completions: 10, parallelism: 2, completionMode: Indexed"));
        assertThat(names(reading)).containsExactly("w-0", "w-1");
        assertThat(reading.findings())
                .singleElement()
                .asString()
                .contains(
                        "spec.completions: warning: a Job runs as many pods at a time as parallelism says: the first 2");
        ObjectMeta meta = pods(reading).getLast().meta();
        assertThat(meta.labels())
                .containsEntry("batch.kubernetes.io/job-completion-index", "1")
                .containsEntry("batch.kubernetes.io/job-name", "w")
                .containsEntry("job-name", "w")
                .containsEntry(
                        "batch.kubernetes.io/controller-uid",
                        meta.controller().orElseThrow().uid())
                .containsEntry("controller-uid", meta.controller().orElseThrow().uid());
        assertThat(meta.annotations()).containsEntry("batch.kubernetes.io/job-completion-index", "1");
    }

    @Test
    void createsNoPodsOfSuspendedPausedOrFinished() {
        assertThat(names(read(job("suspend: true")))).isEmpty();
        assertThat(findings(job("suspend: true")))
                .singleElement()
                .asString()
                .contains("spec.suspend: warning: a suspended Job creates no pods: write suspend: false");
        assertThat(names(read(deployment("d", "paused: true, " + SELECTED)))).isEmpty();
        assertThat(names(read(jobSet("suspend: true, ", replicatedJob("r", "", "")))))
                .isEmpty();
        assertThat(podNames(job("parallelism: 1")
                        .replaceFirst("}$", ", status: {conditions: [{type: Complete, status: 'True'}]}}")))
                .isEmpty();
        assertThat(podNames(job("parallelism: 1")
                        .replace(
                                "metadata: {name: w", "metadata: {deletionTimestamp: '2026-01-01T00:00:00Z', name: w")))
                .isEmpty();
    }

    @Test
    void keepsGroupAndTopologyOfTemplate() {
        String spec =
                "{schedulingGroup: {podGroupName: g}, affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
                        + " [{topologyKey: host, labelSelector: {matchLabels: {app: a}}, matchLabelKeys: [pod-template-hash]}]}}}";
        Pod pod = pods(read(deployment("d", SELECTED.replace(POD_SPEC, spec)))).getFirst();
        assertThat(pod.podGroup()).contains("g");
        String hash = pod.meta().labels().get("pod-template-hash");
        assertThat(pod.topology().antiAffinity())
                .singleElement()
                .satisfies(term ->
                        assertThat(term.selector().orElseThrow().toString()).contains("pod-template-hash", hash));
    }

    @Test
    void prefersPodsOfRunningCluster() {
        String deployment = deployment("web", "replicas: 3, " + SELECTED);
        String replicaSet =
                "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-76d, namespace: team, %s}, spec: {replicas: 3, %s}}"
                        .formatted(owned("Deployment", "web"), SELECTED);
        String running = pod("web-76d-x", "namespace: team, " + owned("ReplicaSet", "web-76d"));
        String labelled = pod(
                "web-76d-x", "namespace: team, labels: {pod-template-hash: 76d}, " + owned("ReplicaSet", "web-76d"));
        assertThat(podNames(deployment, replicaSet)).containsExactly("web-0", "web-1", "web-2");
        assertThat(podNames(replicaSet)).containsExactly("web-76d-0", "web-76d-1", "web-76d-2");
        assertThat(podNames(deployment, replicaSet, running)).containsExactly("web-76d-x");
        assertThat(podNames(labelled, deployment)).containsExactly("web-76d-x");
        assertThat(podNames(deployment, running.replace("namespace: team", "namespace: other")))
                .hasSize(4);
    }

    @Test
    void distinguishesOwnersOfOneKindByApiGroup() {
        String job = job("parallelism: 1");
        String volcano = pod(
                "w-task-0",
                "ownerReferences: [{apiVersion: batch.volcano.sh/v1alpha1, kind: Job, name: w, uid: u, controller: true}]");
        assertThat(podNames(job, volcano)).containsExactly("w-task-0", "w-0");
        assertThat(podNames(job, volcano.replace("batch.volcano.sh/v1alpha1", "batch/v1")))
                .containsExactly("w-task-0");
        assertThat(podNames(job, volcano.replace("apiVersion: batch.volcano.sh/v1alpha1, ", "")))
                .containsExactly("w-task-0");
    }

    @Test
    void skipsUsedNamesWherePermitted() {
        String deployment = object("apps/v1", "Deployment", "replicas: 2, " + SELECTED);
        String statefulSet = object("apps/v1", "StatefulSet", "replicas: 1, " + SELECTED);
        assertThat(podNames(deployment, statefulSet, pod("w-2", "labels: {}")))
                .containsExactly("w-2", "w-1", "w-3", "w-0");
        ManifestReadResult reading = read(statefulSet, pod("w-0", "labels: {}"));
        assertThat(names(reading)).containsExactly("w-0");
        assertThat(reading.rejected()).isEqualTo(1);
        assertThat(reading.findings())
                .singleElement()
                .asString()
                .contains(
                        "metadata.name: StatefulSet default/w creates a pod of this name, and there is one at f.yaml:3");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Deployment|'replicas: -1, '|spec.replicas: Invalid value: must be greater than or equal to 0 (-1): write 0 or more",
                "Deployment|'replicas: many, '|spec.replicas: expected a whole number, found a text (many)",
                "Deployment|'replicas: 99999999999, '|spec.replicas: Invalid value: not a whole number of 32 bits",
                "Deployment|'replicas: 1000000000, '|spec.replicas: Deployment default/w has too many pods: the workloads of all files together may have 10000 (1000000000): write a smaller number",
                "Deployment|'replica: 2, '|spec.replica: warning: unknown field, ignored",
                "StatefulSet|'ordinals: {start: -2}, '|spec.ordinals.start: Invalid value: must be greater",
            })
    void reportsNumbers(String kind, String fields, String expected) {
        assertThat(findings(object("apps/v1", kind, fields + SELECTED)))
                .singleElement()
                .asString()
                .startsWith("f.yaml:1: ")
                .contains(expected);
    }

    @Test
    void reportsMissingAndWrongParts() {
        String selector = "selector: {matchLabels: {app: a}}";
        assertThat(findings(object("apps/v1", "Deployment", selector)))
                .anySatisfy(line -> assertThat(line).contains("spec.template: Required value"));
        assertThat(findings(object("apps/v1", "Deployment", selector + ", template: {metadata: {labels: {app: a}}}")))
                .singleElement()
                .asString()
                .contains("spec.template.spec: Required value");
        assertThat(findings(object("apps/v1", "Deployment", "selector: {matchLabels: {app: b}}, " + TEMPLATE)))
                .singleElement()
                .asString()
                .contains("`selector` does not match template `labels` ({app=a}): write the labels of");
        assertThat(findings(object("apps/v1", "Deployment", "selector: {}, " + TEMPLATE)))
                .singleElement()
                .asString()
                .contains("spec.selector: Invalid value: empty selector is invalid for Deployment");
        assertThat(findings("{apiVersion: batch/v1, kind: Job, metadata: {name: w}, spec: {}}"))
                .singleElement()
                .asString()
                .contains("spec.template: Required value");
        assertThat(findings("{apiVersion: batch/v1, kind: Job, metadata: {name: w}}"))
                .singleElement()
                .asString()
                .contains("spec: Required value");
        assertThat(findings("{apiVersion: apps/v1, kind: Deployment, metadata: {name: w}, spec: 3}"))
                .singleElement()
                .asString()
                .contains("spec: expected fields, found a number");
        assertThat(findings(job("completionMode: Indexed, parallelism: 2")))
                .singleElement()
                .asString()
                .contains("spec.completions: Required value: when completion mode is Indexed");
        assertThat(findings(job("completionMode: indexed")))
                .singleElement()
                .asString()
                .contains("spec.completionMode: Unsupported value", "did you mean Indexed?");
        assertThat(findings(jobSet("", replicatedJob("a", "dependsOn: [{name: b, status: Ready}], ", ""))))
                .singleElement()
                .asString()
                .contains("spec.replicatedJobs[0].dependsOn[0].name: Invalid value: not a replicated job before");
        assertThat(findings(jobSet("", replicatedJob("a", "", ""), replicatedJob("a", "", ""))))
                .anySatisfy(line -> assertThat(line).contains("spec.replicatedJobs[1]: Duplicate value (a)"));
        assertThat(findings(jobSet("", "{name: a}")))
                .singleElement()
                .asString()
                .contains("spec.replicatedJobs[0].template: Required value");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "apps/v1|Deployment|replicas: 2|selector",
                "apps/v1|StatefulSet|'template: {spec: {nodeSelector: {a: b}}}'|selector",
                "batch/v1|Job|parallelism: 2|template",
                "jobset.x-k8s.io/v1alpha2|JobSet|suspend: true|replicatedJobs",
            })
    void ignoresPatches(String apiVersion, String kind, String spec, String missing) {
        ManifestReadResult reading = read(object(apiVersion, kind, spec));
        assertThat(reading.rejected()).isZero();
        assertThat(reading.findings())
                .singleElement()
                .asString()
                .contains("kind: warning: a %s without spec.%s is a patch, ignored".formatted(kind, missing));
    }

    @Test
    void numbersPodsWithGeneratedNames() {
        String job = job("completions: 2, parallelism: 2, completionMode: Indexed");
        String jobSet = jobSet("", replicatedJob("r", "", "")).replace("name: w}", "name: v}");
        ManifestReadResult reading =
                read(pod("w-1", "labels: {}"), pod("w-1-2", "labels: {}"), pod("v-r-0-0", "labels: {}"), job, jobSet);
        assertThat(reading.findings()).isEmpty();
        assertThat(names(reading)).containsExactly("w-1", "w-1-2", "v-r-0-0", "w-0", "w-1-3", "v-r-0-0-2");
        assertThat(pods(reading).get(4).meta().labels()).containsEntry("batch.kubernetes.io/job-completion-index", "1");
    }

    private static String claimOfPod(String name, String pod) {
        return """
                {apiVersion: resource.k8s.io/v1, kind: ResourceClaim,
                 metadata: {name: %s, annotations: {resource.kubernetes.io/pod-claim-name: gpu},
                            ownerReferences: [{apiVersion: v1, kind: Pod, name: %s, uid: real, controller: true}]},
                 spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}},
                 status: {reservedFor: [{resource: pods, name: %2$s, uid: real}],
                          allocation: {devices: {results: [{request: gpu, driver: d.example.com, pool: p, device: g}]}}}}\
                """.formatted(name, pod);
    }

    @Test
    void usesClaimsOfMissingPodsOfStatefulSet() {
        ManifestReadResult reading = read(
                "{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: t},"
                        + " spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}}}",
                object("apps/v1", "StatefulSet", "replicas: 2, " + SELECTED),
                object("apps/v1", "Deployment", SELECTED),
                claimOfPod("w-0-gpu-x", "w-0"));
        assertThat(reading.findings()).isEmpty();
        assertThat(names(reading)).containsExactly("w-0", "w-1", "w-2");
        List<ResourceClaim> claims = ClusterCompletion.complete(reading.manifests()).stream()
                .map(Manifest::object)
                .filter(ResourceClaim.class::isInstance)
                .map(ResourceClaim.class::cast)
                .toList();
        assertThat(claims)
                .hasSize(3)
                .filteredOn(claim -> claim.meta().name().startsWith("w-0-"))
                .hasSize(1);
        assertThat(claims.getFirst().reservedFor()).hasSize(1);
        assertThat(claims.getFirst().allocation()).isPresent();
    }

    @Test
    void createsNoPodsBesideMissingPods() {
        String other = deployment("web-api", SELECTED).replace(", namespace: team", "");
        String web = deployment("web", SELECTED).replace(", namespace: team", "");
        ManifestReadResult reading =
                read(web, other, job("parallelism: 1"), claimOfPod("c", "web-76d-x"), claimOfPod("d", "web-76d-y"));
        assertThat(names(reading)).containsExactly("web-api-0", "w-0");
        assertThat(reading.findings())
                .singleElement()
                .asString()
                .contains(
                        "kind: warning: the pods of Deployment default/web exist in the cluster",
                        "none are created (web-76d-x): pass their manifests too: kubectl get pods -A -o yaml");
        String replicaSet = "{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web-76d, %s}, spec: {%s}}"
                .formatted(owned("Deployment", "web"), SELECTED);
        assertThat(names(read(web, replicaSet, claimOfPod("c", "web-76d-x")))).isEmpty();
        assertThat(names(read(
                        web, claimOfPod("c", "web-76d-x").replace("uid: real, controller", "uid: '', controller"))))
                .containsExactly("web-0");
    }

    @Test
    void reportsUsedNamesOnce() {
        ManifestReadResult reading = read(
                object("apps/v1", "StatefulSet", "replicas: 4, " + SELECTED),
                pod("w-0", "labels: {}"),
                pod("w-1", "labels: {}"),
                pod("w-3", "labels: {}"));
        assertThat(names(reading)).containsExactly("w-0", "w-1", "w-3", "w-2");
        assertThat(reading.rejected()).isEqualTo(3);
        assertThat(reading.findings())
                .singleElement()
                .asString()
                .contains("there is one at f.yaml:3", "already; the same holds for 2 more of its pods (w-0)");
    }

    @Test
    void createsNoPodsOfOtherControllers() {
        ManifestReadResult reading = read(job("managedBy: kueue.x-k8s.io/multikueue"));
        assertThat(names(reading)).isEmpty();
        assertThat(reading.findings())
                .singleElement()
                .asString()
                .contains("spec.managedBy: warning: another controller creates the pods: none are created (kueue");
        assertThat(podNames(job("managedBy: kubernetes.io/job-controller"))).hasSize(1);
        assertThat(names(read(jobSet("managedBy: example.com/other, ", replicatedJob("r", "", "")))))
                .isEmpty();
        assertThat(names(read(jobSet("", replicatedJob("r", "", "managedBy: example.com/other, ")))))
                .isEmpty();
        assertThat(podNames(jobSet("managedBy: jobset.sigs.k8s.io/jobset-controller, ", replicatedJob("r", "", ""))))
                .hasSize(1);
    }

    @Test
    void reportsNamesThatAreTooLongForLabels() {
        String name = "n".repeat(62);
        assertThat(findings(job("parallelism: 1").replace("name: w}", "name: %sxx}".formatted(name))))
                .singleElement()
                .asString()
                .contains("metadata.name: Invalid value: must be no more than 63 bytes: the name of a Job is");
        String statefulSet = object("apps/v1", "StatefulSet", SELECTED).replace("name: w}", "name: " + name + "}");
        assertThat(findings(statefulSet))
                .singleElement()
                .asString()
                .contains("metadata.name: Invalid value: must be no more than 61 bytes: the name of each pod is");
    }

    @Test
    void sharesLocationsBetweenPodsOfTemplate() {
        List<Manifest> manifests = ClusterCompletion.complete(
                read(deployment("web", "replicas: 2, " + SELECTED)).manifests());
        assertThat(manifests.getFirst().locations())
                .isSameAs(manifests.getLast().locations());
        assertThat(manifests.getFirst().locations().keySet())
                .isNotEmpty()
                .allSatisfy(path -> assertThat(path).startsWith("spec.template"));
        assertThat(manifests.getFirst().pathInText("")).isEqualTo("spec.template");
    }

    @Test
    void limitsClaimsOfAllWorkloadsTogether() {
        String claims = SELECTED.replace(
                        "resourceClaims: [", "resourceClaims: [{name: nic, resourceClaimTemplateName: t}, ")
                .replace("claims: [{name: gpu}", "claims: [{name: gpu}, {name: nic}");
        ManifestReadResult reading = read(
                deployment("a", "replicas: 4999, " + claims),
                deployment("b", "replicas: 2, " + claims),
                deployment("c", "replicas: 2, " + SELECTED));
        assertThat(pods(reading)).hasSize(5001);
        assertThat(reading.findings())
                .singleElement()
                .asString()
                .contains(
                        "spec.replicas: Deployment team/b has too many claims: the workloads of all files together may"
                                + " have 10000 (2): write a smaller number, or fewer entries with a template");
    }

    @Test
    void limitsPodsOfAllWorkloadsTogether() {
        ManifestReadResult reading = read(
                deployment("a", "replicas: 9999, " + SELECTED),
                deployment("b", "replicas: 2, " + SELECTED),
                deployment("c", "replicas: 1, " + SELECTED),
                jobSet(
                        "",
                        replicatedJob(
                                "r", "replicas: 2147483647, ", "parallelism: 2147483647, completions: 2147483647, ")),
                jobSet("", replicatedJob("r", "replicas: 2147483647, ", "parallelism: 0, "))
                        .replace("name: w", "name: v"));
        assertThat(pods(reading)).hasSize(10_000);
        assertThat(reading.rejected()).isEqualTo(3);
        assertThat(reading.findings())
                .extracting(ManifestFinding::field)
                .containsExactly(
                        "spec.replicatedJobs[0].template.spec.completions",
                        "spec.replicas",
                        "spec.replicatedJobs[0].replicas");
    }

    @Test
    void treatsEqualWorkloadsAsOne() {
        String deployment = deployment("web", SELECTED);
        assertThat(podNames(deployment, deployment)).containsExactly("web-0");
        assertThat(findings(deployment, deployment("web", "replicas: 2, " + SELECTED)))
                .singleElement()
                .asString()
                .contains("metadata.name: there is a Deployment of this name at f.yaml:1 already (team/web)");
    }

    @Test
    void namesKindsThatAreNotExpanded() {
        String cronJob = object("batch/v1", "CronJob", "jobTemplate: {spec: {" + TEMPLATE + "}}");
        String daemonSet = object("apps/v1", "DaemonSet", SELECTED);
        assertThat(findings(cronJob, cronJob.replace("name: w", "name: v"), daemonSet))
                .satisfiesExactly(
                        first -> assertThat(first)
                                .isEqualTo(
                                        "f.yaml:1: kind: warning: CronJob is not expanded: the pods of default/w and 1 more and"
                                                + " their claims are missing: pass the pods that it creates: kubectl get"
                                                + " pods,resourceclaims -A -o yaml"),
                        second -> assertThat(second).contains("DaemonSet is not expanded"));
        assertThat(findings(object(
                        "leaderworkerset.x-k8s.io/v1",
                        "LeaderWorkerSet",
                        "leaderWorkerTemplate: {workerTemplate: {spec: " + POD_SPEC + "}}")))
                .singleElement()
                .asString()
                .contains("LeaderWorkerSet is not expanded: the pods of default/w and their claims are missing");
        assertThat(findings(daemonSet, pod("w-x", owned("DaemonSet", "w")))).isEmpty();
        assertThat(findings(object("batch/v1", "CronJob", "schedule: daily")))
                .singleElement()
                .asString()
                .contains("kind CronJob of batch/v1 is not served, ignored");
    }

    @Test
    void cutsLongNames() {
        String name = "n".repeat(253);
        assertThat(podNames(deployment(name, "replicas: 11, " + SELECTED)))
                .hasSize(11)
                .doesNotHaveDuplicates()
                .allSatisfy(each -> assertThat(each).hasSizeLessThanOrEqualTo(253));
    }
}
