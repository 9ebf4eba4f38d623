package dev.claimstream.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.claimstream.kubernetes.controlplane.ControlPlane;
import dev.claimstream.kubernetes.controlplane.ControlPlaneComponent;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions;
import dev.claimstream.kubernetes.controlplane.ControlPlaneProgram;
import dev.claimstream.kubernetes.controlplane.ControlPlaneUser;
import dev.claimstream.kubernetes.controlplane.RawApiClient;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Two consoles let a real API server decide what users see. All steps share one control plane, because its start is most of the time.
 */
class AccessIT {
    private static final String RBAC = "/apis/rbac.authorization.k8s.io/v1";
    private static final String ACCOUNTS = "/api/v1/namespaces/%s/serviceaccounts";
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final TwoTenants tenants = TwoTenants.create();

    private static ControlPlane startPlane() {
        var program = ControlPlaneProgram.find();
        assertThat(program.isPresent() || System.getenv("CI") == null)
                .as(ControlPlaneProgram.REMEDY)
                .isTrue();
        assumeTrue(program.isPresent(), ControlPlaneProgram.REMEDY);
        return ControlPlane.start(
                program.orElseThrow(),
                ControlPlaneOptions.DEFAULT
                        .without(ControlPlaneComponent.SCHEDULER)
                        .without(ControlPlaneComponent.CONTROLLERS));
    }

    private RunningConsole startConsole(ControlPlane plane) {
        return RunningConsole.startInCluster(
                tenants.cluster.view,
                Map.of(
                        "claimstream.access.keep-for",
                        "1s",
                        "claimstream.kubernetes.kubeconfig",
                        plane.kubeconfig(ControlPlaneUser.ADMIN).toString()));
    }

    private static void createUser(RawApiClient admin, String name) {
        admin.createOrThrow(
                ACCOUNTS.formatted("users"),
                "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: %s}\n".formatted(name));
    }

    private static String token(RawApiClient admin, String name) {
        return admin.createOrThrow(ACCOUNTS.formatted("users") + "/" + name + "/token", """
                        apiVersion: authentication.k8s.io/v1
                        kind: TokenRequest
                        spec: {expirationSeconds: 600}
                        """)
                .at("status", "token")
                .orElseThrow();
    }

    private static void prepare(RawApiClient admin) {
        for (String namespace : new String[] {"users", TwoTenants.OWN, TwoTenants.OTHER}) {
            admin.createOrThrow(
                    "/api/v1/namespaces",
                    "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n".formatted(namespace));
        }
        createUser(admin, "tenant");
        createUser(admin, "operator");
        admin.createOrThrow(RBAC + "/clusterroles", """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRole
                metadata: {name: claims}
                rules:
                - {apiGroups: [resource.k8s.io], resources: [resourceclaims, resourceslices], verbs: [list]}
                - {apiGroups: [""], resources: [nodes], verbs: [list]}
                """);
        admin.createOrThrow(RBAC + "/namespaces/team-a/rolebindings", """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: RoleBinding
                metadata: {name: tenant}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: claims}
                subjects: [{kind: ServiceAccount, name: tenant, namespace: users}]
                """);
        admin.createOrThrow(RBAC + "/clusterrolebindings", """
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRoleBinding
                metadata: {name: operator}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: claims}
                subjects: [{kind: ServiceAccount, name: operator, namespace: users}]
                """);
    }

    private static HttpResponse<String> get(RunningConsole console, String path, String token) throws Exception {
        return console.get(path, "Authorization", "Bearer " + token);
    }

    private static void awaitStatus(RunningConsole console, String path, String token, int status) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        int last = get(console, path, token).statusCode();
        while (last != status && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(100);
            last = get(console, path, token).statusCode();
        }
        assertThat(last).as(path).isEqualTo(status);
    }

    @Test
    void kubernetesDecidesForTwoReplicas() throws Exception {
        ControlPlane plane = startPlane();
        try (var admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
                var console = startConsole(plane);
                var replica = startConsole(plane)) {
            prepare(admin);
            String tenant = token(admin, "tenant");
            String operator = token(admin, "operator");
            assertSeesOwnNamespaceOnly(console, tenant, operator);
            assertSeesOwnNamespaceOnly(replica, tenant, operator);
            assertPermissionEnds(admin, console, replica, operator);
            assertStreamEndsWithToken(admin, console, tenant);
            plane.close();
            awaitStatus(console, "/api/v1/claims", operator, 503);
            assertThat(get(console, "/api/v1/claims", operator).body()).contains("remedy");
        } finally {
            plane.close();
        }
    }

    private static void assertSeesOwnNamespaceOnly(RunningConsole console, String tenant, String operator)
            throws Exception {
        awaitStatus(console, "/api/v1/namespaces/team-a/claims/own", tenant, 200); // roles take effect with a delay
        awaitStatus(console, "/api/v1/namespaces/zeta-team/claims/zeta-held", operator, 200);
        assertThat(get(console, "/api/v1/namespaces/zeta-team/claims/zeta-held", tenant)
                        .statusCode())
                .isEqualTo(403);
        assertThat(get(console, "/api/v1/queue?namespace=zeta-team", tenant).statusCode())
                .isEqualTo(403);
        assertThat(TwoTenants.answers(console, tenant))
                .allSatisfy(each -> assertThat(each).doesNotContain(TwoTenants.SECRET));
        assertThat(get(console, "/api/v1/claims", tenant).body()).contains("\"own\"", "\"running\"");
        assertThat(get(console, "/api/v1/claims", operator).body()).contains("\"own\"", "\"zeta-held\"");
        assertThat(get(console, "/api/v1/access", tenant).body())
                .contains("system:serviceaccount:users:tenant", "\"allNamespaces\": false");
        assertThat(console.get("/api/v1/claims").statusCode()).isEqualTo(401);
        assertThat(get(console, "/api/v1/claims", tenant + "x").statusCode()).isEqualTo(401);
    }

    /** A kept review counts for a second only. */
    private static void assertPermissionEnds(
            RawApiClient admin, RunningConsole console, RunningConsole replica, String operator) throws Exception {
        admin.delete(RBAC + "/clusterrolebindings/operator");
        awaitStatus(console, "/api/v1/namespaces/zeta-team/claims/zeta-held", operator, 403);
        awaitStatus(replica, "/api/v1/namespaces/zeta-team/claims/zeta-held", operator, 403);
        assertThat(get(console, "/api/v1/claims", operator).body()).isEqualTo("{\"items\":[]}\n");
    }

    private void assertStreamEndsWithToken(RawApiClient admin, RunningConsole console, String tenant) throws Exception {
        try (var live = new StreamedText(console.url().resolve("/api/v1/live"), tenant)) {
            assertThat(live.awaitText("event: status")).contains("team-a/own");
            tenants.setPending(TwoTenants.OTHER, "zeta-late");
            tenants.setPending(TwoTenants.OWN, "late");
            assertThat(live.awaitText("team-a/late")).contains("event: change").doesNotContain(TwoTenants.SECRET);
            admin.delete(ACCOUNTS.formatted("users") + "/tenant");
            assertThat(live.awaitEnd()).isTrue();
            assertThat(get(console, "/api/v1/claims", tenant).statusCode()).isEqualTo(401);
        }
    }
}
