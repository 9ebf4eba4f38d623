package dev.claimstream.manifests;

/** The served API versions. */
enum ApiVersion {
    CORE_V1("v1"),
    RESOURCE_V1("resource.k8s.io/v1"),
    RESOURCE_V1BETA2("resource.k8s.io/v1beta2"),
    RESOURCE_V1BETA1("resource.k8s.io/v1beta1"),
    RESOURCE_V1ALPHA3("resource.k8s.io/v1alpha3"),
    SCHEDULING_V1BETA1("scheduling.k8s.io/v1beta1"),
    SCHEDULING_V1ALPHA3("scheduling.k8s.io/v1alpha3"),
    SCHEDULING_V1ALPHA2("scheduling.k8s.io/v1alpha2");

    static final String RESOURCE_GROUP = "resource.k8s.io/";
    static final String SCHEDULING_GROUP = "scheduling.k8s.io/";

    private final String text;

    ApiVersion(String text) {
        this.text = text;
    }

    /** Returns the version as manifests write it. */
    String text() {
        return text;
    }

    /** Returns whether requests are flat and devices are wrapped in {@code basic}. */
    boolean isFlat() {
        return this == RESOURCE_V1BETA1;
    }
}
