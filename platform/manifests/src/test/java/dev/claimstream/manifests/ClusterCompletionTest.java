package dev.claimstream.manifests;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.Feature;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Owner;
import dev.claimstream.dra.Pod;
import dev.claimstream.dra.PodClaim;
import dev.claimstream.dra.PodClaim.ClaimSource;
import dev.claimstream.dra.PodGroup;
import dev.claimstream.dra.ResourceClaim;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Tests the fields and claims that completion adds to a set of manifests, and that completion is idempotent. */
class ClusterCompletionTest {
    private static final String TEMPLATE = """
            apiVersion: resource.k8s.io/v1
            kind: ResourceClaimTemplate
            metadata: {name: t}
            spec:
              metadata: {labels: {team: a}, annotations: {note: b}}
              spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu}}]}}
            ---
            """;
    private static final String POD = """
            apiVersion: v1
            kind: Pod
            metadata: {name: p}
            spec: {resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}
            ---
            """;

    private static List<ClusterObject> completed(String text) {
        return completed(text, FeatureGates.defaults());
    }

    private static List<ClusterObject> completed(String text, FeatureGates features) {
        ManifestReadResult reading = Manifests.read("f.yaml", text);
        assertThat(reading.findings()).isEmpty();
        List<Manifest> once = ClusterCompletion.complete(reading.manifests(), features);
        assertThat(ClusterCompletion.complete(once, features)).isEqualTo(once);
        return once.stream().map(Manifest::object).toList();
    }

    private static <T extends ClusterObject> List<T> only(Class<T> type, List<ClusterObject> objects) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Test
    void namespacesUidsAndTheOrderAreFilledIn() {
        List<ClusterObject> objects = completed(POD + "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: mine}}");
        assertThat(objects).extracting(o -> o.meta().namespace()).containsExactly("default", "");
        assertThat(objects).extracting(o -> o.meta().sequence()).containsExactly(1L, 2L);
        UUID uid = UUID.fromString(objects.getFirst().meta().uid());
        assertThat(uid.version()).isEqualTo(5);
        assertThat(uid.variant()).isEqualTo(2);
        assertThat(objects.get(1).meta().uid()).isEqualTo("mine");
        assertThat(completed(POD).getFirst().meta().uid()).isEqualTo(uid.toString());
    }

    @Test
    void aPodGetsTheClaimThatTheControllerWouldMake() {
        List<ClusterObject> objects = completed(POD + TEMPLATE);
        ResourceClaim claim = only(ResourceClaim.class, objects).getFirst();
        Pod pod = only(Pod.class, objects).getFirst();
        assertThat(objects.getLast()).isSameAs(claim);
        assertThat(claim.meta().name()).matches("p-gpu-[b-df-hj-np-tv-xz24-9]{5}");
        assertThat(claim.meta().namespace()).isEqualTo("default");
        assertThat(claim.meta().controller())
                .contains(new Owner("Pod", "p", pod.meta().uid()));
        assertThat(claim.meta().labels()).containsEntry("team", "a");
        assertThat(claim.meta().annotations())
                .containsEntry("note", "b")
                .containsEntry(ClusterCompletion.POD_CLAIM_ANNOTATION, "gpu");
        assertThat(claim.meta().sequence()).isEqualTo(3);
        assertThat(claim.spec().requests()).hasSize(1);
        assertThat(pod.resourceClaims())
                .containsExactly(new PodClaim(
                        "gpu", new ClaimSource.GeneratedClaim("t", claim.meta().name())));
    }

