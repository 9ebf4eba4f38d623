package dev.claimstream.dra;

/** A namespace; its label {@code resource.kubernetes.io/admin-access: "true"} allows admin access. */
public record Namespace(ObjectMeta meta) implements ClusterObject {
    /** The label that allows claims with admin access. */
    public static final String ADMIN_ACCESS_LABEL = "resource.kubernetes.io/admin-access";

    @Override
    public Kind kind() {
        return Kind.NAMESPACE;
    }

    /** Whether claims in it may ask for admin access. */
    public boolean allowsAdminAccess() {
        return "true".equals(meta.labels().get(ADMIN_ACCESS_LABEL));
    }
}
