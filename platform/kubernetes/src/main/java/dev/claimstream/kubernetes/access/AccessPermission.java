package dev.claimstream.kubernetes.access;

/** A permission of Kubernetes that decides what a caller sees. */
public enum AccessPermission {
    /** To see the claims, pods and everything else of a namespace; without a namespace, of all of them. */
    NAMESPACE("list", "resource.k8s.io", "resourceclaims"),
    /** To see all devices and pools. Cluster-scoped. */
    DEVICES("list", "resource.k8s.io", "resourceslices"),
    /** To see all nodes. Cluster-scoped. */
    NODES("list", "", "nodes"),
    /** To read the history of all namespaces by SQL and as an export. A resource that exists only in roles. Cluster-scoped. */
    AUDIT("get", "claimstream.dev", "audits");

    private final String verb;
    private final String group;
    private final String resource;

    AccessPermission(String verb, String group, String resource) {
        this.verb = verb;
        this.group = group;
        this.resource = resource;
    }

    public String verb() {
        return verb;
    }

    /** Returns the API group; empty for the core group. */
    public String group() {
        return group;
    }

    public String resource() {
        return resource;
    }

    /** Returns verb and resource, as in {@code list resourceclaims.resource.k8s.io}. */
    public String text() {
        return verb + " " + resource + (group.isEmpty() ? "" : "." + group);
    }
}
