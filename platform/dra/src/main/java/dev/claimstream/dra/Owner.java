package dev.claimstream.dra;

/**
 * The controller of an object, from {@code metadata.ownerReferences}.
 *
 * @param apiVersion group and version of its kind; empty if unknown, as in records of earlier versions
 */
public record Owner(String apiVersion, String kind, String name, String uid) {
    private static final String POD_VERSION = "v1";
    private static final String POD_GROUPS = "scheduling.k8s.io";
    private static final String POD_GROUP_VERSION = POD_GROUPS + "/v1beta1";

    public static Owner pod(String name, String uid) {
        return new Owner(POD_VERSION, Kind.POD.apiName(), name, uid);
    }

    public static Owner podGroup(String name, String uid) {
        return new Owner(POD_GROUP_VERSION, Kind.POD_GROUP.apiName(), name, uid);
    }

    /** Returns this owner with another uid. */
    public Owner withUid(String other) {
        return new Owner(apiVersion, kind, name, other);
    }

    /** Returns the API group; empty for the core group. */
    public String group() {
        return apiVersion.substring(0, Math.max(0, apiVersion.indexOf('/')));
    }

    /** Returns whether the owner is a pod. An owner of unknown version is one if its kind says so. */
    public boolean isPod() {
        return kind.equals(Kind.POD.apiName()) && (apiVersion.isEmpty() || apiVersion.equals(POD_VERSION));
    }

    /** Returns whether the owner is a pod group of Kubernetes, and not one of another scheduler. */
    public boolean isPodGroup() {
        return kind.equals(Kind.POD_GROUP.apiName()) && (apiVersion.isEmpty() || group().equals(POD_GROUPS));
    }
}
