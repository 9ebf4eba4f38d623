package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.dra.Allocation;
import dev.claimstream.dra.ClaimSpec;
import dev.claimstream.dra.ObjectMeta;
import dev.claimstream.dra.ResourceClaim;
import dev.claimstream.kubernetes.ClaimStatusClient.StatusChange;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteScope;
import dev.claimstream.manifests.write.ManifestWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Builds the strategic merge patch of {@code ResourceClaim.status} for a change. */
final class StatusPatch {
    private StatusPatch() {}

    /**
     * Returns the patch. It contains uid and version, so that it applies once and only to the decided object.
     *
     * @param now timestamp for an allocation without one; otherwise kube-scheduler would add it with a consumer, which the server rejects
     */
    static ObjectNode of(StatusChange change, Instant now) {
        ObjectNode body = ApiHttpClient.JSON.createObjectNode();
        body.putObject("metadata").put("uid", change.uid()).put("resourceVersion", Long.toString(change.version()));
        ObjectNode status = body.putObject("status");
        JsonNode desired = status(change, now);
        if (change.scope() == WriteScope.ALL) {
            status.set("allocation", orNull(desired.path("allocation")));
        }
        status.set("reservedFor", orNull(desired.path("reservedFor")));
        if (change.scope() == WriteScope.ALL && change.allocation().isEmpty()) {
            status.putNull("devices"); // device status that drivers reported for the former allocation
        }
        return body;
    }

    private static JsonNode orNull(JsonNode node) {
        return node.isMissingNode() ? ApiHttpClient.JSON.nullNode() : node;
    }

    private static JsonNode status(StatusChange change, Instant now) {
        var meta = ObjectMeta.of(change.claim().namespace(), change.claim().name(), change.uid());
        var spec = new ClaimSpec(List.of(), List.of(), List.of());
        var claim = new ResourceClaim(
                meta, spec, change.allocation().map(each -> withTimestamp(each, now)), change.reservedFor());
        String text = ManifestWriter.tree(claim).json();
        return ApiHttpClient.json(text.getBytes(StandardCharsets.UTF_8)).path("status");
    }

    private static Allocation withTimestamp(Allocation allocation, Instant now) {
        return allocation.allocationTimestamp().isPresent()
                ? allocation
                : new Allocation(
                        allocation.results(), allocation.config(), allocation.nodeSelector(), Optional.of(now));
    }
}
