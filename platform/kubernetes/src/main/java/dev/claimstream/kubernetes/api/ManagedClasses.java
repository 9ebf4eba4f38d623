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
 * The device classes that Claimstream manages, as the ConfigMap {@code claimstream/claimstream-managed} lists them.
 *
 * <p>The admission policies read the same ConfigMap. Without it no class is managed, so that Claimstream touches no claim that another
 * scheduler may own. Once a list was read, only a new list changes it: if the ConfigMap disappears or becomes incomplete, the last list
 * stays in effect, because a pod whose gate was removed cannot be gated again. Safe for use by several threads.
 */
final class ManagedClasses {
    static final String PATH = "/api/v1/namespaces/claimstream/configmaps/claimstream-managed";

    private static final Logger LOG = LoggerFactory.getLogger(ManagedClasses.class);

    private final ApiHttpClient server;
    private final ApiScope scope;

    /** Last list of classes; absent before the first one. */
    private volatile Optional<Set<String>> lastClasses = Optional.empty();

    /** Why the ConfigMap is unusable now, although it was usable before. */
    private volatile Optional<String> configProblem = Optional.empty();

    ManagedClasses(ApiHttpClient server, ApiScope scope) {
        this.server = server;
        this.scope = scope;
    }

    /**
     * Reads the ConfigMap.
     *
     * @return managed classes; empty if all classes are managed
     * @throws ClusterFault if the server does not respond, or denies the read before the first list was read
     */
    Set<String> refresh() {
        if (scope == ApiScope.ALL) {
            return Set.of();
        }
        Reply reply = server.get(PATH);
        JsonNode named = reply.body().path("data").path("classes");
        boolean isMissing = reply.code() == HttpURLConnection.HTTP_NOT_FOUND;
        if (reply.isSuccess() && named.isTextual()) {
            lastClasses = Optional.of(names(named.asText()));
            configProblem = Optional.empty();
        } else if (lastClasses.isPresent()) {
            keepLast(describeFailure(reply));
        } else if (!reply.isSuccess() && !isMissing) {
            throw server.failure(reply, "ConfigMap claimstream/claimstream-managed cannot be read", "allow get of it");
        }
        return classes();
    }

    private Set<String> classes() {
        return lastClasses.orElse(Set.of());
    }

    /** Parses the list. An empty list is valid and replaces the last one. */
    private static Set<String> names(String text) {
        return Arrays.stream(text.split(",", -1))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .collect(Collectors.toUnmodifiableSet());
    }

    private static String describeFailure(Reply reply) {
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return "does not exist: restore it from deploy/policies/claimstream.yaml";
        }
        return reply.isSuccess()
                ? "has no classes: list them there, or set an empty list: classes: \"\""
                : "cannot be read: %s: allow get of it".formatted(reply.message());
    }

    private void keepLast(String what) {
        String reason =
                "the last configured classes stay managed, but ConfigMap claimstream/claimstream-managed " + what;
        if (!configProblem.equals(Optional.of(reason))) {
            LOG.atWarn()
                    .addKeyValue("classes", classes())
                    .addKeyValue("why", reason)
                    .log("ConfigMap claimstream-managed is missing or incomplete");
        }
        configProblem = Optional.of(reason);
    }

    /** Returns what an operator has to do to make the ConfigMap usable. */
    Optional<String> problem() {
        return isEmpty()
                ? Optional.of(
                        "no device class is managed: list the classes in the ConfigMap claimstream/claimstream-managed, as"
                                + " deploy/policies does")
                : configProblem;
    }

    private boolean isEmpty() {
        return scope == ApiScope.CONFIGURED && classes().isEmpty();
    }

    boolean includes(String deviceClass) {
        return scope == ApiScope.ALL || classes().contains(deviceClass);
    }

    /**
     * Reads the ConfigMap and returns whether a claim requests devices of a managed class.
     *
     * @throws ClusterFault if the server does not respond
     */
    boolean includes(ClaimSpec claim) {
        Set<String> managedClasses = refresh();
        return scope == ApiScope.ALL
                || claim.requests().stream().flatMap(ManagedClasses::classes).anyMatch(managedClasses::contains);
    }

    private static Stream<String> classes(DeviceRequest request) {
        return switch (request) {
            case DeviceRequest.Exactly exactly -> Stream.of(exactly.spec().deviceClassName());
            case DeviceRequest.FirstAvailable first ->
                first.alternatives().stream().map(each -> each.spec().deviceClassName());
            case DeviceRequest.UnknownRequest _ -> Stream.empty();
        };
    }
}
