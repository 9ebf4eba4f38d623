package dev.claimstream.kubernetes.controlplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.kubernetes.controlplane.ControlPlaneOptions.Gates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/**
 * The service accounts of the rendered chart need each of their permissions, and no other, on an API server: with all of
 * them every operation works; without one the operation that needs it fails, and its error names the permission.
 */
@Tag("part-3")
class AccountPermissionsIT {
    private static final Set<String> APPLIED =
            Set.of("ConfigMap", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding");
    private static final List<String> POLICIES = List.of(
            "claimstream",
            "gate",
            "finalizer",
            "single-writer",
            "writer-pods",
            "no-mixed-claims",
            "no-extended-resources");
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    @TempDir
    private Path folder = Path.of("");

    @Test
    void eachPermissionIsNeededAndAllSuffice() throws IOException {
        try (var plane = TestControlPlane.start(ControlPlaneOptions.DEFAULT
                .with(Gates.ALL)
                .without(ControlPlaneComponent.SCHEDULER)
                .without(ControlPlaneComponent.CONTROLLERS))) {
            var admin = new RawApiClient(plane, ControlPlaneUser.ADMIN);
            apply(plane, admin);
            var proofs = new AccountProofs(plane, admin);
            List<Executable> checks = new ArrayList<>();
            for (AccountPermission each : AccountPermission.all()) {
                checks.add(() -> assertIsNeeded(admin, proofs, each));
            }
            assertAll(checks);
        }
    }

    /** Applies the roles of the chart. The Jobs' roles, which are hooks, are bound to a user of the control plane too. */
    private void apply(ControlPlane plane, RawApiClient admin) throws IOException {
        List<String> apply = new ArrayList<>(List.of("apply"));
        POLICIES.forEach(each -> apply.addAll(List.of(
                "-f", Path.of("..", "..", "deploy", "policies", each + ".yaml").toString())));
        plane.kubectl(ControlPlaneUser.ADMIN, "", apply.toArray(String[]::new));
        List<String> texts = new ArrayList<>();
        for (JsonNode each : AccountPermission.objects()) {
            if (APPLIED.contains(each.path("kind").asText()) && isOfAccount(each)) {
                texts.add(withUser(each).toString());
            }
        }
        Path file = folder.resolve("roles.json");
        Files.writeString(
                file,
                texts.stream()
                        .collect(
                                Collectors.joining(",", "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[", "]}")));
        plane.kubectl(ControlPlaneUser.ADMIN, "", "apply", "-f", file.toString());
        admin.createOrThrow(ClaimManifests.CLASSES, ClaimManifests.deviceClass(ClaimManifests.DRIVER));
        admin.createOrThrow(ClaimManifests.CLASSES, ClaimManifests.deviceClass("mig.example.com"));
        for (String workload : List.of("statefulset", "deployment")) {
            admin.createOrThrow(
                    "/apis/apps/v1/namespaces/claimstream/%ss".formatted(workload),
                    workload(workload.equals("statefulset") ? "StatefulSet" : "Deployment"));
        }
    }

    private static boolean isOfAccount(JsonNode object) {
        return object.path("apiVersion").asText().startsWith("rbac.");
    }

    private static JsonNode withUser(JsonNode object) {
        String name = object.at("/metadata/name").asText();
        if (object.has("subjects") && (name.endsWith("-removal") || name.endsWith("-doctor"))) {
            ObjectNode bound = object.deepCopy();
            bound.withArray("subjects")
                    .addObject()
                    .put("apiGroup", "rbac.authorization.k8s.io")
                    .put("kind", "User")
                    .put("name", "user");
            return bound;
        }
        if (object.has("subjects") && name.endsWith("-access")) { // the doctor's user may review access already
            ObjectNode bound = object.deepCopy();
            bound.withArray("subjects")
                    .addObject()
                    .put("kind", "ServiceAccount")
                    .put("name", "watcher")
                    .put("namespace", "claimstream");
            return bound;
        }
        return object;
    }

    private static String workload(String kind) {
        return """
                apiVersion: apps/v1
                kind: %s
                metadata: {name: claimstream-%s}
                spec:
                  selector: {matchLabels: {app: none}}
                  template:
                    metadata: {labels: {app: none}}
                    spec: {containers: [{name: none, image: none}]}
                """.formatted(kind, kind.equals("StatefulSet") ? "allocator" : "writer");
    }

    private static void assertIsNeeded(RawApiClient admin, AccountProofs proofs, AccountPermission permission) {
        assertThat(awaitError(proofs, permission, false))
                .as("with %s", permission)
                .isEmpty();
        admin.mergePatch(permission.rolePath(), permission.rulesPatch(false));
        try {
            assertThat(awaitError(proofs, permission, true))
                    .as("without %s", permission)
                    .contains("cannot %s resource \"%s\""
                            .formatted(permission.verb(), permission.resource().replaceFirst("\\..*", "")));
        } finally {
            admin.mergePatch(permission.rolePath(), permission.rulesPatch(true));
        }
        assertThat(awaitError(proofs, permission, false))
                .as("again with %s", permission)
                .isEmpty();
    }

    /** Roles take effect with a delay. */
    private static String awaitError(AccountProofs proofs, AccountPermission permission, boolean isExpected) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        String error = proofs.error(permission);
        while (error.isEmpty() == isExpected && System.nanoTime() < end) {
            error = proofs.error(permission);
        }
        return error;
    }
}
