package dev.claimstream.kubernetes.api;

import static dev.claimstream.kubernetes.api.StubServer.json;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kubernetes.ClusterFault;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Whether the policy of the single writer and its binding exist. */
final class WriterBindingTest {
    private static final String POLICY =
            "GET /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/claimstream-single-writer";
    private static final String BINDING =
            "GET /apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/claimstream-single-writer";

    @Test
    void namesFirstMissingObject() {
        try (var server = new StubServer();
                var binding = WriterBinding.at(ApiHttpClient.at(server.url(), Duration.ofSeconds(10)))) {
            assertThat(binding.missing()).contains("validatingadmissionpolicies/claimstream-single-writer");
            server.onRequest(POLICY, json(200, "{}"));
            assertThat(binding.missing()).contains("validatingadmissionpolicybindings/claimstream-single-writer");
            server.onRequest(BINDING, json(200, "{}"));
            assertThat(binding.missing()).isEmpty();
        }
    }

    @Test
    void denialIsNoAbsence() {
        try (var server = new StubServer();
                var binding = WriterBinding.at(ApiHttpClient.at(server.url(), Duration.ofSeconds(10)))) {
            server.onRequest(POLICY, json(403, "{'message':'user x cannot get'}"));
            assertThatThrownBy(binding::missing)
                    .isInstanceOf(ClusterFault.class)
                    .hasMessageContainingAll("cannot be read", "user x cannot get", "allow get of it");
        }
    }
}
