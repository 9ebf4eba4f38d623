package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests what the doctor says about the claim that it creates and deletes. */
final class ScratchClaimTest {
    private static final String LIST = "GET /apis/resource.k8s.io/v1/resourceclaims";
    private static final String CLAIMS = "/apis/resource.k8s.io/v1/namespaces/claimstream/resourceclaims";
    private static final String CREATED = "{'metadata':{'name':'claimstream-doctor-x','namespace':'claimstream'}}";

    @TempDir
    private Path folder = Path.of("");

    private List<String> changes(StubServer server) throws IOException {
        Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: here
                clusters: [{name: c, cluster: {server: "%s"}}]
                contexts: [{name: here, context: {cluster: c}}]
                """.formatted(server.url()));
        List<String> changes = new ArrayList<>();
        try (var client = ApiHttpClient.open(ApiAccess.of(kubeconfig, Optional.empty()))) {
            ScratchClaim.find(client, true, changes::add).close();
        }
        return changes;
    }

    @Test
    void saysWhatWasCreatedAndDeleted() throws IOException {
        try (var server = new StubServer()
                .onRequest(LIST, StubServer.json(200, "{'items':[]}"))
                .onRequest("POST " + CLAIMS, StubServer.json(201, CREATED))
                .onRequest("DELETE " + CLAIMS, StubServer.json(200, "{}"))) {
            assertThat(changes(server))
                    .containsExactly(
                            "created the temporary ResourceClaim claimstream/claimstream-doctor-x for the dry runs",
                            "deleted the temporary ResourceClaim claimstream/claimstream-doctor-x");
        }
    }

    @Test
    void saysHowToDeleteWhatIsLeft() throws IOException {
        try (var server = new StubServer()
                .onRequest(LIST, StubServer.json(200, "{'items':[]}"))
                .onRequest("POST " + CLAIMS, StubServer.json(201, CREATED))
                .onRequest("DELETE " + CLAIMS, StubServer.json(403, "{'message':'forbidden'}"))) {
            assertThat(changes(server).getLast())
                    .contains("was not deleted", "kubectl delete resourceclaim claimstream-doctor-x -n claimstream");
        }
    }

    @Test
    void saysThatNothingWasCreated() throws IOException {
        String pending = "{'items':[{'metadata':{'name':'c','namespace':'team'},"
                + "'spec':{'devices':{'requests':[{'name':'r','exactly':{}}]}}}]}";
        try (var server = new StubServer().onRequest(LIST, StubServer.json(200, pending))) {
            assertThat(changes(server))
                    .containsExactly(
                            "--make-claim created nothing: the pending claim team/c is there for the dry runs");
        }
    }
}
