package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.access.AccessGate;
import dev.claimstream.kubernetes.access.AccessPermission;
import dev.claimstream.kubernetes.access.AccessReviewer;
import dev.claimstream.kubernetes.access.ReviewCache;
import dev.claimstream.kubernetes.access.RouteRule;
import dev.claimstream.kubernetes.access.UserIdentity;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what users see, with an API server in memory. {@link AccessIT} asks a real one. */
class AccessTest {
    private static final String TOKEN = "token-of-a";
    private static final String ADMIN = "token-of-admin";

    private final PermissionList permissions = new PermissionList();
    private final TwoTenants tenants = TwoTenants.create();

    /** Tokens and permissions in memory: {@code USER VERB RESOURCE NAMESPACE}. */
    private static final class PermissionList implements AccessReviewer {
        private final Map<String, String> users = new ConcurrentHashMap<>(Map.of(TOKEN, "a", ADMIN, "admin"));
        private final Set<String> allowed = ConcurrentHashMap.newKeySet();
        private volatile boolean isDown;

        PermissionList() {
            allowed.add("a list resourceclaims.resource.k8s.io team-a");
        }

        @Override
        public Optional<UserIdentity> authenticate(String token) {
            if (isDown) {
                throw new ClusterFault("no response from https://api");
            }
            return Optional.ofNullable(users.get(token)).map(name -> new UserIdentity(name, name, List.of(), Map.of()));
        }

        @Override
        public boolean isAllowed(UserIdentity user, AccessPermission permission, String namespace) {
            if (isDown) {
                throw new ClusterFault("no response from https://api");
            }
            return user.name().equals("admin")
                    || allowed.contains("%s %s %s".formatted(user.name(), permission.text(), namespace));
        }
    }

    private RunningConsole start(ClusterView view) {
        return RunningConsole.startInCluster(
                view,
                Map.of("claimstream.access.keep-for", "1s", "claimstream.console.streams-per-client-max", 2),
                AccessGate.of(new ReviewCache(permissions, Duration.ofSeconds(1), 1000)));
    }

    private static HttpResponse<String> get(RunningConsole console, String path, String token) throws Exception {
        return console.get(path, "Authorization", "Bearer " + token);
    }

    private static String method(String route) {
        return route.substring(0, route.indexOf(' '));
    }

    @Test
    void everyRouteHasRule() {
        try (var console = start(tenants.cluster.view)) {
            assertThat(ConsoleRoutes.ROUTES.problems(console.routes())).isEmpty();
        }
    }

