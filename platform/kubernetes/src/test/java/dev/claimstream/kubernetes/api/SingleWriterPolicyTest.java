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
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SingleWriterPolicyTest {
    private static final String API = "GET /apis/admissionregistration.k8s.io/v1/";
    private static final String POLICY = API + "validatingadmissionpolicies/claimstream-single-writer";
    private static final String BINDING = API + "validatingadmissionpolicybindings/claimstream-single-writer";
    private static final String OLD = "2026-01-02T03:04:05Z";
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

    private static String policy(String created, String failurePolicy) {
        return "{'metadata':{'creationTimestamp':'%s'},'spec':{'failurePolicy':'%s'}}"
                .formatted(created, failurePolicy);
    }

    private static String binding(String created, String name, String action) {
        return "{'metadata':{'creationTimestamp':'%s'},'spec':{'policyName':'%s','validationActions':['Audit','%s']}}"
                .formatted(created, name, action);
    }

    private static String binding(String created) {
        return binding(created, "claimstream-single-writer", "Deny");
    }

    @Test
    void oldPolicyIsEnforcedAtOnce() {
        server.onRequest(POLICY, json(200, policy(OLD, "Fail"))).onRequest(BINDING, json(200, binding(OLD)));
        assertThatCode(policy::requireEnforced).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @CsvSource({"2026-01-02T03:59:59Z", "2026-01-02T04:00:30Z", "no time"})
    void newPolicyIsEnforcedAfterAMoment(String created) {
        server.onRequest(POLICY, json(200, policy(OLD, "Fail"))).onRequest(BINDING, json(200, binding(created)));
        assertThatThrownBy(policy::requireEnforced)
                .isInstanceOf(ClusterFault.class)
                .hasMessage("nothing is allocated yet: policy claimstream-single-writer is new");
        time = NOW.plusMillis(2_999);
        assertThatThrownBy(policy::requireEnforced).hasMessageContaining("is new");
        time = NOW.plusSeconds(3);
        assertThatCode(policy::requireEnforced).doesNotThrowAnyException();
    }

    @Test
    void deletionRestartsTheWait() {
        server.onRequest(POLICY, json(200, policy("", "Fail")), json(404, "{}"), json(200, policy("", "Fail")))
                .onRequest(BINDING, json(200, binding(OLD)));
        assertThat(policy.violation()).isEmpty();
        time = NOW.plusSeconds(10);
        assertThat(policy.violation()).isPresent();
        assertThatThrownBy(policy::requireEnforced).hasMessageContaining("is new");
    }

    @ParameterizedTest
    @CsvSource({
        "Fail, claimstream-single-writer, Warn, the binding claimstream-single-writer does not deny",
        "Fail, another, Deny, the binding claimstream-single-writer names another policy",
        "Ignore, claimstream-single-writer, Deny, the failurePolicy of claimstream-single-writer is not Fail"
    })
    void policyThatRejectsNothingIsAViolation(String failurePolicy, String name, String action, String why) {
        server.onRequest(POLICY, json(200, policy(OLD, failurePolicy)))
                .onRequest(BINDING, json(200, binding(OLD, name, action)));
        assertThat(policy.violation())
                .contains("nothing is allocated, because other programs could allocate the same devices: " + why);
    }

    @Test
    void missingObjectIsNamedWithTheRemedy() {
        server.onRequest(POLICY, json(200, policy(OLD, "Fail")));
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
                .hasMessageContaining("validatingadmissionpolicies claimstream-single-writer cannot be read")
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
        server.onRequest(POLICY, json(200, policy(OLD, "Fail")), json(404, "{}"))
                .onRequest(BINDING, json(200, binding(OLD)))
                .onRequest(
                        "GET /apis/resource.k8s.io/v1/resourceclaims?limit",
                        json(200, "{'metadata':{'resourceVersion':'7'},'items':[]}"))
                .onRequest(
                        "GET /apis/resource.k8s.io/v1/resourceclaims?watch=1",
                        server.linesThenOpen("{'type':'BOOKMARK','object':{'metadata':{'resourceVersion':'8'}}}"));
        BlockingQueue<String> ends = new LinkedBlockingQueue<>();
        try (var cluster = fencedCluster()) {
            cluster.list(Kind.RESOURCE_CLAIM);
            try (var _ = cluster.watch(Kind.RESOURCE_CLAIM, 7, endListener(ends))) {
                assertThat(ends.poll(40, TimeUnit.SECONDS))
                        .endsWith("the ValidatingAdmissionPolicy claimstream-single-writer does not exist");
            }
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
            public void onEnd(String why) {
                ends.add(why);
            }
        };
    }
}
