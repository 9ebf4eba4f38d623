package dev.claimstream.systemtests.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.Topic;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.security.AclCommands;
import dev.claimstream.kafka.security.KafkaPrincipal;
import dev.claimstream.kafka.security.PrincipalTable;
import dev.claimstream.process.settings.InvalidSettingsException;
import dev.claimstream.process.settings.ServiceName;
import dev.claimstream.process.settings.SettingsContext;
import dev.claimstream.systemtests.process.CommandResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.PatternType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Tests that the Helm chart renders the objects of {@code deploy/policies} and the topics of the contracts. It reads the
 * snapshots of the chart, which {@code .ci/chart} compares with what Helm renders.
 */
class ChartTest {
    private static final Path DEPLOY = Path.of("..", "..", "deploy");
    private static final Path POLICIES = DEPLOY.resolve("policies");
    private static final Path SNAPSHOTS = DEPLOY.resolve("helm/claimstream/ci/snapshots");
    private static final String ADMISSION = "admissionregistration.k8s.io/v1 ";
    private static final int CELLS = 4;

    @Test
    void rendersPoliciesAndPermissionsOfFolder() throws IOException {
        Map<String, Object> wanted = new TreeMap<>();
        try (Stream<Path> files = Files.list(POLICIES)) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".yaml")).toList()) {
                wanted.putAll(objects(file));
            }
        }
        assertThat(wanted.remove("v1 Namespace /claimstream")).isNotNull(); // helm --create-namespace makes it
        Map<String, Object> rendered = objects(SNAPSHOTS.resolve("minimal.yaml"));
        assertThat(wanted).hasSizeGreaterThan(20);
        assertThat(rendered).containsAllEntriesOf(wanted);
        assertThat(rendered.keySet().stream().filter(key -> key.startsWith(ADMISSION)))
                .as("policies that the folder does not have")
                .isSubsetOf(wanted.keySet());
    }

    /** {@code claimstream images} uses the version of the project as tag, and the chart uses its appVersion. */
    @Test
    void imagesHaveTagOfChart() throws IOException {
        String project = Files.readString(Path.of("..", "..", "pom.xml"));
        String version =
                project.substring(project.indexOf("<version>") + "<version>".length(), project.indexOf("</version>"));
        assertThat(Files.readAllLines(DEPLOY.resolve("helm/claimstream/Chart.yaml")))
                .contains("appVersion: \"%s\"".formatted(version));
    }

    @Test
    void rendersGateOfAllNamespaces() throws IOException {
        assertThat(objects(SNAPSHOTS.resolve("sasl-scram-private-registry.yaml")))
                .containsAllEntriesOf(objects(POLICIES.resolve("all-namespaces/gate.yaml")));
    }

    /** In observe-only mode there is no writer and no policy, and no service account may do more than read. */
    @Test
    void observeOnlyMayWriteNothing() throws IOException {
        Map<String, Object> rendered = objects(SNAPSHOTS.resolve("observe-only.yaml"));
        assertThat(rendered.keySet())
                .anyMatch(key -> key.contains(" ClusterRoleBinding "))
                .noneMatch(key -> key.startsWith(ADMISSION))
                .noneMatch(key -> key.contains("writer") || key.contains("removal"));
        Set<String> bound = new TreeSet<>();
        rendered.forEach((key, object) -> {
            if (key.contains("RoleBinding ")) {
                bound.add(String.valueOf(map(map(object).get("roleRef")).get("name")));
            }
        });
        rendered.forEach((key, object) -> {
            if (key.contains("Role ") && bound.contains(key.substring(key.indexOf('/', key.indexOf("Role ")) + 1))) {
                for (Object rule : list(map(object).get("rules"))) {
                    assertThat(list(map(rule).get("verbs")).stream().map(Object::toString))
                            .as(key)
                            .isSubsetOf("get", "list", "watch");
                }
            }
        });
        assertThat(bound).containsExactly("claimstream-doctor", "claimstream-watcher");
    }

    @Test
    void rendersTopicsOfContracts() throws IOException {
        Map<String, Object> rendered = objects(SNAPSHOTS.resolve("all-on.yaml"));
        for (Topic topic : Topics.shipped().forCells(CELLS).withChangelogs().all()) {
            Map<?, ?> spec = spec(rendered, "KafkaTopic kafka/" + topic.name());
            Map<String, String> config = new TreeMap<>();
            map(spec.get("config")).forEach((name, value) -> config.put(name.toString(), value.toString()));
            config.remove("min.insync.replicas");
            assertThat(config).as(topic.name()).isEqualTo(topic.config());
            assertThat(spec.get("partitions")).as(topic.name()).isEqualTo(topic.partitions());
        }
    }

    @Test
    void userOfEachServiceHasPermissionsAndQuotasOfTable() throws IOException {
        Map<String, Object> rendered = objects(SNAPSHOTS.resolve("all-on.yaml"));
        for (KafkaPrincipal principal : PrincipalTable.shipped().all()) {
            String name = principal.name().equals("producer") ? "site-a" : principal.name();
            Map<?, ?> user = spec(rendered, "KafkaUser kafka/claimstream-" + name);
            assertThat(acls(user)).as(name).isEqualTo(acls(principal));
            assertThat(user.containsKey("quotas"))
                    .as("quotas of %s", name)
                    .isEqualTo(!principal.quotas().isEmpty());
        }
        assertThat(map(spec(rendered, "KafkaUser kafka/claimstream-site-a").get("quotas"))
                        .get("producerByteRate"))
                .isEqualTo(5_242_880);
    }

    @Test
    void sharedUserHasPermissionsOfAllServices() throws IOException {
        Map<?, ?> user = spec(objects(SNAPSHOTS.resolve("all-on.yaml")), "KafkaUser kafka/claimstream");
        Map<String, Set<String>> wanted = new TreeMap<>();
        PrincipalTable.shipped().all().stream()
                .filter(each -> !each.name().equals("producer"))
                .forEach(each -> acls(each)
                        .forEach((resource, operations) -> wanted.computeIfAbsent(resource, _ -> new TreeSet<>())
                                .addAll(operations)));
        assertThat(acls(user)).isEqualTo(wanted);
    }

    /** Operations by type, pattern and name. The snapshot has the topics of Strimzi, so no user creates topics. */
    private static Map<String, Set<String>> acls(KafkaPrincipal principal) {
        Map<String, Set<String>> acls = new TreeMap<>();
        principal.permissions().forEach(each -> {
            String pattern = each.resource().patternType() == PatternType.PREFIXED ? "prefix" : "literal";
            String type = switch (each.resource().resourceType()) {
                case TOPIC -> "topic";
                case GROUP -> "group";
                default -> "transactionalId";
            };
            acls.put(
                    "%s %s %s".formatted(type, pattern, each.resource().name()),
                    each.operations().stream()
                            .filter(operation -> operation != AclOperation.CREATE)
                            .map(AclCommands::operationText)
                            .collect(Collectors.toCollection(TreeSet::new)));
        });
        return acls;
    }

    private static Map<String, Set<String>> acls(Map<?, ?> user) {
        Map<String, Set<String>> acls = new TreeMap<>();
        for (Object each : list(map(user.get("authorization")).get("acls"))) {
            Map<?, ?> resource = map(map(each).get("resource"));
            Set<String> operations = new TreeSet<>();
            list(map(each).get("operations")).forEach(name -> operations.add(name.toString()));
            acls.put(
                    "%s %s %s".formatted(resource.get("type"), resource.get("patternType"), resource.get("name")),
                    operations);
        }
        return acls;
    }

    /** The command accepts the arguments, and looks for the key in a folder that is mounted. */
    @Test
    void checkpointsRunCommandWithMountedKey() throws IOException {
        for (String snapshot : List.of("all-on.yaml", "oauth.yaml")) {
            List<Map<?, ?>> containers = new ArrayList<>();
            collectContainers(
                    spec(objects(SNAPSHOTS.resolve(snapshot)), "CronJob claimstream/claimstream-checkpoints"),
                    containers);
            Map<?, ?> container = containers.getFirst();
            Path folder = Path.of("/var/run/secrets/claimstream/checkpoint-key");
            Path key = folder.resolve("key.pem");
            CommandResult result = CommandResult.run(
                    list(container.get("args")).stream().map(Object::toString).toArray(String[]::new));
            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.err()).contains(key + " cannot be read: name a readable PEM file");
            assertThat(list(container.get("volumeMounts")))
                    .anySatisfy(mount -> assertThat(map(mount).get("mountPath")).isEqualTo(folder.toString()));
        }
    }

    /** So it rejects incompatible schemas before it creates a topic. */
    @Test
    void jobOfTopicsHasConnectionToRegistry() throws IOException {
        List<Map<?, ?>> containers = new ArrayList<>();
        collectContainers(
                spec(objects(SNAPSHOTS.resolve("tls-mtls.yaml")), "Job claimstream/claimstream-topics"), containers);
        Map<?, ?> container = containers.getFirst();
        String secrets = "/var/run/secrets/claimstream/";
        assertThat(new ArrayList<Object>(list(container.get("env"))))
                .contains(
                        Map.of("name", "CLAIMSTREAM_REGISTRY_URL", "value", "https://registry.example.com"),
                        Map.of("name", "CLAIMSTREAM_REGISTRY_TOKEN_FILE", "value", secrets + "registry-auth/token"),
                        Map.of("name", "CLAIMSTREAM_REGISTRY_CA_FILE", "value", secrets + "registry-ca/ca.crt"));
        assertThat(list(container.get("volumeMounts")).stream()
                        .map(mount -> String.valueOf(map(mount).get("mountPath"))))
                .contains(secrets + "registry-auth", secrets + "registry-ca");
    }

    @Test
    void podsNeitherChangeRootFilesystemNorGainPrivileges() throws IOException {
        try (Stream<Path> files = Files.list(SNAPSHOTS)) {
            for (Path file : files.toList()) {
                List<Map<?, ?>> containers = new ArrayList<>();
                for (Object each : documents(file)) {
                    collectContainers(each, containers);
                }
                assertThat(containers).as(file.toString()).hasSizeGreaterThan(4).allSatisfy(container -> {
                    Map<?, ?> security = map(container.get("securityContext"));
                    assertThat(security.get("readOnlyRootFilesystem")).isEqualTo(true);
                    assertThat(security.get("allowPrivilegeEscalation")).isEqualTo(false);
                    assertThat(security.get("runAsUser")).isEqualTo(65532);
                    assertThat(map(security.get("capabilities")).get("drop")).isEqualTo(List.of("ALL"));
                });
            }
        }
    }

    /** The comments of the values promise this also for the pods of Jobs. */
    @Test
    void everyPodHasCommonLabelsAndAnnotations() throws IOException {
        List<Map<?, ?>> templates = new ArrayList<>();
        for (Object each : documents(SNAPSHOTS.resolve("all-on.yaml"))) {
            collect("template", each, templates);
        }
        assertThat(templates).hasSizeGreaterThan(9).allSatisfy(template -> {
            Map<?, ?> metadata = map(template.get("metadata"));
            assertThat(map(metadata.get("labels")).get("team")).isEqualTo("accelerators");
            assertThat(map(metadata.get("annotations")).get("example.com/owner"))
                    .isEqualTo("accelerators");
        });
    }

    /** The check that ends a start finds neither unknown nor invalid nor missing settings. */
    @Test
    void servicesAcceptSettingsOfTheirConfigMaps(@TempDir Path folder) throws IOException {
        Map<String, Object> rendered = objects(SNAPSHOTS.resolve("all-on.yaml"));
        Map<String, List<String>> checked = new TreeMap<>();
        for (Map.Entry<String, Object> each : rendered.entrySet()) {
            if (each.getKey().startsWith("v1 ConfigMap ")
                    && map(each.getValue()).get("data") instanceof Map<?, ?> data) {
                String component = each.getKey().substring(each.getKey().indexOf("/claimstream-") + 13);
                if (data.get("application.yml") instanceof String settings) {
                    checked.put(
                            component,
                            problems(Files.writeString(folder.resolve(component + ".yml"), settings), component));
                }
            }
        }
        assertThat(checked.keySet())
                .containsExactly(
                        "agents",
                        "allocator",
                        "archive",
                        "console",
                        "history",
                        "shadow",
                        "simulator",
                        "watcher",
                        "writer");
        assertThat(checked)
                .allSatisfy((component, problems) ->
                        assertThat(problems).as(component).isEmpty());
    }

    /** Shadow and archive are processes of the allocator. That of the shadow has no intake and no cells by default. */
    private static List<String> problems(Path settings, String component) {
        ServiceName service = switch (component) {
            case "agents" -> ServiceName.AGENT;
            case "archive", "shadow" -> ServiceName.ALLOCATOR;
            default -> ServiceName.of(component);
        };
        Map<String, Object> defaults =
                component.equals("shadow") ? Map.of("claimstream.allocator.enabled", false) : Map.of();
        System.setProperty("claimstream.config", settings.toString());
        try (var context = SettingsContext.ofService(service, defaults)) {
            return context.getEnvironment().containsProperty("claimstream.kafka.bootstrap")
                    ? List.of()
                    : List.of("the file was not read");
        } catch (InvalidSettingsException e) {
            return e.problems();
        } finally {
            System.clearProperty("claimstream.config");
        }
    }

    private static void collect(String field, Object node, List<Map<?, ?>> found) {
        if (node instanceof Map<?, ?> fields) {
            if (fields.get(field) instanceof Map<?, ?> value) {
                found.add(value);
            }
            fields.values().forEach(each -> collect(field, each, found));
        } else if (node instanceof List<?> elements) {
            elements.forEach(each -> collect(field, each, found));
        }
    }

    private static void collectContainers(Object node, List<Map<?, ?>> found) {
        if (node instanceof Map<?, ?> fields) {
            for (String field : List.of("containers", "initContainers")) {
                if (fields.get(field) instanceof List<?> containers) {
                    containers.forEach(each -> found.add(map(each)));
                }
            }
            fields.values().forEach(each -> collectContainers(each, found));
        } else if (node instanceof List<?> elements) {
            elements.forEach(each -> collectContainers(each, found));
        }
    }

    private static Map<?, ?> spec(Map<String, Object> rendered, String name) {
        return map(map(rendered.entrySet().stream()
                        .filter(each -> each.getKey().endsWith(name))
                        .findFirst()
                        .orElseThrow(() -> new AssertionError("no " + name))
                        .getValue())
                .get("spec"));
    }

    /** The objects of a file by version, kind, namespace and name, without labels and annotations. */
    private static Map<String, Object> objects(Path file) throws IOException {
        Map<String, Object> found = new TreeMap<>();
        for (Object document : documents(file)) {
            Map<Object, Object> object = new HashMap<>(map(document));
            Map<Object, Object> metadata = new HashMap<>(map(object.get("metadata")));
            metadata.remove("labels");
            metadata.remove("annotations");
            object.put("metadata", metadata);
            Object namespace = metadata.get("namespace");
            found.put(
                    "%s %s %s/%s"
                            .formatted(
                                    object.get("apiVersion"),
                                    object.get("kind"),
                                    namespace == null ? "" : namespace,
                                    metadata.get("name")),
                    object);
        }
        return found;
    }

    private static List<Object> documents(Path file) throws IOException {
        var options = new LoaderOptions();
        options.setMaxAliasesForCollections(0);
        List<Object> found = new ArrayList<>();
        for (Object document : new Yaml(new SafeConstructor(options)).loadAll(Files.readString(file))) {
            if (document != null) {
                found.add(document);
            }
        }
        return found;
    }

    private static Map<?, ?> map(@Nullable Object node) {
        if (node instanceof Map<?, ?> fields) {
            return fields;
        }
        throw new AssertionError("no mapping: " + node);
    }

    private static List<?> list(@Nullable Object node) {
        if (node instanceof List<?> elements) {
            return elements;
        }
        throw new AssertionError("no sequence: " + node);
    }
}
