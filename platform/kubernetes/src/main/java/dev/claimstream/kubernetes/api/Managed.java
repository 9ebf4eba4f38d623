package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.DeviceRequest;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which device classes are ours to give devices of. The cluster says it in one ConfigMap, which its policies read too; without that
 * none is, so that nobody else's claims are touched before it is known whose they are. Once it has said so, only what it says changes
 * that: where it is gone, or does not say any more, what it said last stands, for a pod that is let go cannot be called back.
 */
final class Managed {
    static final String PATH = "/api/v1/namespaces/claimstream/configmaps/claimstream-managed";

    private static final Logger LOG = LoggerFactory.getLogger(Managed.class);

    private final ApiServer server;
    private final ApiScope scope;

    /** What was said last; absent before the first word. */
    private volatile Optional<Set<String>> said = Optional.empty();

    /** Why nothing is said now, where something was said before. */
    private volatile Optional<String> silence = Optional.empty();

    Managed(ApiServer server, ApiScope scope) {
        this.server = server;
        this.scope = scope;
    }

    /**
     * Asks the cluster.
     *
     * @return the classes that are named; empty where all are ours
     * @throws ClusterFault where it does not answer, or lets nobody read what was never read
     */
    Set<String> refresh() {
        if (scope == ApiScope.ALL) {
            return Set.of();
        }
        Reply reply = server.get(PATH);
        JsonNode named = reply.body().path("data").path("classes");
        boolean isMissing = reply.code() == HttpURLConnection.HTTP_NOT_FOUND;
        if (reply.isGood() && named.isTextual()) {
            said = Optional.of(names(named.asText()));
            silence = Optional.empty();
        } else if (said.isPresent()) {
            keep(why(reply));
        } else if (!reply.isGood() && !isMissing) {
            throw server.refused(reply, "ConfigMap claimstream/claimstream-managed cannot be read", "allow get of it");
        }
        return classes();
    }

    private Set<String> classes() {
        return said.orElse(Set.of());
    }

    /** A list without names is a word too. */
    private static Set<String> names(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static String why(Reply reply) {
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return "is gone: put it back, as deploy/policies/claimstream.yaml has it";
        }
        return reply.isGood()
                ? "has no classes: name them there, or say that there are none: classes: \"\""
                : "cannot be read: %s: allow get of it".formatted(reply.message());
    }

    private void keep(String what) {
        String why =
                "the classes that were named last stay ours, but ConfigMap claimstream/claimstream-managed " + what;
        if (!silence.equals(Optional.of(why))) {
            LOG.atWarn()
                    .addKeyValue("classes", classes())
                    .addKeyValue("why", why)
                    .log("what is ours is not said");
        }
        silence = Optional.of(why);
    }

    /** What an operator has to do, so that it is said again what is ours. */
    Optional<String> trouble() {
        return isNothing()
                ? Optional.of("no device class is ours: name them in the ConfigMap claimstream/claimstream-managed, as"
                        + " deploy/policies does")
                : silence;
    }

    private boolean isNothing() {
        return scope == ApiScope.CONFIGURED && classes().isEmpty();
    }

    boolean includes(String deviceClass) {
        return scope == ApiScope.ALL || classes().contains(deviceClass);
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
