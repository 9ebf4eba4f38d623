package dev.claimstream.kubernetes.api;

import dev.claimstream.dra.ObjectKey;

/** A claim, a pod and a configuration as the API server returns them. */
final class ApiSamples {
    static final ObjectKey CLAIM = new ObjectKey("team", "a");
    static final ObjectKey POD = new ObjectKey("team", "p");
    static final String CLAIM_PATH = "/apis/resource.k8s.io/v1/namespaces/team/resourceclaims/a";
    static final String POD_PATH = "/api/v1/namespaces/team/pods/p";
    static final String MANAGED = "GET /api/v1/namespaces/claimstream/configmaps/claimstream-managed";

    static String claim(int version, String meta, String status) {
        return ("{'metadata':{'name':'a','namespace':'team','uid':'u','resourceVersion':'%d'%s},"
                        + "'spec':{'devices':{'requests':[{'name':'gpu','exactly':{'deviceClassName':'gpu.example.com'}}]}},"
                        + "'status':%s}")
                .formatted(version, meta.isEmpty() ? "" : "," + meta, status);
    }

    static String pod(String more) {
        return ("{'metadata':{'name':'p','namespace':'team','uid':'up','resourceVersion':'5'},'spec':{"
                        + "'containers':[{'name':'c','image':'i'}]%s}}")
                .formatted(more);
    }

    static String managedConfig(String classes) {
        return "{'kind':'ConfigMap','data':{'classes':'%s'}}".formatted(classes);
    }

    private ApiSamples() {}
}
