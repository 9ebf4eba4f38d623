package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.dra.Kind;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.Optional;

/** Finds the API version in which a server serves a kind. */
final class ServedApis {
    /** Versions of DeviceTaintRule. Kubernetes 1.36 serves none of them by default. */
    private static final List<String> TAINT_RULES = List.of(
            Paths.RESOURCE_GROUP + "/v1", Paths.RESOURCE_GROUP + "/v1beta2", Paths.RESOURCE_GROUP + "/v1alpha3");

    /** Versions of PodGroup. A server serves them only if they are enabled. */
    private static final List<String> POD_GROUPS = List.of(
            Paths.SCHEDULING_GROUP + "/v1beta1",
            Paths.SCHEDULING_GROUP + "/v1alpha3",
            Paths.SCHEDULING_GROUP + "/v1alpha2");

    private final ApiHttpClient server;

    ServedApis(ApiHttpClient server) {
        this.server = server;
    }

    /**
     * Returns the path of the API; absent if an optional kind is not served.
     *
     * @throws ClusterFault if the server does not respond
     */
    Optional<String> api(Kind kind) {
        return switch (kind) {
            case DEVICE_TAINT_RULE -> firstServed(TAINT_RULES, kind);
            case POD_GROUP -> firstServed(POD_GROUPS, kind);
            case RESOURCE_SLICE, DEVICE_CLASS, NODE, NAMESPACE, RESOURCE_CLAIM, RESOURCE_CLAIM_TEMPLATE, POD ->
                Optional.of(Paths.api(kind));
        };
    }

    private Optional<String> firstServed(List<String> apis, Kind kind) {
        return apis.stream().filter(api -> serves(api, kind)).findFirst();
    }

    private boolean serves(String api, Kind kind) {
        Reply reply = server.get(api);
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return false;
        }
        if (!reply.isSuccess()) {
            throw reply.fault("%s does not report the resources in %s".formatted(server.url(), api));
        }
        for (JsonNode each : reply.body().path("resources")) {
            if (each.path("name").asText().equals(Paths.plural(kind))) {
                return true;
            }
        }
        return false;
    }

    /** Returns the apiVersion of a path, such as {@code resource.k8s.io/v1}. */
    static String apiVersion(String api) {
        return api.replaceFirst("^/apis?/", "");
    }
}
