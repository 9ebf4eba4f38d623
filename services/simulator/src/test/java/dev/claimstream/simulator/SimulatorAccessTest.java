package dev.claimstream.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.allocation.cell.Cell;
import dev.claimstream.allocation.cell.CellSettings;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.AccessPermission;
import dev.claimstream.kubernetes.access.AccessReviewer;
import dev.claimstream.kubernetes.access.ReviewCache;
import dev.claimstream.kubernetes.access.RouteRule;
import dev.claimstream.kubernetes.access.UserIdentity;
import dev.claimstream.selectors.CelSelectors;
import dev.claimstream.simulation.ManifestCell;
import dev.claimstream.simulation.SimulatedCell;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests what users may simulate in a cluster: a user of {@code ml} beside claims of {@code zeta}. */
class SimulatorAccessTest {
    private static final Instant AT = Instant.parse("2026-03-01T12:00:00Z");

    private final SimulatorServer server = SimulatorServer.start(
            "127.0.0.1",
            0,
            List.of(),
            AccessGate.of(new ReviewCache(new TenantReviewer(), Duration.ofSeconds(1), 1000)),
            new TwoTenantCell());
    private final HttpClient http = HttpClient.newHttpClient();

    /** The token {@code ml} is a user of that namespace, {@code ml-devices} one who may also list slices. */
    private static final class TenantReviewer implements AccessReviewer {
        @Override
        public Optional<UserIdentity> authenticate(String token) {
            return token.startsWith("ml")
                    ? Optional.of(new UserIdentity(token, token, List.of(), Map.of()))
                    : Optional.empty();
        }

        @Override
        public boolean isAllowed(UserIdentity user, AccessPermission permission, String namespace) {
            return permission == AccessPermission.DEVICES
                    ? user.name().equals("ml-devices")
                    : permission == AccessPermission.NAMESPACE
                            && Set.of("ml", "ml-new").contains(namespace);
        }
    }

    /** A cell in which {@code zeta} has all devices, and a claim of each namespace is pending. */
    private static final class TwoTenantCell implements CellAccess {
        private final Cell cell = ManifestCell.of(
                SmallFleet.objects(SmallFleet.FLEET
                        + SmallFleet.claim("zeta", "zeta-held", 2)
                        + "---\n"
                        + SmallFleet.claim("ml", "waiting", 2)
                        + "---\n"
                        + SmallFleet.claim("zeta", "zeta-waiting", 1)),
                CellSettings.defaults(),
                new CelSelectors(),
                AT);

        @Override
        public <T> Optional<T> read(Function<List<SimulatedCell>, T> use) {
            return Optional.of(use.apply(List.of(new SimulatedCell(cell, AT, 42))));
        }

        @Override
        public Optional<String> problem() {
            return Optional.empty();
        }
    }

    @AfterEach
    void stop() {
        http.close();
        server.close();
    }

    private HttpResponse<String> send(String method, String path, String body, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        URI.create("http://127.0.0.1:%d%s".formatted(server.port(), path)))
                .method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpResponse<String> sendAsUser(String method, String path, String body, String type) throws Exception {
        return send(method, path, body, "Authorization", "Bearer ml", "Accept", type);
    }

    @Test
    void answersNameNoObjectOfAnotherNamespace() throws Exception {
        for (String type : List.of("application/json", "text/plain")) {
            for (String query : List.of("", "?shapes=true", "?addNodes=node-1=2", "?drain=node-1")) {
                HttpResponse<String> result =
                        sendAsUser("POST", "/api/v1/simulate" + query, SmallFleet.claim("ml", "new", 1), type);
                assertThat(result.statusCode()).as(query).isEqualTo(200);
                assertThat(result.body()).as(query).contains("ml/new").doesNotContain("zeta");
            }
        }
    }

    private HttpResponse<String> devices(String claim, String token, String type) throws Exception {
        HttpResponse<String> devices = send(
                "GET",
                "/api/v1/namespaces/ml/claims/%s/devices".formatted(claim),
                "",
                "Authorization",
                "Bearer " + token,
                "Accept",
                type);
        assertThat(devices.statusCode()).isEqualTo(200);
        assertThat(devices.body()).doesNotContain("zeta");
        return devices;
    }

    @Test
    void devicesAreListedForUsersWhoMayListSlices() throws Exception {
        for (String type : List.of("application/json", "text/plain")) {
            assertThat(devices("waiting", "ml-devices", type).body())
                    .contains("another namespace", "gpu-0", "gpu-1")
                    .doesNotContain("ot shown", "NotShown");
            assertThat(devices("waiting", "ml", type).body())
                    .contains(
                            type.equals("text/plain")
                                    ? "2 devices not shown: you may not list"
                                    : "\"devicesNotShown\": 2")
                    .doesNotContain("gpu-1"); // the reason of the claim names gpu-0
        }
    }

    @Test
    void logsUserOfEachRequest() throws Exception {
        var lines = new RequestLines(2);
        int simulated = sendAsUser("POST", "/api/v1/simulate", SmallFleet.claim("ml", "new", 1), "text/plain")
                .body()
                .length();
        int forbidden = sendAsUser("POST", "/api/v1/simulate", SmallFleet.claim("zeta", "new", 1), "text/plain")
                .body()
                .length();
        String question = "caller=127.0.0.1 user=ml question=/api/v1/simulate kind=simulate status=";
        assertThat(lines.texts())
                .containsExactlyInAnyOrder(
                        "what-if question was answered " + question + "200 bytes=" + simulated,
                        "what-if question failed " + question + "403 bytes=" + forbidden);
    }

    @Test
    void answersForNamespaceWithoutObjects() throws Exception {
        HttpResponse<String> result =
                sendAsUser("POST", "/api/v1/simulate", SmallFleet.claim("ml-new", "big", 9), "application/json");
        assertThat(result.body()).contains("\"fits\": false", "ml-new/big");
        assertThat(result.headers().firstValue("Claimstream-Fits")).contains("false");
    }

    @Test
    void forbidsObjectsOfAnotherNamespace() throws Exception {
        HttpResponse<String> simulated =
                sendAsUser("POST", "/api/v1/simulate", SmallFleet.claim("zeta", "new", 1), "application/json");
        assertThat(simulated.statusCode()).isEqualTo(403);
        assertThat(simulated.body())
                .contains("may not list resourceclaims.resource.k8s.io")
                .doesNotContain("zeta");
        for (var route : SimulatorRoutes.ROUTES.rules().entrySet()) {
            if (route.getValue() == RouteRule.NAMESPACE) {
                String path = route.getKey()
                        .substring("GET ".length())
                        .replace("{namespace}", "zeta")
                        .replace("{name}", "zeta-held");
                assertThat(sendAsUser("GET", path, "", "text/plain").statusCode())
                        .as(path)
                        .isEqualTo(403);
            }
        }
    }

    @Test
    void rejectsRequestsWithoutTokenOrRule() throws Exception {
        for (var route : SimulatorRoutes.ROUTES.rules().entrySet()) {
            String[] parts = route.getKey().split(" ", 2);
            String path = parts[1].replace("{namespace}", "ml").replace("{name}", "waiting");
            assertThat(send(parts[0], path, "").statusCode())
                    .as(path)
                    .isEqualTo(route.getValue() == RouteRule.OPEN ? 200 : 401);
        }
        assertThat(sendAsUser("GET", "/api/v1/new", "", "text/plain").statusCode())
                .isEqualTo(404);
    }
}
