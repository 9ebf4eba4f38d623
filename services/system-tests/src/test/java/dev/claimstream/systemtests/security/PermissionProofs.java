package dev.claimstream.systemtests.security;

import dev.claimstream.kafka.security.KafkaPermission;
import dev.claimstream.kafka.security.KafkaPrincipal;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;

/** How {@code PermissionsIT} shows that each permission is needed. */
public final class PermissionProofs {
    /** Permissions that a service uses only with several cells, on a real cluster, by a rebuild, or after a fault. */
    static final List<String> OTHER_MODES = List.of(
            "allocator READ topic router.in",
            "allocator WRITE topic router.in",
            "allocator READ topic placement.v1",
            "allocator WRITE topic placement.v1",
            "allocator READ topic claimstream-allocator-router-rows-changelog",
            "allocator WRITE topic claimstream-allocator-router-rows-changelog",
            "allocator READ topic decisions.v1",
            "allocator READ topic explanations.v1",
            "allocator READ topic comparisons.v1",
            "allocator WRITE topic comparisons.v1",
            "allocator WRITE topic bad-records.v1",
            "allocator WRITE topic inventory.v1",
            "allocator WRITE TransactionalId claimstream-rebuild",
            "watcher READ topic inventory.v1",
            "watcher READ topic claims.v1",
            "writer READ topic explanations.v1");

    private PermissionProofs() {}

    /** One operation on one resource. */
    public record PermissionRow(KafkaPermission permission, AclOperation operation) {
        AclBinding acl() {
            return new AclBinding(
                    permission.resource(),
                    new AccessControlEntry(
                            AuthorizedBroker.user(permission.principal()), "*", operation, AclPermissionType.ALLOW));
        }

        /** Whether a service is run without the permission; otherwise only the request is sent. */
        public boolean isShownByService() {
            return AuthorizedServices.NAMES.contains(permission.principal()) && !OTHER_MODES.contains(toString());
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
