package dev.claimstream.kafka.examination;

import java.util.List;

/** The ACLs of a Kafka cluster, compared with the table of permissions. */
public sealed interface PermissionFacts {
    /** The brokers have no authorizer: every client may do everything. */
    record NoAuthorizer() implements PermissionFacts {}

    /** The current user may not read ACLs. */
    record Denied(String reason) implements PermissionFacts {}

    /**
     * The ACLs differ from the table as listed, and otherwise do not.
     *
     * @param missing what principals of the table lack, one sentence each
     * @param excess what principals may do beyond the table, one sentence each
     */
    record AclDifferences(List<String> missing, List<String> excess) implements PermissionFacts {
        public AclDifferences {
            missing = List.copyOf(missing);
            excess = List.copyOf(excess);
        }
    }
}
