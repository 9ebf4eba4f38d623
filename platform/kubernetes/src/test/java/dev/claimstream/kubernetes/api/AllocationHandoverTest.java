package dev.claimstream.kubernetes.api;

import static dev.claimstream.kubernetes.api.StubServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.api.AllocationHandover.ServiceWorkload;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests of the steps that hand the allocation back, and the results of each response. */
final class AllocationHandoverTest {
    private static final String ADMISSION = "/apis/admissionregistration.k8s.io/v1/";
    private static final String UNBOUND = "GET /api/v1/pods?fieldSelector=spec.nodeName%3D&limit=500";
    private static final ServiceWorkload WRITER = ServiceWorkload.parse("claimstream", "deployment/w");
    private static final String WRITER_PATH = "/apis/apps/v1/namespaces/claimstream/deployments/w";

    /** The reply to a patch with the uid of a pod that was replaced. */
    private static final String ANOTHER_POD = "{'kind':'Status','message':'Pod c is invalid','details':{'causes':["
            + "{'field':'metadata.uid','reason':'FieldValueInvalid','message':'Invalid value: field is immutable'}]}}";

    private final StubServer server = new StubServer();
    private final AllocationHandover handover =
            AllocationHandover.at(ApiHttpClient.at(server.url(), Duration.ofSeconds(10)));

    @AfterEach
    void close() {
        handover.close();
        server.close();
    }

    private static String pod(String name, String... gates) {
        return "{'metadata':{'namespace':'team','name':'%s','uid':'u-%s'},'spec':{'schedulingGates':[%s]}}"
                .formatted(
                        name, name, gates.length == 0 ? "" : "{'name':'" + String.join("'},{'name':'", gates) + "'}");
    }

    @Test
    void removesOnlyItsGateFromPodsOfAllPages() {
        String gate = "claimstream.dev/allocation";
        server.onRequest(
                UNBOUND + "&continue=more",
                json(200, "{'metadata':{},'items':[%s]}".formatted(pod("c", "example.com/other", gate))));
        server.onRequest(
                UNBOUND,
                json(
                        200,
                        "{'metadata':{'continue':'more'},'items':[%s,%s]}"
                                .formatted(pod("a", gate), pod("b", "example.com/other"))));
        server.onRequest("PATCH /api/v1/namespaces/team/pods/a", json(200, "{}"));
        server.onRequest("PATCH /api/v1/namespaces/team/pods/c", json(422, ANOTHER_POD));

        assertThat(handover.removeGates()).isEqualTo(2);
        assertThat(server.requests().stream().filter(each -> each.startsWith("PATCH")))
                .hasSize(2)
                .first()
                .asString()
                .contains("\"uid\":\"u-a\"", "[{\"$patch\":\"delete\",\"name\":\"claimstream.dev/allocation\"}]");
    }

    @Test
    void missingObjectsAreNoError() {
        assertThat(handover.deleteGateBinding()).isFalse();
        assertThat(handover.deleteWriterBinding()).isFalse();
        assertThat(handover.scaleToZero(WRITER)).isFalse();
    }

    /** As after a deletion with --cascade=orphan: no controller, no selector, and the pods still write. */
    @Test
    void findsPodsOfAbsentWorkloadByTheirNames() {
        server.onRequest(
                "GET /api/v1/namespaces/claimstream/pods?limit=500",
                json(
                        200,
                        "{'metadata':{},'items':[%s,%s,%s,%s]}"
                                .formatted(
                                        podOf("w-5d4f8c-abcde", "5d4f8c"),
                                        podOf("w-test-5d4f8c-abcde", "5d4f8c"),
                                        pod("w-job-abcde"),
                                        pod("w-0"))));
        assertThat(handover.running(WRITER)).contains("pods w-5d4f8c-abcde");
        assertThat(handover.running(ServiceWorkload.parse("claimstream", "statefulset/w")))
                .contains("pods w-0");
        assertThat(handover.running(ServiceWorkload.parse("claimstream", "statefulset/other")))
                .isEmpty();
    }

    private static String podOf(String name, String hash) {
        return "{'metadata':{'namespace':'claimstream','name':'%s','labels':{'pod-template-hash':'%s'}}}"
                .formatted(name, hash);
    }

    @Test
    void deletesBindingsAndScalesWorkload() {
        server.onRequest("DELETE " + ADMISSION + "mutatingadmissionpolicybindings/claimstream-gate", json(200, "{}"));
        server.onRequest(
                "DELETE " + ADMISSION + "validatingadmissionpolicybindings/claimstream-single-writer", json(200, "{}"));
        server.onRequest("PATCH " + WRITER_PATH, json(200, "{}"));
        assertThat(handover.deleteGateBinding()).isTrue();
        assertThat(handover.deleteWriterBinding()).isTrue();
        assertThat(handover.scaleToZero(WRITER)).isTrue();
        assertThat(server.requests()).anyMatch(each -> each.contains("{\"spec\":{\"replicas\":0}}"));
    }

    @Test
    void listsPodsOfWorkloadByItsLabels() {
        server.onRequest(
                "GET " + WRITER_PATH, json(200, "{'spec':{'selector':{'matchLabels':{'app':'x','part':'writer'}}}}"));
        server.onRequest(
                "GET /api/v1/namespaces/claimstream/pods?labelSelector=app%3Dx%2Cpart%3Dwriter&limit=500",
                json(200, "{'metadata':{},'items':[%s]}".formatted(pod("w-1"))));
        assertThat(handover.running(WRITER)).contains("pods w-1");
    }

    /** The controller can be creating a pod in this moment. */
    @Test
    void workloadRunsUntilItsControllerHasObservedTheChange() {
        String workload = "{'metadata':{'generation':3},'spec':{},'status':{'observedGeneration':%d}}";
        server.onRequest("GET " + WRITER_PATH, json(200, workload.formatted(2)), json(200, workload.formatted(3)));
        server.onRequest("GET /api/v1/namespaces/claimstream/pods", json(200, "{'metadata':{},'items':[]}"));
        assertThat(handover.running(WRITER)).contains("its controller has not observed the change yet");
        assertThat(handover.running(WRITER)).isEmpty();
    }

    @Test
    void rejectionNamesObjectAndRemedy() {
        server.onRequest("PATCH " + WRITER_PATH, json(403, "{'message':'user x cannot patch'}"));
        assertThatThrownBy(() -> handover.scaleToZero(WRITER))
                .isInstanceOf(ClusterFault.class)
                .hasMessageContainingAll(
                        "deployment/w cannot be scaled to 0", "user x cannot patch", "allow patch of it");
    }

    @Test
    void workloadOfAnotherKindIsRejected() {
        assertThatThrownBy(() -> ServiceWorkload.parse("claimstream", "daemonset/a"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("daemonset/a: use statefulset/NAME or deployment/NAME");
    }
}
