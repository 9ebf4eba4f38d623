package dev.claimstream.kafka.examination;

import static org.assertj.core.api.Assertions.assertThat;

import dev.claimstream.kafka.security.PrincipalTable;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.junit.jupiter.api.Test;

/** Tests which ACLs are reported as missing and as more than the table of permissions. */
final class AclComparisonTest {
    private static final String PREFIX = "User:claimstream-";
    private static final PrincipalTable TABLE = PrincipalTable.shipped();

    private static boolean isWriteOfOutcomes(AclBinding each) {
        return each.pattern().name().equals("outcomes.v1") && each.entry().operation() == AclOperation.WRITE;
    }

    private static List<AclBinding> granted() {
        List<AclBinding> all = new ArrayList<>();
        TABLE.all()
                .forEach(principal ->
                        principal.permissions().forEach(each -> all.addAll(each.bindings(PREFIX + principal.name()))));
        return all;
    }

    private static AclBinding binding(
            String principal, AclOperation operation, AclPermissionType type, PatternType pattern, String topic) {
        return new AclBinding(
                new ResourcePattern(ResourceType.TOPIC, topic, pattern),
                new AccessControlEntry(principal, "*", operation, type));
    }

    private static PermissionFacts.AclDifferences with(List<AclBinding> all) {
        return new AclComparison(PREFIX, all).with(TABLE);
    }

    @Test
    void acceptsTable() {
        assertThat(with(granted())).isEqualTo(new PermissionFacts.AclDifferences(List.of(), List.of()));
    }

    @Test
    void namesMissingPermission() {
        List<AclBinding> all = granted();
        all.removeIf(AclComparisonTest::isWriteOfOutcomes);
        assertThat(with(all).missing()).containsExactly("User:claimstream-writer lacks Write on topic outcomes.v1");
    }

    @Test
    void widerPermissionsSuffice() {
        List<AclBinding> all = granted();
        all.removeIf(AclComparisonTest::isWriteOfOutcomes);
        for (AclBinding wider : List.of(
                binding(
                        PREFIX + "writer",
                        AclOperation.ALL,
                        AclPermissionType.ALLOW,
                        PatternType.LITERAL,
                        "outcomes.v1"),
                binding(PREFIX + "writer", AclOperation.WRITE, AclPermissionType.ALLOW, PatternType.PREFIXED, "outc"),
                binding("User:*", AclOperation.WRITE, AclPermissionType.ALLOW, PatternType.LITERAL, "*"))) {
            all.add(wider);
            assertThat(with(all).missing()).as(wider.toString()).isEmpty();
            assertThat(with(all).excess()).as(wider.toString()).hasSize(1);
            all.remove(wider);
        }
    }

    /** A DENY wins over an ALLOW. */
    @Test
    void deniedPermissionIsMissing() {
        List<AclBinding> all = granted();
        all.add(binding("User:*", AclOperation.ALL, AclPermissionType.DENY, PatternType.PREFIXED, "outcomes"));
        assertThat(with(all).missing())
                .contains(
                        "User:claimstream-writer lacks Write on topic outcomes.v1",
                        "User:claimstream-allocator lacks Read on topic outcomes.v1");
    }

    @Test
    void namesExcessOfPrincipalAndOfAnotherUser() {
        List<AclBinding> all = granted();
        all.add(binding(
                PREFIX + "agent", AclOperation.WRITE, AclPermissionType.ALLOW, PatternType.LITERAL, "decisions.v1"));
        all.add(binding("User:x", AclOperation.DELETE, AclPermissionType.ALLOW, PatternType.LITERAL, "ledger.v1"));
        all.add(binding("User:y", AclOperation.WRITE, AclPermissionType.ALLOW, PatternType.LITERAL, "inventory.v1"));
        all.add(binding("User:z", AclOperation.READ, AclPermissionType.ALLOW, PatternType.LITERAL, "ledger.v1"));
        assertThat(with(all))
                .isEqualTo(new PermissionFacts.AclDifferences(
                        List.of(),
                        List.of(
                                "User:claimstream-agent may Write topic decisions.v1",
                                "User:x may Delete topic ledger.v1")));
    }
}
