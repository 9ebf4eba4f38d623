package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ClaimStatusClient;
import dev.claimstream.kubernetes.doctor.ClusterDiagnosis;
import dev.claimstream.kubernetes.doctor.DryRunResult;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** A pending claim on which status writes are tried as dry runs. */
final class ScratchClaim implements AutoCloseable {
    private static final String DRY_RUN =
            "/status?dryRun=All&fieldValidation=Strict&fieldManager=" + ClaimStatusClient.WRITER;
    private static final String LIST = Paths.api(Kind.RESOURCE_CLAIM) + "/resourceclaims?limit=500";
    private static final int PAGES_MAX = 20;
    private static final DryRunResult.Skipped NO_PENDING_CLAIM = new DryRunResult.Skipped(
            "there is no pending claim for the dry run",
            "run doctor again with --make-claim, which creates a temporary claim");

    /** A claim of a class that does not exist, so that no scheduler allocates it. */
    private static final String MANIFEST = """
            {"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim",
             "metadata":{"generateName":"claimstream-doctor-","namespace":"claimstream"},
             "spec":{"devices":{"requests":[{"name":"none","exactly":{"deviceClassName":"%s"}}]}}}""".formatted(PolicyDryRuns.DOCTOR_DOMAIN);

    private final ApiHttpClient server;
    private final Optional<JsonNode> claim;
    private final DryRunResult.Skipped notRun;
    private final boolean isCreated;

    private final Consumer<String> changes;

    private ScratchClaim(
            ApiHttpClient server,
            Optional<JsonNode> claim,
            DryRunResult.Skipped skipped,
            boolean isMade,
            Consumer<String> changes) {
        this.server = server;
        this.changes = changes;
        this.claim = claim;
        this.notRun = skipped;
        this.isCreated = isMade;
    }

    /**
     * Finds a pending claim, or creates a temporary one if that is allowed.
     *
     * @param changes receives a sentence about the created and the deleted claim
     */
    static ScratchClaim find(ApiHttpClient server, boolean mayMake, Consumer<String> changes) {
        String next = "";
        for (int page = 0; page < PAGES_MAX; page++) {
            Reply reply = server.get(LIST + (next.isEmpty() ? "" : "&continue=" + Paths.encode(next)));
            if (!reply.isSuccess()) {
                return unavailable(server, "claims cannot be listed: " + reply.message());
            }
            Optional<JsonNode> free = reply.body()
                    .path("items")
                    .valueStream()
                    .filter(ScratchClaim::isUsable)
                    .findFirst();
            if (free.isPresent()) {
                free.filter(_ -> mayMake)
                        .ifPresent(each -> changes.accept(
                                "--make-claim created nothing: the pending claim %s is there for the dry runs"
                                        .formatted(key(each))));
                return new ScratchClaim(server, free, NO_PENDING_CLAIM, false, changes);
            }
            next = reply.body().path("metadata").path("continue").asText("");
            if (next.isEmpty()) {
                break;
            }
        }
        return mayMake
                ? create(server, changes)
                : new ScratchClaim(server, Optional.empty(), NO_PENDING_CLAIM, false, changes);
    }

    private static ScratchClaim create(ApiHttpClient server, Consumer<String> changes) {
        Reply reply = server.post(Paths.api(Kind.RESOURCE_CLAIM) + "/namespaces/claimstream/resourceclaims", MANIFEST);
        if (!reply.isSuccess()) {
            return unavailable(server, "no claim could be created: " + reply.message());
        }
        changes.accept("created the temporary ResourceClaim %s for the dry runs".formatted(key(reply.body())));
        return new ScratchClaim(server, Optional.of(reply.body()), NO_PENDING_CLAIM, true, changes);
    }

    private static ScratchClaim unavailable(ApiHttpClient server, String reason) {
        return new ScratchClaim(
                server,
                Optional.empty(),
                new DryRunResult.Skipped(reason, ClusterDiagnosis.ADMIN_REMEDY),
                false,
                _ -> {});
    }

    private static boolean isUsable(JsonNode claim) {
        JsonNode first = claim.path("spec").path("devices").path("requests").path(0);
        return claim.path("status").path("allocation").isMissingNode()
                && claim.path("metadata").path("deletionTimestamp").isMissingNode()
                && first.has("exactly")
                && !first.path("exactly").path("adminAccess").asBoolean(false);
    }

    /** Tries to write an allocation with a device of a driver as the user of the given client. */
    DryRunResult tryAllocation(ApiHttpClient as, String driver) {
        if (claim.isEmpty()) {
            return notRun;
        }
        Reply reply = as.patch(
                Paths.claim(key(claim.get())) + DRY_RUN,
                body(claim.get(), driver).toString());
        return new DryRunResult.Response(reply.code(), reply.isSuccess() ? "" : reply.message(), List.of());
    }

    private static ObjectKey key(JsonNode claim) {
        JsonNode metadata = claim.path("metadata");
        return new ObjectKey(
                metadata.path("namespace").asText(), metadata.path("name").asText());
    }

    private static ObjectNode body(JsonNode claim, String driver) {
        ObjectNode body = ApiHttpClient.JSON.createObjectNode();
        body.putObject("metadata").put("uid", claim.path("metadata").path("uid").asText());
        ObjectNode allocation = body.putObject("status").putObject("allocation");
        allocation.put("allocationTimestamp", "2026-01-01T00:00:00Z");
        allocation
                .putObject("devices")
                .putArray("results")
                .addObject()
                .put(
                        "request",
                        claim.path("spec")
                                .path("devices")
                                .path("requests")
                                .path(0)
                                .path("name")
                                .asText())
                .put("driver", driver)
                .put("pool", "claimstream-doctor")
                .put("device", "none");
        return body;
    }

    @Override
    public void close() {
        if (isCreated) {
            claim.map(ScratchClaim::key).ifPresent(this::delete);
        }
    }

    private void delete(ObjectKey key) {
        Reply reply = server.delete(Paths.claim(key));
        changes.accept(
                reply.isSuccess()
                        ? "deleted the temporary ResourceClaim " + key
                        : "the temporary ResourceClaim %1$s was not deleted, %2$s: kubectl delete resourceclaim %3$s -n %4$s"
                                .formatted(key, reply.message(), key.name(), key.namespace()));
    }
}