    @Test
    void aGroupGetsOneClaimThatItsPodsShare() {
        String group = """
                apiVersion: scheduling.k8s.io/v1beta1
                kind: PodGroup
                metadata: {name: g}
                spec: {resourceClaims: [{name: gpu, resourceClaimTemplateName: t}]}
                ---
                """;
        String member = POD.replace("spec: {", "spec: {schedulingGroup: {podGroupName: g}, ");
        String manifests = member + member.replace("name: p}", "name: q}") + TEMPLATE + "---\n" + group;
        List<ClusterObject> objects =
                completed(manifests, FeatureGates.defaults().with(Feature.WORKLOAD_RESOURCE_CLAIMS, true));
        ResourceClaim claim = only(ResourceClaim.class, objects).getFirst();
        PodGroup made = only(PodGroup.class, objects).getFirst();
        assertThat(only(ResourceClaim.class, objects)).hasSize(1);
        assertThat(claim.meta().name()).startsWith("g-gpu-");
        assertThat(claim.meta().controller())
                .contains(new Owner("PodGroup", "g", made.meta().uid()));
        var shared = new PodClaim(
                "gpu", new ClaimSource.GeneratedClaim("t", claim.meta().name()));
        assertThat(made.resourceClaims()).containsExactly(shared);
        assertThat(only(Pod.class, objects))
                .allSatisfy(pod -> assertThat(pod.resourceClaims()).containsExactly(shared));

        List<ClusterObject> withoutTheGate = completed(manifests, FeatureGates.defaults());
        assertThat(only(PodGroup.class, withoutTheGate).getFirst().resourceClaims())
                .isEmpty();
        assertThat(only(ResourceClaim.class, withoutTheGate)).hasSize(2);
    }

    @Test
    void longNamesAreCutInProportion() {
        String pod = "p".repeat(100);
        List<ClusterObject> objects = completed(
                POD.replace("name: p}", "name: " + pod + "}").replace("name: gpu,", "name: " + "c".repeat(50) + ",")
                        + TEMPLATE);
        String name = only(ResourceClaim.class, objects).getFirst().meta().name();
        assertThat(name).matches("p{37}-c{18}.{5}").hasSizeLessThanOrEqualTo(63);
    }

    @Test
    void aMissingTemplateLeavesThePodWaiting() {
        List<ClusterObject> objects = completed(POD + TEMPLATE.replace("{name: t}", "{name: t, namespace: other}"));
        assertThat(only(Pod.class, objects).getFirst().resourceClaims())
                .containsExactly(new PodClaim("gpu", new ClaimSource.TemplateReference("t")));
        assertThat(only(ResourceClaim.class, objects)).isEmpty();
    }

    @Test
    void aClaimThatBelongsToThePodIsUsed() {
        List<ClusterObject> objects = completed(TEMPLATE + POD + """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata:
                  name: mine
                  annotations: {resource.kubernetes.io/pod-claim-name: gpu}
                  ownerReferences: [{apiVersion: v1, kind: Pod, name: p, controller: true}]
                spec: {devices: {}}
                """);
        Pod pod = only(Pod.class, objects).getFirst();
        assertThat(pod.resourceClaims())
                .containsExactly(new PodClaim("gpu", new ClaimSource.GeneratedClaim("t", "mine")));
        ResourceClaim claim = only(ResourceClaim.class, objects).getFirst();
        assertThat(claim.meta().controller())
                .contains(new Owner("Pod", "p", pod.meta().uid()));
    }

    @Test
    void aPodThatHasEndedOrWhoseStatusNamesAClaimGetsNone() {
        List<ClusterObject> objects = completed(TEMPLATE
                + POD.replace("---", "status: {phase: Succeeded}\n---")
                + POD.replace("name: p}", "name: q}")
                        .replace("---", "status: {resourceClaimStatuses: [{name: gpu, resourceClaimName: x}]}\n---"));
        assertThat(only(ResourceClaim.class, objects)).isEmpty();
        assertThat(only(Pod.class, objects).get(1).resourceClaims())
                .containsExactly(new PodClaim("gpu", new ClaimSource.GeneratedClaim("t", "x")));
    }

    @Test
    void generatedNamesDifferThoughTheirBeginningIsTheSame() {
        String one = "{apiVersion: v1, kind: Pod, metadata: {generateName: job-}, spec: {}}\n---\n";
        List<ClusterObject> objects = completed(one + one + one);
        assertThat(objects)
                .extracting(o -> o.meta().name())
                .doesNotHaveDuplicates()
                .allMatch(n -> n.matches("job-.{5}"));
        assertThat(objects).extracting(o -> o.meta().uid()).doesNotHaveDuplicates();
    }
}
