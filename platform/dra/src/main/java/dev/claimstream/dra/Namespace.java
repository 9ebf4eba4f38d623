package dev.claimstream.dra;

/** A namespace. Its label {@code resource.kubernetes.io/admin-access: "true"} allows admin access. */
public record Namespace(ObjectMeta meta) implements ClusterObject {
    /** The label that allows claims with admin access. */
    public static final String ADMIN_ACCESS_LABEL = "resource.kubernetes.io/admin-access";

    @Override
    public Kind kind() {
        return Kind.NAMESPACE;
    }

    /** Returns whether claims in the namespace may request admin access. */
    public boolean allowsAdminAccess() {
        return "true".equals(meta.labels().get(ADMIN_ACCESS_LABEL));
    }
}