    @Test
    void rejectsRequestsWithoutValidToken() throws Exception {
        try (var console = start(tenants.cluster.view)) {
            for (var route : ConsoleRoutes.ROUTES.rules().entrySet()) {
                if (route.getValue() == RouteRule.OPEN) {
                    continue;
                }
                String method = method(route.getKey());
                String path = TwoTenants.path(route.getKey(), TwoTenants.OWN, "own");
                HttpResponse<String> without = console.send(method, path, "", "Accept", "*/*");
                assertThat(without.statusCode()).as(path).isEqualTo(401);
                assertThat(without.headers().firstValue("WWW-Authenticate")).contains("Bearer");
                for (String token : List.of("Bearer unknown", "Basic dTpw")) {
                    assertThat(console.send(method, path, "", "Authorization", token)
                                    .statusCode())
                            .as(path)
                            .isEqualTo(401);
                }
            }
            assertThat(get(console, "/api/v1/claims", "unknown").body()).contains("\"remedy\":\"send the header");
            assertThat(console.get("/no/such/path").statusCode()).isEqualTo(401);
            assertThat(get(console, "/no/such/path", TOKEN).statusCode()).isEqualTo(404);
            assertThat(console.get("/").statusCode()).isEqualTo(200);
            assertThat(console.get("/health").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void forbidsOtherNamespacesInPathAndQuery() throws Exception {
        try (var console = start(tenants.cluster.view)) {
            for (var route : ConsoleRoutes.ROUTES.rules().entrySet()) {
                String path = TwoTenants.path(route.getKey(), TwoTenants.OTHER, TwoTenants.SECRET + "-held");
                switch (route.getValue()) {
                    case NAMESPACE -> assertForbidden(get(console, path, TOKEN));
                    case VISIBLE ->
                        assertForbidden(console.send(
                                method(route.getKey()),
                                path + "?namespace=" + TwoTenants.OTHER,
                                "",
                                "Authorization",
                                "Bearer " + TOKEN));
                    case LOOPBACK, AUDIT, USER, OPEN -> {}
                }
            }
            assertThat(get(console, "/api/v1/namespaces/team-a/claims/own", TOKEN)
                            .statusCode())
                    .isEqualTo(200);
            assertThat(get(console, "/api/v1/claims?namespace=zeta-team", ADMIN).body())
                    .contains("zeta-held");
        }
    }

    private static void assertForbidden(HttpResponse<String> response) {
        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body())
                .contains("may not list resourceclaims.resource.k8s.io")
                .doesNotContain("zeta");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void noByteNamesAnotherNamespace(long seed) throws Exception {
        TwoTenants random = TwoTenants.random(seed);
        try (var console = start(random.cluster.view)) {
            assertThat(TwoTenants.answers(console, TOKEN))
                    .allSatisfy(each -> assertThat(each).doesNotContain(TwoTenants.SECRET));
            assertThat(TwoTenants.answers(console, ADMIN))
                    .anySatisfy(each -> assertThat(each).contains(TwoTenants.SECRET));
        }
    }

    @Test
    void keepsOwnAnswersUseful() throws Exception {
        permissions.allowed.add("a list resourceslices.resource.k8s.io ");
        try (var console = start(tenants.cluster.view)) {
            assertThat(get(console, "/api/v1/devices", TOKEN).body())
                    .contains("\"claims\":[\"another namespace\"],\"device\":\"gpu-0\"", "team-a/running");
            assertThat(get(console, "/api/v1/queue", TOKEN).body())
                    .contains("\"position\":1", "\"name\":\"own\"", "allocated to another namespace");
            assertThat(get(console, "/api/v1/nodes", TOKEN).body()).contains("\"name\":\"node-1\"");
            assertThat(console.get(
                                    "/api/v1/namespaces/team-a/pods/own/explanation",
                                    "Authorization",
                                    "Bearer " + TOKEN,
                                    "Accept",
                                    "text/plain")
                            .body())
                    .contains("allocated to another namespace");
            assertThat(get(console, "/api/v1/access", TOKEN).body())
                    .contains("\"user\": \"a\"", "\"team-a\"", "\"metrics\": false")
                    .doesNotContain("listsClaims");
            assertThat(get(console, "/api/v1/access?namespace=team-a", TOKEN).body())
                    .contains("\"listsClaims\": true");
            assertThat(get(console, "/api/v1/access?namespace=zeta-team", TOKEN).body())
                    .contains("\"listsClaims\": false")
                    .doesNotContain("zeta");
        }
    }

    @Test
    void showsOnlyDevicesOfOwnClaimsWithoutPermission() throws Exception {
        try (var console = start(tenants.cluster.view)) {
            assertThat(get(console, "/api/v1/devices", TOKEN).body())
                    .contains("gpu-1")
                    .doesNotContain("gpu-0");
            assertThat(get(console, "/api/v1/devices", ADMIN).body()).contains("gpu-0");
        }
    }

    @Test
    void nearestChangesNeedPermissionForDevicesAndNodes() throws Exception {
        tenants.cluster.upsert("""
                apiVersion: resource.k8s.io/v1
                kind: DeviceClass
                metadata: {name: gpu.example.com, uid: gpu.example.com}
                spec: {selectors: [{cel: {expression: "device.driver == 'gpu.example.com'"}}]}
                """);
        String path = "/api/v1/namespaces/team-a/claims/own/nearest-changes";
        try (var console = start(tenants.cluster.view)) {
            assertThat(get(console, path, TOKEN).body()).contains("\"changes\": []");
            assertThat(get(console, path, ADMIN).body()).contains("on node-1: 0 of 1 are free; 2 are in use there");
        }
    }

    @Test
    void eventsNameNoHolderOfAnotherNamespace() throws Exception {
        permissions.allowed.add("a list resourceslices.resource.k8s.io ");
        tenants.cluster.upsert(SmallCluster.SLICE + "  - name: gpu-2\n");
        try (var console = start(tenants.cluster.view)) {
            console.events().compare(SmallCluster.AT);
            tenants.allocate(TwoTenants.OTHER, TwoTenants.SECRET + "-more", "gpu-1");
            tenants.allocate(TwoTenants.OWN, "own", "gpu-0");
            console.events().compare(SmallCluster.AT);
            assertThat(get(console, "/api/v1/events", TOKEN).body())
                    .contains("\"claim\":\"another namespace\"", "\"claim\":\"team-a/own\"")
                    .doesNotContain(TwoTenants.SECRET);
            assertThat(get(console, "/api/v1/events", ADMIN).body()).contains("zeta-team/zeta-more");
            tenants.cluster.delete(Kind.RESOURCE_SLICE, ObjectKey.cluster("slice-1"));
            console.events().compare(SmallCluster.AT);
            assertThat(get(console, "/api/v1/events?device=gpu-2", TOKEN).body())
                    .contains("no ResourceSlice contains the device");
        }
    }

    @Test
    void metricsDoNotDependOnReader() throws Exception {
        permissions.allowed.add("auditor get audits.claimstream.dev ");
        permissions.users.put("token-of-auditor", "auditor");
        try (var console = start(tenants.cluster.view)) {
            String claims = "claimstream_namespace_claims{claim_namespace=\"zeta-team\"";
            assertThat(get(console, "/metrics", "token-of-auditor").body()).contains(claims);
            assertThat(get(console, "/metrics", ADMIN).body()).contains(claims);
            assertThat(get(console, "/metrics", TOKEN).statusCode()).isEqualTo(403);
        }
    }

    @Test
    void rejectsChangesInCluster() throws Exception {
        try (var console = start(tenants.cluster.view)) {
            for (var route : ConsoleRoutes.ROUTES.rules().entrySet()) {
                if (route.getValue() == RouteRule.LOOPBACK) {
                    HttpResponse<String> response = console.send(
                            method(route.getKey()),
                            TwoTenants.path(route.getKey(), TwoTenants.OWN, "own"),
                            "{}",
                            "Authorization",
                            "Bearer " + ADMIN);
                    assertThat(response.statusCode()).as(route.getKey()).isEqualTo(403);
                    assertThat(response.body()).contains("use kubectl");
                }
            }
        }
    }

    @Test
    void answers503WithoutApiServer() throws Exception {
        permissions.isDown = true;
        try (var console = start(tenants.cluster.view)) {
            HttpResponse<String> response = get(console, "/api/v1/claims", TOKEN);
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.body())
                    .contains("no response from https://api", "try again when the API server answers");
        }
    }

    @Test
    void streamsAreLimitedAndEndWithToken() throws Exception {
        try (var console = start(tenants.cluster.view);
                var live = new StreamedText(console.url().resolve("/api/v1/live"), TOKEN);
                var watch = new StreamedText(console.url().resolve("/api/v1/watch/claims?fromStart=true"), TOKEN);
                var second = new StreamedText(console.url().resolve("/api/v1/watch/claims"), TOKEN);
                var third = new StreamedText(console.url().resolve("/api/v1/watch/claims"), TOKEN)) {
            assertThat(live.awaitText("event: status")).contains("team-a/own");
            assertThat(watch.awaitText("\"name\":\"own\"")).contains("\"running\"");
            assertThat(second.status()).isEqualTo(200);
            assertThat(third.status()).isEqualTo(429);
            tenants.setPending(TwoTenants.OTHER, "zeta-late");
            tenants.setPending(TwoTenants.OWN, "late");
            assertThat(live.awaitText("team-a/late")).contains("event: change").doesNotContain("zeta");
            assertThat(watch.awaitText("\"name\":\"late\"")).doesNotContain("zeta");
            permissions.users.remove(TOKEN);
            assertThat(live.awaitEnd()).isTrue();
            assertThat(watch.awaitEnd()).isTrue();
        }
    }
}
