package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import dev.claimstream.kubernetes.ClusterFault;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/**
 * The admission policy by which only the writer allocates managed devices ({@code deploy/policies/single-writer.yaml}).
 *
 * <p>Without it kube-scheduler allocates the same devices. Safe for use by several threads.
 */
final class SingleWriterPolicy {
    private static final String NAME = "claimstream-single-writer";
    private static final String API = "/apis/admissionregistration.k8s.io/v1/";
    private static final String REMEDY = "kubectl apply -f deploy/policies";

    /** API servers learn of a new policy by a watch, and compile it first. */
    private static final Duration ENFORCED_AFTER = Duration.ofSeconds(3);

    /** An older object is enforced, even if the clocks of this process and of the server differ. */
    private static final Duration CLOCK_DIFFERENCE = Duration.ofMinutes(1);

    private final ApiHttpClient server;
    private final InstantSource clock;

    /** Since when this process has seen policy and binding without a gap. */
    private Optional<Instant> presentSince = Optional.empty();

    private boolean isOld;

    SingleWriterPolicy(ApiHttpClient server, InstantSource clock) {
        this.server = server;
        this.clock = clock;
    }

    /**
     * Checks that the policy is enforced, and has been for a moment.
     *
     * @throws ClusterFault if it is not, or cannot be read; the message contains the remedy
     */
    void requireEnforced() {
        Optional<String> violation = violation();
        if (violation.isPresent()) {
            throw ClusterFault.withRemedy(violation.get(), REMEDY);
        }
        if (!isSettled()) {
            throw new ClusterFault("nothing is allocated yet: policy %s is new".formatted(NAME), ENFORCED_AFTER);
        }
    }

    /**
     * Reads policy and binding and returns why nothing may be allocated; empty if the policy exists and rejects requests.
     *
     * @throws ClusterFault if the server does not respond, or denies the read
     */
    synchronized Optional<String> violation() {
        Optional<JsonNode> policy = object("validatingadmissionpolicies");
        Optional<JsonNode> binding = object("validatingadmissionpolicybindings");
        Optional<String> why = fault(policy, binding);
        presentSince = why.isPresent() ? Optional.empty() : presentSince.or(() -> Optional.of(clock.instant()));
        isOld = why.isEmpty() && isOld(policy) && isOld(binding);
        return why.map("nothing is allocated, because other programs could allocate the same devices: %s"::formatted);
    }

    private static Optional<String> fault(Optional<JsonNode> policy, Optional<JsonNode> binding) {
        if (policy.isEmpty() || binding.isEmpty()) {
            return Optional.of("the %s %s does not exist"
                    .formatted(
                            policy.isEmpty() ? "ValidatingAdmissionPolicy" : "ValidatingAdmissionPolicyBinding", NAME));
        }
        if (!policy.get().path("spec").path("failurePolicy").asText("Fail").equals("Fail")) {
            return Optional.of("the failurePolicy of %s is not Fail".formatted(NAME));
        }
        JsonNode bound = binding.get().path("spec");
        if (!bound.path("policyName").asText().equals(NAME)) {
            return Optional.of("the binding %s names another policy".formatted(NAME));
        }
        return denies(bound) ? Optional.empty() : Optional.of("the binding %s does not deny".formatted(NAME));
    }

    private synchronized boolean isSettled() {
        Instant now = clock.instant();
        return isOld
                || presentSince
                        .filter(since -> Duration.between(since, now).compareTo(ENFORCED_AFTER) >= 0)
                        .isPresent();
    }

    private Optional<JsonNode> object(String plural) {
        Reply reply = server.get(API + plural + "/" + NAME);
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (!reply.isSuccess()) {
            throw server.failure(reply, "%s %s cannot be read".formatted(plural, NAME), "allow get of it");
        }
        return Optional.of(reply.body());
    }

    private static boolean denies(JsonNode bound) {
        for (JsonNode action : bound.path("validationActions")) {
            if (action.asText().equals("Deny")) {
                return true;
            }
        }
        return false;
    }

    /** Whether an object was created some time ago by the local clock, so that a restart does not wait. */
    private boolean isOld(Optional<JsonNode> object) {
        try {
            Instant created = Instant.parse(object.map(each ->
                            each.path("metadata").path("creationTimestamp").asText())
                    .orElse(""));
            return created.plus(CLOCK_DIFFERENCE).isBefore(clock.instant());
        } catch (DateTimeParseException e) {
            return false;
        }
    }
}
