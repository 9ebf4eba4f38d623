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

    private static List<ClusterObject> complete(String text) {
        return complete(text, FeatureGates.defaults());
    }

    private static List<ClusterObject> complete(String text, FeatureGates features) {
        ManifestReadResult reading = Manifests.read("f.yaml", text);
        assertThat(reading.findings()).isEmpty();
        List<Manifest> once = ClusterCompletion.complete(reading.manifests(), features);
        assertThat(ClusterCompletion.complete(once, features)).isEqualTo(once);
        return once.stream().map(Manifest::object).toList();
    }

    private static <T extends ClusterObject> List<T> select(Class<T> type, List<ClusterObject> objects) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }

    @Test
    void fillsInNamespaceUidAndSequence() {
        List<ClusterObject> objects = complete(POD + "{apiVersion: v1, kind: Node, metadata: {name: n1, uid: mine}}");
        assertThat(objects).extracting(o -> o.meta().namespace()).containsExactly("default", "");
        assertThat(objects).extracting(o -> o.meta().sequence()).containsExactly(1L, 2L);
        UUID uid = UUID.fromString(objects.getFirst().meta().uid());
        assertThat(uid.version()).isEqualTo(5);
        assertThat(uid.variant()).isEqualTo(2);
        assertThat(objects.get(1).meta().uid()).isEqualTo("mine");
        assertThat(complete(POD).getFirst().meta().uid()).isEqualTo(uid.toString());
    }

    @Test
    void generatesClaimForPodAsControllerDoes() {
        List<ClusterObject> objects = complete(POD + TEMPLATE);
        ResourceClaim claim = select(ResourceClaim.class, objects).getFirst();
        Pod pod = select(Pod.class, objects).getFirst();
        assertThat(objects.getLast()).isSameAs(claim);
        assertThat(claim.meta().name()).matches("p-gpu-[b-df-hj-np-tv-xz24-9]{5}");
        assertThat(claim.meta().namespace()).isEqualTo("default");
        assertThat(claim.meta().controller()).contains(Owner.pod("p", pod.meta().uid()));
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
    void generatesOneSharedClaimForPodGroup() {
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
                complete(manifests, FeatureGates.defaults().with(Feature.WORKLOAD_RESOURCE_CLAIMS, true));
        ResourceClaim claim = select(ResourceClaim.class, objects).getFirst();
        PodGroup podGroup = select(PodGroup.class, objects).getFirst();
        assertThat(select(ResourceClaim.class, objects)).hasSize(1);
        assertThat(claim.meta().name()).startsWith("g-gpu-");
        assertThat(claim.meta().controller())
                .contains(Owner.podGroup("g", podGroup.meta().uid()));
        var shared = new PodClaim(
                "gpu", new ClaimSource.GeneratedClaim("t", claim.meta().name()));
        assertThat(podGroup.resourceClaims()).containsExactly(shared);
        assertThat(select(Pod.class, objects))
                .allSatisfy(pod -> assertThat(pod.resourceClaims()).containsExactly(shared));

        List<ClusterObject> withoutTheGate = complete(manifests, FeatureGates.defaults());
        assertThat(select(PodGroup.class, withoutTheGate).getFirst().resourceClaims())
                .isEmpty();
        assertThat(select(ResourceClaim.class, withoutTheGate)).hasSize(2);
    }

    @Test
    void truncatesLongNamesInProportion() {
        String pod = "p".repeat(100);
        List<ClusterObject> objects = complete(
                POD.replace("name: p}", "name: " + pod + "}").replace("name: gpu,", "name: " + "c".repeat(50) + ",")
                        + TEMPLATE);
        String name = select(ResourceClaim.class, objects).getFirst().meta().name();
        assertThat(name).matches("p{37}-c{18}.{5}").hasSizeLessThanOrEqualTo(63);
    }

    @Test
    void keepsTemplateReferenceWhenTemplateIsMissing() {
        List<ClusterObject> objects = complete(POD + TEMPLATE.replace("{name: t}", "{name: t, namespace: other}"));
        assertThat(select(Pod.class, objects).getFirst().resourceClaims())
                .containsExactly(new PodClaim("gpu", new ClaimSource.TemplateReference("t")));
        assertThat(select(ResourceClaim.class, objects)).isEmpty();
    }

    @Test
    void usesExistingClaimOwnedByPod() {
        List<ClusterObject> objects = complete(TEMPLATE + POD + """
                apiVersion: resource.k8s.io/v1
                kind: ResourceClaim
                metadata:
                  name: mine
                  annotations: {resource.kubernetes.io/pod-claim-name: gpu}
                  ownerReferences: [{apiVersion: v1, kind: Pod, name: p, controller: true}]
                spec: {devices: {}}
                """);
        Pod pod = select(Pod.class, objects).getFirst();
        assertThat(pod.resourceClaims())
                .containsExactly(new PodClaim("gpu", new ClaimSource.GeneratedClaim("t", "mine")));
        ResourceClaim claim = select(ResourceClaim.class, objects).getFirst();
        assertThat(claim.meta().controller()).contains(Owner.pod("p", pod.meta().uid()));
    }

    @Test
    void generatesNoClaimForFinishedPodOrExistingStatus() {
        List<ClusterObject> objects = complete(TEMPLATE
                + POD.replace("---", "status: {phase: Succeeded}\n---")
                + POD.replace("name: p}", "name: q}")
                        .replace("---", "status: {resourceClaimStatuses: [{name: gpu, resourceClaimName: x}]}\n---"));
        assertThat(select(ResourceClaim.class, objects)).isEmpty();
        assertThat(select(Pod.class, objects).get(1).resourceClaims())
                .containsExactly(new PodClaim("gpu", new ClaimSource.GeneratedClaim("t", "x")));
    }

    @Test
    void generatesDistinctNamesForSamePrefix() {
        String one = "{apiVersion: v1, kind: Pod, metadata: {generateName: job-}, spec: {}}\n---\n";
        List<ClusterObject> objects = complete(one + one + one);
        assertThat(objects)
                .extracting(o -> o.meta().name())
                .doesNotHaveDuplicates()
                .allMatch(n -> n.matches("job-.{5}"));
        assertThat(objects).extracting(o -> o.meta().uid()).doesNotHaveDuplicates();
    }
}
