package dev.claimstream.kubernetes.api;

import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which device classes are ours to give devices of. The cluster says it in one ConfigMap, which its policies read too; without that
 * none is, so that nobody else's claims are touched before it is known whose they are.
 */
final class Managed {
    static final String PATH = "/api/v1/namespaces/claimstream/configmaps/claimstream-managed";

    private final ApiServer server;
    private final ApiScope scope;
    private volatile Set<String> classes = Set.of();

    Managed(ApiServer server, ApiScope scope) {
        this.server = server;
        this.scope = scope;
    }

    /**
     * Asks the cluster.
     *
     * @return the classes that are named; empty where all are ours
     * @throws ClusterFault where it does not answer
     */
    Set<String> refresh() {
        if (scope == ApiScope.ALL) {
            return Set.of();
        }
        Reply reply = server.get(PATH);
        boolean isMissing = reply.code() == HttpURLConnection.HTTP_NOT_FOUND;
        if (!reply.isGood() && !isMissing) {
            throw server.refused(reply, "ConfigMap claimstream/claimstream-managed cannot be read", "allow get of it");
        }
        classes = Arrays.stream(
                        reply.body().path("data").path("classes").asText("").split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
        return classes;
    }

    /** Whether no class is ours. */
    boolean isNothing() {
        return scope == ApiScope.CONFIGURED && classes.isEmpty();
    }

    boolean includes(String deviceClass) {
        return scope == ApiScope.ALL || classes.contains(deviceClass);
    }

    /**
     * Whether a claim asks for devices of one of them, as the cluster says it now.
     *
     * @throws ClusterFault where it does not answer
     */
    boolean includes(ClaimSpec claim) {
        Set<String> ours = refresh();
        return scope == ApiScope.ALL
                || claim.requests().stream().flatMap(Managed::classes).anyMatch(ours::contains);
    }

    private static Stream<String> classes(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> Stream.of(exactly.spec().deviceClassName());
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream().map(each -> each.spec().deviceClassName());
            case DeviceRequest.Unsupported _ -> Stream.empty();
        };
    }
}
