package dev.claimstream.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.history.RandomHistory.TrueInterval;
import dev.claimstream.history.store.HistoryReader;
import dev.claimstream.history.store.HistoryStore;
import dev.claimstream.history.store.StoreSettings;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.AccessPermission;
import dev.claimstream.kubernetes.access.AccessReviewer;
import dev.claimstream.kubernetes.access.ReviewCache;
import dev.claimstream.kubernetes.access.RouteRule;
import dev.claimstream.kubernetes.access.UserIdentity;
import dev.claimstream.observability.Meters;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the questions that users may ask in a cluster. All intervals are of claims {@code team/claim-N}. */
final class HistoryAccessTest {
    private static final RandomHistory HISTORY = RandomHistory.of(5, 2, 300);

    @TempDir
    private Path folder = Path.of("");

    private final HttpClient http = HttpClient.newHttpClient();
    private final StoredPermissions permissions = new StoredPermissions();
    private HistoryStore store;
    private HistoryServer server;

    /**
     * A user per token; {@code owner} sees the namespace of the intervals, {@code other} another one and all devices, {@code guest} another
     * one, {@code auditor} everything.
     */
    private static final class StoredPermissions implements AccessReviewer {
        private boolean isDown;

        @Override
        public Optional<UserIdentity> authenticate(String token) {
            if (isDown) {
                throw new ClusterFault("no response from https://api");
            }
            return Set.of("owner", "other", "guest", "auditor").contains(token)
                    ? Optional.of(new UserIdentity(token, token, List.of(), Map.of()))
                    : Optional.empty();
        }

        @Override
        public boolean isAllowed(UserIdentity user, AccessPermission permission, String namespace) {
            String own = user.name().equals("owner") ? "team" : "elsewhere";
            return user.name().equals("auditor")
                    || (permission == AccessPermission.NAMESPACE && namespace.equals(own))
                    || (permission == AccessPermission.DEVICES && user.name().equals("other"));
        }
    }

    @BeforeEach
    void start() throws IOException {
        store = HistoryStore.open(
                new StoreSettings(Optional.empty(), folder.resolve("exports"), "256MB", 2), RandomHistory.cells());
        HISTORY.inputs().forEach(store::apply);
        store.flush();
        HistoryReader reader = store.reader();
        server = HistoryServer.start(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                HistoryRoutes.filter(
                        "127.0.0.1",
                        List.of(),
                        AccessGate.of(new ReviewCache(permissions, Duration.ofSeconds(1), 1000))),
                () -> Optional.of(reader),
                Map.of(),
                new Meters());
    }

    @AfterEach
    void stop() {
        http.close();
        server.close();
        store.close();
    }

    private HttpResponse<String> ask(String method, String path, String... headers)
            throws IOException, InterruptedException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.address().resolve(path))
                .method(method, HttpRequest.BodyPublishers.ofString("SELECT 1 AS one"));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> askAs(String user, String method, String path) throws Exception {
        return ask(method, path, "Authorization", "Bearer " + user);
    }

    private static String device() {
        return HISTORY.truth().getLast().device();
    }

    private static List<String> questions() {
        TrueInterval interval = HISTORY.truth().getLast();
        String node = interval.device().split("/", -1)[1];
        return List.of(
                "/api/v1/who?device=" + interval.device(),
                "/api/v1/history?kind=device&name=" + interval.device(),
                "/api/v1/history?kind=claim&name=team/" + interval.claim(),
                "/api/v1/history?kind=claim&name=" + interval.claim(),
                "/api/v1/history?kind=pod&name=pod-of-" + interval.claim(),
                "/api/v1/history?kind=node&name=" + node,
                "/api/v1/history?kind=class&name=gpu",
                "/api/v1/usage?by=namespace",
                "/api/v1/usage?by=label:app",
                "/api/v1/usage?by=node",
                "/api/v1/blast-radius?target=" + interval.device());
    }

    @Test
    void answersNameNoObjectOfAnotherNamespace() throws Exception {
        for (String question : questions()) {
            HttpResponse<String> other = askAs("other", "GET", question);
            assertThat(other.statusCode()).as(question).isEqualTo(200);
            String rows = other.body().substring(0, other.body().indexOf("\"notes\""));
            assertThat(rows).as(question).doesNotContain("team", "claim-", "pod-of", "NoFreeDevice");
            assertThat(askAs("owner", "GET", question).statusCode())
                    .as(question)
                    .isEqualTo(200);
        }
        assertThat(askAs("owner", "GET", questions().get(1)).body()).contains("team/claim-");
        assertThat(askAs("other", "GET", questions().get(1)).body()).contains("another namespace");
    }

    @Test
    void hidesDevicesWithoutOwnClaimFromUsersWithoutPermission() throws Exception {
        for (String question : questions()) {
            HttpResponse<String> guest = askAs("guest", "GET", question);
            assertThat(guest.body()).as(question).containsAnyOf("\"rows\":[]", " is in the history");
        }
        String node = device().split("/", -1)[1];
        HttpResponse<String> unknown = askAs("guest", "GET", "/api/v1/who?device=" + node);
        assertThat(unknown.statusCode()).isEqualTo(400);
        assertThat(unknown.body()).doesNotContain("for example");
        assertThat(askAs("owner", "GET", questions().getFirst()).statusCode()).isEqualTo(200);
        assertThat(askAs("owner", "GET", questions().get(1)).body()).contains("team/claim-");
    }

    @Test
    void forbidsAnotherNamespaceAndSql() throws Exception {
        assertThat(askAs("other", "GET", "/api/v1/history?kind=namespace&name=team")
                        .statusCode())
                .isEqualTo(403);
        assertThat(askAs("owner", "GET", "/api/v1/history?kind=namespace&name=team")
                        .body())
                .contains("team/claim-");
        for (var route : HistoryRoutes.ROUTES.rules().entrySet()) {
            if (route.getValue() == RouteRule.AUDIT) {
                String[] parts = route.getKey().split(" ", 2);
                String path = parts[1] + "?format=csv";
                HttpResponse<String> denied = askAs("owner", parts[0], path);
                assertThat(denied.statusCode()).as(route.getKey()).isEqualTo(403);
                assertThat(denied.body()).contains("user owner may not get audits.claimstream.dev");
                assertThat(askAs("auditor", parts[0], path).statusCode())
                        .as(route.getKey())
                        .isEqualTo(200);
            }
        }
    }

    @Test
    void rejectsEveryRouteWithoutTokenRuleOrApiServer() throws Exception {
        for (String route : HistoryRoutes.ROUTES.rules().keySet()) {
            String[] parts = route.split(" ", 2);
            HttpResponse<String> without = ask(parts[0], parts[1]);
            assertThat(without.statusCode()).as(route).isEqualTo(401);
            assertThat(without.headers().firstValue("WWW-Authenticate")).contains("Bearer");
            assertThat(askAs("unknown", parts[0], parts[1]).statusCode())
                    .as(route)
                    .isEqualTo(401);
        }
        assertThat(askAs("auditor", "GET", "/api/v1/sql").statusCode()).isEqualTo(404);
        assertThat(askAs("auditor", "GET", "/api/v1/new").statusCode()).isEqualTo(404);
        permissions.isDown = true;
        HttpResponse<String> down = askAs("auditor-2", "GET", "/api/v1/who?device=" + device());
        assertThat(down.statusCode()).isEqualTo(503);
        assertThat(down.body()).contains("no response from https://api");
    }
}
