package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;

/**
 * The admission policy by which only the writer allocates managed devices ({@code deploy/policies/single-writer.yaml}).
 *
 * <p>It consists of the policy, its binding, and the ConfigMap with writer and drivers. Without it kube-scheduler allocates the same
 * devices. Safe for use by several threads.
 */
final class SingleWriterPolicy {
    private static final String NAME = "claimstream-single-writer";
    private static final String API = "/apis/admissionregistration.k8s.io/v1/";
    private static final String APPLY = "kubectl apply -f deploy/policies";
    private static final String PARAMETERS = "ConfigMap claimstream/claimstream-managed";

    /** API servers learn of a changed object by a watch, and compile a policy first. */
    private static final Duration ENFORCED_AFTER = Duration.ofSeconds(3);

    private final ApiHttpClient server;
    private final InstantSource clock;

    /** The objects as they were read last, without a violation. */
    private Optional<Revision> current = Optional.empty();

    /** When {@link #current} was read first. The creation times of objects do not count, because an old object can have changed. */
    private Instant currentSince = Instant.EPOCH;

    /** The objects at the last successful {@link #requireEnforced}. */
    private Optional<Revision> accepted = Optional.empty();

    SingleWriterPolicy(ApiHttpClient server, InstantSource clock) {
        this.server = server;
        this.clock = clock;
    }

    /** Versions of the objects. Each change of a rule has another one, also if the change was undone or the object was created again. */
    private record Revision(String policy, String binding, String parameters) {
        static Revision of(JsonNode policy, JsonNode binding, Optional<JsonNode> parameters) {
            return new Revision(
                    version(policy, "generation"),
                    version(binding, "generation"),
                    parameters.map(map -> version(map, "resourceVersion")).orElse(""));
        }

        private static String version(JsonNode object, String field) {
            JsonNode metadata = object.path("metadata");
            return metadata.path("uid").asText() + "/" + metadata.path(field).asText();
        }
    }

    /** Why nothing may be allocated, and what to do about it. */
    private record PolicyViolation(String problem, String remedy) {
        static PolicyViolation of(String problem) {
            return new PolicyViolation(problem, APPLY);
        }

        String message() {
            return "nothing is allocated, because other programs could allocate the same devices: " + problem;
        }
    }

    /**
     * Checks that the policy is enforced, and has been for a moment without a change.
     *
     * @throws ClusterFault if it is not, or cannot be read; the message contains the remedy
     */
    synchronized void requireEnforced() {
        accepted = Optional.empty();
        Optional<PolicyViolation> violation = read();
        if (violation.isPresent()) {
            throw ClusterFault.withRemedy(
                    violation.get().message(), violation.get().remedy());
        }
        if (Duration.between(currentSince, clock.instant()).compareTo(ENFORCED_AFTER) < 0) {
            throw new ClusterFault(
                    "nothing is allocated yet: policy %s is new, has changed, or was not seen before".formatted(NAME),
                    ENFORCED_AFTER);
        }
        accepted = current;
    }

    /**
     * Returns why nothing may be allocated any more: a violation, or a change since {@link #requireEnforced}. Empty if nothing changed.
     *
     * @throws ClusterFault if the server does not respond, or denies the read
     */
    synchronized Optional<String> violation() {
        Optional<String> violation = read().map(PolicyViolation::message);
        return violation.or(() -> Optional.of("policy %s or %s has changed".formatted(NAME, PARAMETERS))
                .filter(_ -> accepted.isPresent() && !accepted.equals(current)));
    }

    private Optional<PolicyViolation> read() {
        Optional<JsonNode> policy = object(API + "validatingadmissionpolicies/" + NAME);
        Optional<JsonNode> binding = object(API + "validatingadmissionpolicybindings/" + NAME);
        Optional<JsonNode> parameters = object(ManagedClasses.PATH);
        Optional<PolicyViolation> violation = violation(policy, binding, parameters);
        Optional<Revision> found = violation.isPresent()
                ? Optional.empty()
                : policy.flatMap(one -> binding.map(other -> Revision.of(one, other, parameters)));
        if (!found.equals(current)) {
            current = found;
            currentSince = clock.instant();
        }
        return violation;
    }

    private static Optional<PolicyViolation> violation(
            Optional<JsonNode> policy, Optional<JsonNode> binding, Optional<JsonNode> parameters) {
        if (policy.isEmpty() || binding.isEmpty()) {
            return Optional.of(PolicyViolation.of("the %s %s does not exist"
                    .formatted(
                            policy.isEmpty() ? "ValidatingAdmissionPolicy" : "ValidatingAdmissionPolicyBinding",
                            NAME)));
        }
        return ruleViolation(policy.get().path("spec"), binding.get().path("spec"))
                .or(() -> parameterViolation(parameters));
    }

    private static Optional<PolicyViolation> ruleViolation(JsonNode policy, JsonNode binding) {
        if (!policy.path("failurePolicy").asText("Fail").equals("Fail")) {
            return Optional.of(PolicyViolation.of("the failurePolicy of %s is not Fail".formatted(NAME)));
        }
        if (!binding.path("policyName").asText().equals(NAME)) {
            return Optional.of(PolicyViolation.of("the binding %s names another policy".formatted(NAME)));
        }
        if (!denies(binding)) {
            return Optional.of(PolicyViolation.of("the binding %s does not deny".formatted(NAME)));
        }
        JsonNode reference = binding.path("paramRef");
        boolean isManaged = reference.path("name").asText().equals("claimstream-managed")
                && reference.path("namespace").asText().equals("claimstream")
                && reference.path("parameterNotFoundAction").asText().equals("Deny");
        return isManaged
                ? Optional.empty()
                : Optional.of(PolicyViolation.of("the binding %s does not require %s".formatted(NAME, PARAMETERS)));
    }

    /** Without the ConfigMap, the API server rejects each allocation of every user, so there is nothing to decide. */
    private static Optional<PolicyViolation> parameterViolation(Optional<JsonNode> parameters) {
        if (parameters.isEmpty()) {
            return Optional.of(new PolicyViolation(
                    PARAMETERS + " does not exist, and no user can allocate",
                    "restore it from deploy/policies/claimstream.yaml, or with helm upgrade"));
        }
        JsonNode data = parameters.get().path("data");
        String writer = data.path("writer").asText("").strip();
        if (writer.isEmpty() || writer.equals("none") || writer.equals("system:kube-scheduler")) {
            return Optional.of(new PolicyViolation(
                    "the writer in %s is '%s'".formatted(PARAMETERS, writer),
                    "set it to the user of the writer; after break-glass, follow deploy/policies/ADOPTING.md"));
        }
        return isBlank(data, "drivers") && !isBlank(data, "classes")
                ? Optional.of(new PolicyViolation(
                        PARAMETERS + " has classes and no drivers",
                        "list every driver whose devices the classes select"))
                : Optional.empty();
    }

    /** Whether a list of names, separated by commas, has no name. */
    private static boolean isBlank(JsonNode data, String field) {
        return data.path(field).asText("").replace(",", "").isBlank();
    }

    private static boolean denies(JsonNode binding) {
        for (JsonNode action : binding.path("validationActions")) {
            if (action.asText().equals("Deny")) {
                return true;
            }
        }
        return false;
    }

    private Optional<JsonNode> object(String path) {
        Reply reply = server.get(path);
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (!reply.isSuccess()) {
            throw server.failure(reply, "%s cannot be read".formatted(path), "allow get of it");
        }
        return Optional.of(reply.body());
    }
}
