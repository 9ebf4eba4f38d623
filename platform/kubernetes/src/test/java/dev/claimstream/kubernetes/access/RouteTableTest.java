package dev.claimstream.kubernetes.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RouteTableTest {
    private final RouteTable table = new RouteTable(Map.of(
            "GET /api/v1/claims", RouteRule.VISIBLE,
            "GET /api/v1/namespaces/{namespace}/claims/{name}", RouteRule.NAMESPACE));

    @Test
    void findsRuleAndVariables() {
        assertThat(table.find("HEAD", "/api/v1/claims").orElseThrow().rule()).isEqualTo(RouteRule.VISIBLE);
        assertThat(table.find("GET", "/api/v1/namespaces/a/claims/b")
                        .orElseThrow()
                        .variables())
                .isEqualTo(Map.of("namespace", "a", "name", "b"));
        for (String path :
                List.of("/api/v1/claims/", "/api/v1", "/api/v1/namespaces/a/claims/b/c", "//api/v1/claims")) {
            assertThat(table.find("GET", path)).as(path).isEmpty();
        }
        assertThat(table.find("POST", "/api/v1/claims")).isEmpty();
    }

    @Test
    void reportsRoutesWithoutRuleAndRulesWithoutRoute() {
        assertThat(table.problems(Set.of("GET /api/v1/claims", "GET /api/v1/new")))
                .hasSize(2)
                .anyMatch(each -> each.startsWith("GET /api/v1/new has no access rule: add it"))
                .anyMatch(each -> each.endsWith("is no route: remove its rule"));
    }

    @Test
    void deniesRouteWithoutRule() {
        var caller = new Caller.TokenCaller(
                new UserIdentity("ann", "", List.of(), Map.of()),
                "token",
                new ReviewCache(new NoReviewer(), Duration.ofSeconds(1), 10));
        assertThatThrownBy(() -> AccessGate.check(caller, Optional.empty(), Optional.empty()))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessage("this path has no access rule");
        assertThatThrownBy(() -> AccessGate.check(caller, Optional.of(RouteRule.NAMESPACE), Optional.empty()))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessageContaining("in the cluster");
        assertThat(caller.toString()).doesNotContain("token");
    }

    /** Allows nothing. */
    private static final class NoReviewer implements AccessReviewer {
        @Override
        public Optional<UserIdentity> authenticate(String token) {
            return Optional.empty();
        }

        @Override
        public boolean isAllowed(UserIdentity user, AccessPermission permission, String namespace) {
            return false;
        }
    }

    @Test
    void hidesNamesOfHiddenNamespacesOnly() {
        var redaction = new NameRedaction(Set.of("b", "node-1"));
        assertThat(redaction.of("gpu.example.com/node-1/gpu-0 is allocated to b/x-1 (used by pod b/y and 2 more), a/z"))
                .isEqualTo(
                        "gpu.example.com/node-1/gpu-0 is allocated to another namespace (used by pod another namespace and 2 more), a/z");
        assertThat(redaction.of("[\"b/x\",\"pod b/y.z\"] b/x. ab/x"))
                .isEqualTo("[\"another namespace\",\"pod another namespace\"] another namespace. ab/x");
        assertThat(redaction.of("{\"message\":\"of\\nb/x\\tnode-1/y\\nab/x\"}"))
                .isEqualTo("{\"message\":\"of\\nanother namespace\\tanother namespace\\nab/x\"}");
        assertThat(NameRedaction.NONE.of("b/x")).isEqualTo("b/x");
    }
}
