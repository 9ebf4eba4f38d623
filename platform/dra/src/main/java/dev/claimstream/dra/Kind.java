package dev.claimstream.dra;

/** The kinds of watched objects, with their names in the Kubernetes API. */
public enum Kind {
    RESOURCE_SLICE("ResourceSlice"),
    DEVICE_CLASS("DeviceClass"),
    DEVICE_TAINT_RULE("DeviceTaintRule"),
    NODE("Node"),
    NAMESPACE("Namespace"),
    RESOURCE_CLAIM("ResourceClaim"),
    RESOURCE_CLAIM_TEMPLATE("ResourceClaimTemplate"),
    POD("Pod"),
    POD_GROUP("PodGroup");

    private final String apiName;

    Kind(String apiName) {
        this.apiName = apiName;
    }

    /** Returns the name in the Kubernetes API. */
    public String apiName() {
        return apiName;
    }
}
