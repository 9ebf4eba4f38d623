package dev.claimstream.kafka.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.claimstream.kafka.Topics;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeSet;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;

class PrincipalTableTest {
    private static final PrincipalTable TABLE = PrincipalTable.shipped();
    private static final String REST =
            "does: x, services: [], writes: [], creates: false, transactional-ids: {}, quotas: {}";

    @Test
    void everyWriterAndReaderOfTopicsIsPrincipal() {
        var allowed = new TreeSet<String>();
        TABLE.all()
                .forEach(principal -> principal
                        .permissions()
                        .forEach(permission -> permission
                                .operations()
                                .forEach(operation -> allowed.add(
                                        operation + " " + permission.resource().name()))));
        Topics.shipped().withChangelogs().all().forEach(topic -> {
            boolean isOfUp = List.of(Topics.CLUSTER, Topics.SCHEMAS).contains(topic.name());
            assertThat(allowed.contains("READ " + topic.name()))
                    .as("reader of %s", topic.name())
                    .isEqualTo(!isOfUp && !topic.readers().isEmpty());
            assertThat(allowed.contains("WRITE " + topic.name()))
                    .as("writer of %s", topic.name())
                    .isEqualTo(!isOfUp);
        });
    }

    @Test
    void noPrincipalChangesOrDeletes() {
        assertThat(TABLE.all()).flatExtracting(KafkaPrincipal::permissions).allSatisfy(permission -> {
            assertThat(permission.resource().resourceType()).isNotEqualTo(ResourceType.CLUSTER);
            assertThat(permission.operations())
                    .doesNotContain(
                            AclOperation.ALL,
                            AclOperation.DELETE,
                            AclOperation.ALTER,
                            AclOperation.ALTER_CONFIGS,
                            AclOperation.CLUSTER_ACTION);
            if (permission.operations().contains(AclOperation.CREATE)) {
                assertThat(permission.principal()).isEqualTo("topics");
            }
        });
    }

    @Test
    void historyReadsTheLogAndDescribesGroupOfCells() {
        assertThat(TABLE.get("history").permissions())
                .extracting(each -> each.operations() + " " + each.resourceText())
                .containsExactlyInAnyOrder(
                        "[READ] topic cells.in",
                        "[READ] topic ledger.v1",
                        "[READ] topic telemetry.v1",
                        "[DESCRIBE] group claimstream-allocator");
        assertThat(new AclCommands("b:1", "User:").of(TABLE.get("history")))
                .contains(
                        "kafka-acls --bootstrap-server b:1 --command-config admin.properties --add --allow-principal 'User:history' --operation Describe --group 'claimstream-allocator'");
    }

    @Test
    void changelogsHavePartitionsOfTheirInput() {
        Topics topics = Topics.shipped().forCells(4).withChangelogs();
        assertThat(topics.get(Topics.CELL_CHANGELOG).partitions()).isEqualTo(4);
        assertThat(topics.get(Topics.ROUTER_CHANGELOG).partitions()).isEqualTo(1);
        assertThat(Topics.shipped().find(Topics.CELL_CHANGELOG)).isEmpty();
    }

    @Test
    void commandsNameOperationsResourcesAndQuotas() {
        var commands = new AclCommands("$BOOTSTRAP", "User:claimstream-");
        assertThat(commands.of(TABLE.get("writer")))
                .containsExactly(
                        "# writer: The writers.",
                        "kafka-acls --bootstrap-server $BOOTSTRAP --command-config admin.properties --add --allow-principal 'User:claimstream-writer' --operation Read --topic 'decisions.v1' --topic 'explanations.v1'",
                        "kafka-acls --bootstrap-server $BOOTSTRAP --command-config admin.properties --add --allow-principal 'User:claimstream-writer' --operation Write --topic 'outcomes.v1'",
                        "kafka-acls --bootstrap-server $BOOTSTRAP --command-config admin.properties --add --allow-principal 'User:claimstream-writer' --operation Read --group 'claimstream-writer'");
        assertThat(commands.of(TABLE.get("agent")).getLast())
                .isEqualTo(
                        "kafka-configs --bootstrap-server $BOOTSTRAP --command-config admin.properties --alter --add-config 'producer_byte_rate=10485760,request_percentage=100' --entity-type users --entity-name 'claimstream-agent'");
        assertThat(commands.of(TABLE.get("allocator")))
                .contains(
                        "kafka-acls --bootstrap-server $BOOTSTRAP --command-config admin.properties --add --allow-principal 'User:claimstream-allocator' --operation Write --resource-pattern-type prefixed --transactional-id 'claimstream-allocator-' --transactional-id 'liveness-'");
        assertThatThrownBy(() -> new AclCommands("b", "claimstream-"))
                .hasMessage("claimstream-: the prefix of a principal begins with User:");
    }

    @Test
    void namesMistakeInPrincipalsFile() {
        assertMistake("a: {colour: red}", "principals.yaml: a: unknown field colour");
        assertMistake("a: {%s}".formatted(REST), "principals.yaml: a: groups is missing");
        assertMistake(
                "a: {groups: {g: regex}, %s}".formatted(REST),
                "principals.yaml: a: groups has regex, which is neither literal nor prefix");
        assertMistake(
                "a: {groups: {}, describes-groups: {g: regex}, %s}".formatted(REST),
                "principals.yaml: a: describes-groups has regex, which is neither literal nor prefix");
        assertMistake("a: {groups: [g], %s}".formatted(REST), "principals.yaml: a: groups is not a mapping");
        assertThatThrownBy(() -> TABLE.get("router"))
                .hasMessageStartingWith("principal router is not in principals.yaml, which has [agent, ");
    }

    private static void assertMistake(String yaml, String message) {
        var in = new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8));
        assertThatThrownBy(() -> PrincipalTable.read(in, Topics.shipped())).hasMessage(message);
    }
}
