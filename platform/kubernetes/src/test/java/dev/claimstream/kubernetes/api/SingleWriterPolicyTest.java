package dev.claimstream.kubernetes.api;

import static dev.claimstream.kubernetes.api.StubServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.ClusterWatch;
import dev.claimstream.kubernetes.VersionedObject;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SingleWriterPolicyTest {
    private static final String API = "GET /apis/admissionregistration.k8s.io/v1/";
    private static final String POLICY = API + "validatingadmissionpolicies/claimstream-single-writer";
    private static final String BINDING = API + "validatingadmissionpolicybindings/claimstream-single-writer";
    private static final String PARAMETERS = "GET /api/v1/namespaces/claimstream/configmaps/claimstream-managed";
    private static final String WRITER = "system:serviceaccount:claimstream:writer";
    private static final Instant NOW = Instant.parse("2026-01-02T04:00:00Z");

    private final StubServer server = new StubServer();
    private final ApiHttpClient client = ApiHttpClient.at(server.url(), Duration.ofSeconds(5));
    private Instant time = NOW;
    private final SingleWriterPolicy policy = new SingleWriterPolicy(client, () -> time);

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    private static StubServer.StubResponse policy(String uid, int generation, String failurePolicy) {
        return json(
                200,
                "{'metadata':{'uid':'%s','generation':%d,'creationTimestamp':'2020-01-02T03:04:05Z'},'spec':{'failurePolicy':'%s'}}"
                        .formatted(uid, generation, failurePolicy));
    }

    private static StubServer.StubResponse binding(String name, String action, String absent) {
        return json(
                200,
                "{'metadata':{'uid':'b','generation':1},'spec':{'policyName':'%s','validationActions':['Audit','%s'],'paramRef':{'name':'claimstream-managed','namespace':'claimstream','parameterNotFoundAction':'%s'}}}"
                        .formatted(name, action, absent));
    }

    private static StubServer.StubResponse parameters(int version, String writer, String drivers) {
        return json(
                200,
                "{'metadata':{'uid':'c','resourceVersion':'%d'},'data':{'classes':'gpu','writer':'%s','drivers':'%s'}}"
                        .formatted(version, writer, drivers));
    }

    private static StubServer.StubResponse policy() {
        return policy("a", 1, "Fail");
    }

    private static StubServer.StubResponse binding() {
        return binding("claimstream-single-writer", "Deny", "Deny");
    }

    private static StubServer.StubResponse parameters() {
        return parameters(1, WRITER, "gpu.example.com");
    }

    private void settle() {
        assertThatThrownBy(policy::requireEnforced).hasMessageContaining("is new, has changed");
        time = time.plusSeconds(3);
        assertThatCode(policy::requireEnforced).doesNotThrowAnyException();
    }

    /** Also an old object: it can have changed a moment ago. */
    @Test
    void policyIsEnforcedAfterAMoment() {
        server.onRequest(POLICY, policy()).onRequest(BINDING, binding()).onRequest(PARAMETERS, parameters());
        assertThatThrownBy(policy::requireEnforced)
                .isInstanceOf(ClusterFault.class)
                .hasMessage("nothing is allocated yet: policy claimstream-single-writer is new, has changed, or was not"
                        + " seen before");
        time = NOW.plusMillis(2_999);
        assertThatThrownBy(policy::requireEnforced).hasMessageContaining("is new");
        time = NOW.plusSeconds(3);
        assertThatCode(policy::requireEnforced).doesNotThrowAnyException();
        assertThat(policy.violation()).isEmpty();
    }

    @Test
    void deletionRestartsTheWait() {
        server.onRequest(POLICY, policy(), json(404, "{}"), policy())
                .onRequest(BINDING, binding())
                .onRequest(PARAMETERS, parameters());
        assertThat(policy.violation()).isEmpty();
        time = NOW.plusSeconds(10);
        assertThat(policy.violation()).isPresent();
        assertThatThrownBy(policy::requireEnforced).hasMessageContaining("is new");
    }

    /** In the time between two checks, kube-scheduler could allocate. */
    @ParameterizedTest
    @CsvSource({"recreated, 1", "a, 3"})
    void policyThatWasReplacedBetweenTwoChecksIsAChange(String uid, int generation) {
        server.onRequest(POLICY, policy(), policy(), policy(), policy(uid, generation, "Fail"))
                .onRequest(BINDING, binding())
                .onRequest(PARAMETERS, parameters());
        settle();
        assertThat(policy.violation()).isEmpty();
        assertThat(policy.violation())
                .hasValueSatisfying(reason -> assertThat(reason).contains("has changed"));
        settle();
        assertThat(policy.violation()).isEmpty();
    }

    @Test
    void changeOfTheDriversRestartsTheWait() {
        server.onRequest(POLICY, policy())
                .onRequest(BINDING, binding())
                .onRequest(PARAMETERS, parameters(), parameters(), parameters(2, WRITER, "gpu.example.com,nic"));
        settle();
        assertThat(policy.violation())
                .hasValueSatisfying(reason -> assertThat(reason).contains("has changed"));
        settle();
    }

    @ParameterizedTest
    @CsvSource({
        "Fail, claimstream-single-writer, Warn, Deny, the binding claimstream-single-writer does not deny",
        "Fail, another, Deny, Deny, the binding claimstream-single-writer names another policy",
        "Fail, claimstream-single-writer, Deny, Allow, the binding claimstream-single-writer does not require ConfigMap"
                + " claimstream/claimstream-managed",
        "Ignore, claimstream-single-writer, Deny, Deny, the failurePolicy of claimstream-single-writer is not Fail"
    })
    void policyThatRejectsNothingIsAViolation(
            String failurePolicy, String name, String action, String absent, String reason) {
        server.onRequest(POLICY, policy("a", 1, failurePolicy))
                .onRequest(BINDING, binding(name, action, absent))
                .onRequest(PARAMETERS, parameters());
        assertThat(policy.violation())
                .contains("nothing is allocated, because other programs could allocate the same devices: " + reason);
    }

    @ParameterizedTest
    @CsvSource({
        "none, gpu.example.com, the writer in ConfigMap claimstream/claimstream-managed is 'none'",
        "system:kube-scheduler, gpu.example.com, is 'system:kube-scheduler'",
        "'', gpu.example.com, is ''",
        "system:serviceaccount:claimstream:writer, ' ,', has classes and no drivers"
    })
    void parametersThatNameAnotherWriterAreAViolation(String writer, String drivers, String reason) {
        server.onRequest(POLICY, policy())
                .onRequest(BINDING, binding())
                .onRequest(PARAMETERS, parameters(1, writer, drivers));
        assertThatThrownBy(policy::requireEnforced).hasMessageContaining(reason);
    }

    @Test
    void missingParametersAreAViolation() {
        server.onRequest(POLICY, policy()).onRequest(BINDING, binding());
        assertThatThrownBy(policy::requireEnforced)
                .hasMessageContaining("ConfigMap claimstream/claimstream-managed does not exist")
                .hasMessageContaining("restore it");
    }

    @Test
    void missingObjectIsNamedWithTheRemedy() {
        server.onRequest(POLICY, policy());
        assertThatThrownBy(policy::requireEnforced)
                .isInstanceOf(ClusterFault.class)
                .hasMessageEndingWith("the ValidatingAdmissionPolicyBinding claimstream-single-writer does not exist:"
                        + " kubectl apply -f deploy/policies");
    }

    @Test
    void deniedReadNamesThePermission() {
        server.onRequest(POLICY, json(403, "{'kind':'Status','message':'no'}"));
        assertThatThrownBy(policy::violation)
                .isInstanceOf(ClusterFault.class)
                .hasMessageContaining("validatingadmissionpolicies/claimstream-single-writer cannot be read")
                .hasMessageContaining("allow get of it");
    }

    @Test
    void claimsAreNotListedWithoutThePolicyAndOtherKindsAre() {
        server.onRequest("GET /apis/resource.k8s.io/v1/", json(200, "{'metadata':{'resourceVersion':'7'},'items':[]}"));
        try (var cluster = fencedCluster()) {
            assertThatThrownBy(() -> cluster.list(Kind.RESOURCE_CLAIM)).hasMessageContaining("does not exist");
            assertThat(cluster.list(Kind.RESOURCE_SLICE).version()).isEqualTo(7);
        }
    }

    @Test
    void watchOfClaimsEndsWhenThePolicyIsDeleted() throws InterruptedException {
        server.onRequest(POLICY, policy())
                .onRequest(BINDING, binding())
                .onRequest(PARAMETERS, parameters())
                .onRequest(
                        "GET /apis/resource.k8s.io/v1/resourceclaims?limit",
                        json(200, "{'metadata':{'resourceVersion':'7'},'items':[]}"))
                .onRequest(
                        "GET /apis/resource.k8s.io/v1/resourceclaims?watch=1",
                        server.linesThenOpen("{'type':'BOOKMARK','object':{'metadata':{'resourceVersion':'8'}}}"));
        BlockingQueue<String> ends = new LinkedBlockingQueue<>();
        try (var cluster = fencedCluster()) {
            for (long end = System.nanoTime() + Duration.ofSeconds(30).toNanos(); !isListed(cluster); ) {
                assertThat(System.nanoTime()).isLessThan(end);
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            }
            try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 7, endListener(ends))) {
                server.onRequest(POLICY, json(404, "{}"));
                long deleted = System.nanoTime();
                assertThat(ends.poll(40, TimeUnit.SECONDS))
                        .endsWith("the ValidatingAdmissionPolicy claimstream-single-writer does not exist");
                assertThat(Duration.ofNanos(System.nanoTime() - deleted)).isLessThan(Duration.ofSeconds(8));
            }
        }
    }

    private static boolean isListed(ApiCluster cluster) {
        try {
            return cluster.list(Kind.RESOURCE_CLAIM).version() == 7;
        } catch (ClusterFault e) {
            return false;
        }
    }

    private ApiCluster fencedCluster() {
        return ApiCluster.at(server.url(), ApiScope.ALL, PolicyRequirement.SINGLE_WRITER, Duration.ofSeconds(5));
    }

    private static ClusterWatch.WatchListener endListener(BlockingQueue<String> ends) {
        return new ClusterWatch.WatchListener() {
            @Override
            public void onUpsert(VersionedObject object) {
                ends.add("changed " + object.object().key());
            }

            @Override
            public void onDelete(VersionedObject object) {
                ends.add("deleted " + object.object().key());
            }

            @Override
            public void onEnd(String reason) {
                ends.add(reason);
            }
        };
    }
}
