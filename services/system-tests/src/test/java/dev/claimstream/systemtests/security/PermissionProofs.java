package dev.claimstream.systemtests.security;

import dev.claimstream.kafka.security.KafkaPermission;
import dev.claimstream.kafka.security.KafkaPrincipal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;

/** How {@code PermissionsIT} shows that each permission is needed. */
public final class PermissionProofs {
    /** Permissions that {@code RouterPermissionsIT} removes, with two cells. */
    static final List<String> ROUTER = List.of(
            "allocator READ topic router.in",
            "allocator WRITE topic router.in",
            "allocator READ topic placement.v1",
            "allocator WRITE topic placement.v1",
            "allocator READ topic claimstream-allocator-router-rows-changelog",
            "allocator WRITE topic claimstream-allocator-router-rows-changelog");

    /** Permissions that a service uses only on a real cluster, to observe only, or to end hanging transactions, and the shadow with several cells. */
    private static final List<String> OTHER_MODES = List.of(
            "allocator READ topic explanations.v1",
            "allocator READ topic comparisons.v1",
            "allocator WRITE topic comparisons.v1",
            "writer READ topic explanations.v1",
            "shadow READ topic router.in");

    /** Permissions that a rebuild uses. */
    private static final List<String> REBUILD = List.of(
            "allocator READ topic decisions.v1",
            "allocator READ topic placement.v1",
            "allocator WRITE TransactionalId claimstream-rebuild");

    private static final String BAD_RECORD = "allocator WRITE topic bad-records.v1";
    private static final String SILENT_NODE = "allocator WRITE topic inventory.v1";

    /** Principals whose services the test runs. */
    static final List<String> SERVICES = Stream.concat(
                    AuthorizedServices.NAMES.stream(), AuthorizedServices.FOLLOWERS.stream())
            .toList();

    private PermissionProofs() {}

    /** One operation on one resource. */
    public record PermissionRow(KafkaPermission permission, AclOperation operation) {
        AclBinding acl() {
            return new AclBinding(
                    permission.resource(),
                    new AccessControlEntry(
                            AuthorizedBroker.user(permission.principal()), "*", operation, AclPermissionType.ALLOW));
        }

        /** Settings with which the service uses the permission. */
        Map<String, Object> settings() {
            if (REBUILD.contains(toString())) {
                return Map.of("claimstream.allocator.rebuild", true);
            }
            return isForSilentNode() ? Map.of("claimstream.liveness.timeout", "1s") : Map.of();
        }

        /** Whether the service needs the permission for a record that it cannot read. */
        boolean isForBadRecord() {
            return toString().equals(BAD_RECORD);
        }

        /** Whether the service needs the permission for a node without heartbeats. */
        boolean isForSilentNode() {
            return toString().equals(SILENT_NODE);
        }

        /** Whether a service is run without the permission; otherwise only the request is sent. */
        public boolean isShownByService() {
            return isShownWithOneCell() || ROUTER.contains(toString());
        }

        /** Whether a service with one cell is run without the permission. */
        boolean isShownWithOneCell() {
            return SERVICES.contains(permission.principal())
                    && !ROUTER.contains(toString())
                    && !OTHER_MODES.contains(toString());
        }

        @Override
        public String toString() {
            return "%s %s %s".formatted(permission.principal(), operation, permission.resourceText());
        }
    }

    /** All rows of a principal. */
    public static List<PermissionRow> rows(KafkaPrincipal principal) {
        List<PermissionRow> rows = new ArrayList<>();
        principal
                .permissions()
                .forEach(permission ->
                        permission.operations().forEach(each -> rows.add(new PermissionRow(permission, each))));
        return rows;
    }
}
