package dev.claimstream.kubernetes.controlplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One permission of a service account: a verb on a resource, by a rule of a role of the rendered chart.
 *
 * @param account component whose service account has it, for example {@code watcher}
 * @param resource with its API group, for example {@code leases.coordination.k8s.io}
 * @param name of the object that the rule names; empty: all objects
 * @param role {@code ClusterRole} or {@code Role}, as rendered
 */
record AccountPermission(String account, String verb, String resource, String name, JsonNode role) {
    /** Roles of services and Jobs. The other roles of the chart are for people. */
    private static final Set<String> ACCOUNTS = Set.of("watcher", "writer", "removal", "doctor", "access");

    private static final Path SNAPSHOTS = Path.of("..", "..", "deploy", "helm", "claimstream", "ci", "snapshots");
    static final ObjectMapper JSON = new ObjectMapper();
    private static final String RULES = "/rules";

    /** Returns the objects of the rendered chart, and those of the account that only access.mode=kubernetes has. */
    static List<JsonNode> objects() {
        List<JsonNode> all = new ArrayList<>(objects("minimal.yaml"));
        objects("all-on.yaml").stream()
                .filter(each -> each.at("/metadata/name").asText().equals("claimstream-access"))
                .forEach(all::add);
        return all;
    }

    private static List<JsonNode> objects(String snapshot) {
        var yaml = new KubernetesSerialization(JSON, false);
        try {
            List<JsonNode> objects = new ArrayList<>();
            for (String text : Files.readString(SNAPSHOTS.resolve(snapshot)).split("(?m)^---$", -1)) {
                JsonNode read = yaml.unmarshal(text, JsonNode.class);
                if (read != null && read.has("kind")) {
                    objects.add(read);
                }
            }
            return objects;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns all permissions of the service accounts, ordered by account, resource and verb. The account that deletes
     * the policies is the last one.
     */
    static List<AccountPermission> all() {
        List<JsonNode> objects = objects();
        List<AccountPermission> all = new ArrayList<>();
        for (JsonNode binding : objects) {
            if (binding.path("kind").asText().endsWith("Binding")
                    && binding.path("apiVersion").asText().startsWith("rbac.")) {
                for (JsonNode subject : binding.path("subjects")) {
                    String account = accountOf(subject.path("name").asText());
                    if (ACCOUNTS.contains(account)) {
                        add(account, roleOf(objects, binding), all);
                    }
                }
            }
        }
        return all.stream()
                .sorted(Comparator.comparing(AccountPermission::isOfRemoval)
                        .thenComparing(AccountPermission::account)
                        .thenComparing(AccountPermission::resource)
                        .thenComparing(AccountPermission::name)
                        .thenComparing(AccountPermission::verb))
                .toList();
    }

    private boolean isOfRemoval() {
        return account.equals("removal");
    }

    private static String accountOf(String serviceAccount) {
        return serviceAccount.substring(serviceAccount.lastIndexOf('-') + 1);
    }

    private static JsonNode roleOf(List<JsonNode> objects, JsonNode binding) {
        return objects.stream()
                .filter(each -> each.path("kind").equals(binding.at("/roleRef/kind")))
                .filter(each -> each.at("/metadata/name").equals(binding.at("/roleRef/name")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no role for " + binding));
    }

    private static void add(String account, JsonNode role, List<AccountPermission> all) {
        for (JsonNode rule : role.at(RULES)) {
            List<String> names = rule.has("resourceNames") ? texts(rule.path("resourceNames")) : List.of("");
            for (String group : texts(rule.path("apiGroups"))) {
                for (String resource : texts(rule.path("resources"))) {
                    for (String verb : texts(rule.path("verbs"))) {
                        names.forEach(name -> all.add(new AccountPermission(
                                account, verb, resource + (group.isEmpty() ? "" : "." + group), name, role)));
                    }
                }
            }
        }
    }

    private static List<String> texts(JsonNode list) {
        return list.valueStream().map(JsonNode::asText).toList();
    }

    /** Returns the path of the role on an API server. */
    String rolePath() {
        String name = role.at("/metadata/name").asText();
        return role.path("kind").asText().equals("ClusterRole")
                ? "/apis/rbac.authorization.k8s.io/v1/clusterroles/" + name
                : "/apis/rbac.authorization.k8s.io/v1/namespaces/%s/roles/%s"
                        .formatted(role.at("/metadata/namespace").asText(), name);
    }

    /** Returns a patch that sets the rules of the role to all of them, or to all without this permission. */
    String rulesPatch(boolean withIt) {
        ObjectNode patch = JSON.createObjectNode();
        ArrayNode rules = patch.putArray("rules");
        role.at(RULES).forEach(rule -> {
            if (withIt || !includes(rule)) {
                rules.add(rule);
                return;
            }
            String plain = plainResource();
            ObjectNode others = rule.deepCopy();
            remove(others, "resources", plain);
            ObjectNode verbs = rule.deepCopy();
            verbs.putArray("resources").add(plain);
            remove(verbs, "verbs", verb);
            List.of(others, verbs).stream()
                    .filter(each -> !each.path("resources").isEmpty()
                            && !each.path("verbs").isEmpty())
                    .forEach(rules::add);
        });
        return patch.toString();
    }

    private boolean includes(JsonNode rule) {
        List<String> names = rule.has("resourceNames") ? texts(rule.path("resourceNames")) : List.of("");
        return texts(rule.path("apiGroups")).contains(group())
                && texts(rule.path("resources")).contains(plainResource())
                && texts(rule.path("verbs")).contains(verb)
                && names.contains(name);
    }

    private String plainResource() {
        return resource.contains(".") ? resource.substring(0, resource.indexOf('.')) : resource;
    }

    private String group() {
        return resource.contains(".") ? resource.substring(resource.indexOf('.') + 1) : "";
    }

    private static void remove(ObjectNode rule, String field, String text) {
        List<String> left = texts(rule.path(field)).stream()
                .filter(each -> !each.equals(text))
                .toList();
        left.forEach(rule.putArray(field)::add);
    }

    @Override
    public String toString() {
        return "%s: %s %s%s".formatted(account, verb, resource, name.isEmpty() ? "" : " " + name);
    }

    /** Returns the rows of the table in {@code deploy/SECURITY.md}: one per account, resource and object, with all verbs. */
    static String table() {
        return all().stream()
                .collect(Collectors.groupingBy(
                        each -> "| %s | %%s | %s | %s |"
                                .formatted(
                                        each.account(),
                                        text(each),
                                        each.role.at("/metadata/name").asText()),
                        LinkedHashMap::new,
                        Collectors.mapping(AccountPermission::verb, Collectors.toList())))
                .entrySet()
                .stream()
                .map(each -> each.getKey().formatted(String.join(", ", each.getValue())) + "\n")
                .collect(Collectors.joining());
    }

    private static String text(AccountPermission each) {
        return "`%s`%s".formatted(each.resource(), each.name().isEmpty() ? "" : " `%s`".formatted(each.name()));
    }
}
