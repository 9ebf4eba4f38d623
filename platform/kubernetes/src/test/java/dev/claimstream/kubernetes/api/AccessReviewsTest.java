package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.api.AccessReviews.Permission;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Permissions that the doctor reviews are exactly the rights of {@code deploy/policies}. */
final class AccessReviewsTest {
    private static final Path POLICIES = Path.of("..", "..", "deploy", "policies");

    private final List<JsonNode> objects = new ArrayList<>();

    @BeforeEach
    void readPolicies() throws IOException {
        var yaml = new KubernetesSerialization(ApiHttpClient.JSON, false);
        for (String file : List.of("rights-of-the-writer.yaml", "rights-of-the-watcher.yaml")) {
            for (String text : Files.readString(POLICIES.resolve(file)).split("(?m)^---$", -1)) {
                objects.add(yaml.unmarshal(text, JsonNode.class));
            }
        }
    }

    @Test
    void writerRightsMatchReviewedPermissions() {
        Set<Permission> asked = new HashSet<>(AccessReviews.WRITER);
        asked.add(AccessReviews.BINDING);
        assertThat(allowedPermissions("writer")).containsExactlyInAnyOrderElementsOf(asked);
    }

    @Test
    void watcherRightsMatchReviewedPermissions() {
        assertThat(allowedPermissions("watcher")).containsExactlyInAnyOrderElementsOf(AccessReviews.WATCHER);
    }

    private Set<Permission> allowedPermissions(String account) {
        Set<Permission> rights = new HashSet<>();
        for (JsonNode binding : objects) {
            if (texts(binding.path("subjects"), "name").contains(account)) {
                role(binding.path("roleRef")).path("rules").forEach(rule -> rights.addAll(permissions(binding, rule)));
            }
        }
        return rights;
    }

    private JsonNode role(JsonNode reference) {
        return objects.stream()
                .filter(each -> each.path("kind").equals(reference.path("kind")))
                .filter(each -> each.path("metadata").path("name").equals(reference.path("name")))
                .findFirst()
                .orElseThrow();
    }

    private static List<Permission> permissions(JsonNode binding, JsonNode rule) {
        String namespace = binding.path("metadata").path("namespace").asText("");
        List<String> names = rule.has("resourceNames") ? texts(rule.path("resourceNames")) : List.of("");
        return texts(rule.path("verbs")).stream()
                .flatMap(verb -> texts(rule.path("apiGroups")).stream()
                        .flatMap(group -> texts(rule.path("resources")).stream()
                                .flatMap(resource -> names.stream()
                                        .map(name -> new Permission(verb, group, resource, namespace, name)))))
                .toList();
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asText).toList();
    }

    private static List<String> texts(JsonNode list, String field) {
        return list.valueStream().map(each -> each.path(field).asText()).toList();
    }
}
