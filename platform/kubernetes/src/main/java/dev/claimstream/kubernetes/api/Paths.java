package dev.claimstream.kubernetes.api;

import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/** URL paths of an API server. */
final class Paths {
    static final String RESOURCE_GROUP = "/apis/resource.k8s.io";
    static final String SCHEDULING_GROUP = "/apis/scheduling.k8s.io";

    private static final String CORE = "/api/v1";
    private static final String RESOURCE = RESOURCE_GROUP + "/v1";

    private Paths() {}

    /** Returns the resource name of a kind. */
    static String plural(Kind kind) {
        return switch (kind) {
            case RESOURCE_SLICE -> "resourceslices";
            case DEVICE_CLASS -> "deviceclasses";
            case DEVICE_TAINT_RULE -> "devicetaintrules";
            case NODE -> "nodes";
            case NAMESPACE -> "namespaces";
            case RESOURCE_CLAIM -> "resourceclaims";
            case RESOURCE_CLAIM_TEMPLATE -> "resourceclaimtemplates";
            case POD -> "pods";
            case POD_GROUP -> "podgroups";
        };
    }

    /** Returns the path of the API that serves a kind. {@link ServedApis} chooses among versions. */
    static String api(Kind kind) {
        return switch (kind) {
            case RESOURCE_SLICE, DEVICE_CLASS, RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, DEVICE_TAINT_RULE -> RESOURCE;
            case NODE, NAMESPACE, POD -> CORE;
            case POD_GROUP -> SCHEDULING_GROUP + "/v1beta1";
        };
    }

    static String claim(ObjectKey claim) {
        return object(RESOURCE, claim, "resourceclaims");
    }

    static String deviceClass(String name) {
        return RESOURCE + "/deviceclasses/" + encode(name);
    }

    static String pod(ObjectKey pod) {
        return object(CORE, pod, "pods");
    }

    static String pods(String namespace) {
        return CORE + "/namespaces/" + encode(namespace) + "/pods";
    }

    static String events(String namespace) {
        return "/apis/events.k8s.io/v1/namespaces/" + encode(namespace) + "/events";
    }

    static String lease(String namespace, String name) {
        return leases(namespace) + "/" + encode(name);
    }

    static String leases(String namespace) {
        return "/apis/coordination.k8s.io/v1/namespaces/" + encode(namespace) + "/" + LogLease.PLURAL;
    }

    private static String object(String api, ObjectKey key, String plural) {
        return api + "/namespaces/" + encode(key.namespace()) + "/" + plural + "/" + encode(key.name());
    }

    static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
