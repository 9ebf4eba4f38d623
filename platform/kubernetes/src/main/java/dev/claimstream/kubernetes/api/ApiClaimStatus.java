package dev.claimstream.kubernetes.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ClaimStatus;
import dev.claimstream.kubernetes.ClusterFault;
import dev.claimstream.kubernetes.Versioned;
import java.net.HttpURLConnection;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Writes the status of claims by one patch each, and says what the answer means. Nothing is tried twice here. */
final class ApiClaimStatus implements ClaimStatus {
    static final String FIELD_MANAGER = "claimstream-writer";

    private static final String WRITE = "/status?fieldValidation=Strict&fieldManager=" + FIELD_MANAGER;

    private final ApiServer server;
    private final InstantSource clock;

    ApiClaimStatus(ApiServer server, InstantSource clock) {
        this.server = server;
        this.clock = clock;
    }

    @Override
    public Optional<Versioned> read(ObjectKey claim) {
        Reply reply = server.get(Paths.claim(claim));
        if (reply.code() == HttpURLConnection.HTTP_NOT_FOUND) {
            return Optional.empty();
        }
        if (!reply.isGood()) {
            throw new ClusterFault("claim %s cannot be read: %s".formatted(claim, reply.message()));
        }
        String version = Served.apiVersion(Paths.api(Kind.RESOURCE_CLAIM));
        return switch (ApiObjects.read(Kind.RESOURCE_CLAIM, version, reply.body())) {
            case ApiObjects.Read.Taken(Versioned object) -> Optional.of(object);
            case ApiObjects.Read.NotTaken(String _, String why, Optional<Versioned> held) ->
                Optional.of(held.orElseThrow(
                        () -> new ClusterFault("claim %s cannot be understood: %s".formatted(claim, why))));
        };
    }

    @Override
    public Answer write(Change change) {
        ObjectNode body = StatusText.of(change, clock.instant().truncatedTo(ChronoUnit.SECONDS));
        Reply reply;
        try {
            reply = server.patch(Paths.claim(change.claim()) + WRITE, body.toString());
        } catch (ClusterFault e) {
            return new Answer.Unknown(String.valueOf(e.getMessage()));
        }
        return reply.isGood() ? written(reply.body(), body) : Answers.of(reply);
    }

    private static Answer written(JsonNode claim, JsonNode body) {
        long version = ApiObjects.version(claim);
        if (version == 0) {
            return new Answer.Unknown("the answer to a write is no claim");
        }
        List<String> missing = Missing.of(
                "allocation",
                body.path("status").path("allocation"),
                claim.path("status").path("allocation"));
        return missing.isEmpty() ? new Answer.Written(version) : new Answer.Stripped(version, missing);
    }
}
