package dev.claimstream.history.store;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a caller may see.
 *
 * @param isAdministrator whether the caller may see every namespace and ask SQL
 * @param hasDevices whether the caller may see every device and node; otherwise those of its claims
 * @param namespaces the namespaces of another caller
 */
public record AccessScope(boolean isAdministrator, boolean hasDevices, Set<String> namespaces) {
    /** The scope of an administrator: every namespace, and the objects of the cluster. */
    public static final AccessScope ADMINISTRATOR = new AccessScope(true, true, Set.of());

    /** What a caller sees instead of names of a foreign namespace. */
    public static final String ELSEWHERE = "another namespace";

    public AccessScope {
        namespaces = Set.copyOf(namespaces);
    }

    boolean sees(String namespace) {
        return isAdministrator || namespaces.contains(namespace);
    }

    /** The SQL condition on the intervals of a device or node, in which claims of other namespaces have no name. */
    String deviceCondition() {
        return hasDevices ? "true" : condition();
    }

    /** The SQL condition on the column {@code namespace}. */
    String condition() {
        return isAdministrator
                ? "true"
                : "namespace IN (SELECT unnest([%s]::VARCHAR[]))"
                        .formatted(namespaces.stream()
                                .sorted()
                                .map(StoreDatabase::quoted)
                                .collect(Collectors.joining(", ")));
    }
}
