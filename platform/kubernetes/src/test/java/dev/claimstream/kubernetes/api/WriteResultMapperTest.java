package dev.claimstream.kubernetes.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.claimstream.kubernetes.ClaimStatusClient.WriteResult;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Results of all responses to status writes of a Kubernetes 1.36 API server, and of proxies before it. */
final class WriteResultMapperTest {
    private static final String BINDING = "Forbidden: changing status.allocation or status.reservedFor requires"
            + " resource=\"resourceclaims/binding\", verb=\"patch\" permission";
    private static final String POLICY = "resourceclaims \"a\" is forbidden: ValidatingAdmissionPolicy 'single-writer'"
            + " with binding 'single-writer' denied request: devices are allocated by another client only";

    private record Cause(String field, String message) {}

    private static Reply reply(int code, String message, Cause... causes) {
        ObjectNode status = ApiHttpClient.JSON.createObjectNode();
        status.put("kind", "Status").put("message", message).put("code", code);
        var list = status.putObject("details").putArray("causes");
        for (Cause each : causes) {
            list.addObject().put("field", each.field()).put("message", each.message());
        }
        return new Reply(code, status, Optional.empty(), "");
    }

    private static Reply foreign(int code, Optional<Duration> retryAfter) {
        JsonNode nothing = MissingNode.getInstance();
        return new Reply(code, nothing, retryAfter, "");
    }

    static Stream<Arguments> replies() {
        var seconds = Duration.ofSeconds(7);
        return Stream.of(
                Arguments.of("409", reply(409, "the object has been modified"), new WriteResult.Conflict()),
                Arguments.of("404", reply(404, "resourceclaims \"a\" not found"), new WriteResult.NotFound()),
                Arguments.of(
                        "404 of something before the server",
                        foreign(404, Optional.empty()),
                        new WriteResult.Unknown("HTTP 404, but not from an API server")),
                Arguments.of(
                        "422, another object of that name",
                        reply(422, "invalid", new Cause("metadata.uid", "field is immutable")),
                        new WriteResult.NotFound()),
                Arguments.of(
                        "422, allocated meanwhile",
                        reply(422, "invalid", new Cause("status.allocation", "Invalid value: field is immutable")),
                        new WriteResult.Conflict()),
                Arguments.of(
                        "422, allocated meanwhile, Kubernetes 1.37",
                        reply(
                                422,
                                "invalid",
                                new Cause("status.allocation", "Invalid value: field cannot be modified once set")),
                        new WriteResult.Conflict()),
                Arguments.of(
                        "422, being deleted",
                        reply(422, "new entries may not be added", new Cause("status.reservedFor", "Forbidden")),
                        new WriteResult.Rejected("new entries may not be added")),
                Arguments.of(
                        "422, an unknown field",
                        reply(422, "strict decoding error: unknown field", new Cause("patch", "Invalid value")),
                        new WriteResult.Rejected("strict decoding error: unknown field")),
                Arguments.of("400", reply(400, "cannot be handled"), new WriteResult.Rejected("cannot be handled")),
                Arguments.of(
                        "429",
                        foreign(429, Optional.of(seconds)),
                        new WriteResult.TooManyRequests("HTTP 429", seconds)),
                Arguments.of(
                        "429 that says no time",
                        reply(429, "too many requests"),
                        new WriteResult.TooManyRequests("too many requests", Duration.ofSeconds(1))),
                Arguments.of(
                        "503",
                        foreign(503, Optional.of(seconds)),
                        new WriteResult.TooManyRequests("HTTP 503", seconds)),
                Arguments.of(
                        "500",
                        reply(500, "etcdserver: request timed out"),
                        new WriteResult.Unknown("HTTP 500: etcdserver: request timed out")),
                Arguments.of("504", reply(504, "timeout"), new WriteResult.Unknown("HTTP 504: timeout")),
                Arguments.of("302", foreign(302, Optional.empty()), new WriteResult.Unknown("HTTP 302: HTTP 302")));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("replies")
    void mapsReplyToWriteResult(String name, Reply reply, WriteResult result) {
        assertThat(WriteResultMapper.of(reply)).isEqualTo(result);
    }

    static Stream<Arguments> prohibitions() {
        return Stream.of(
                Arguments.of(reply(422, "invalid", new Cause("status.allocation", BINDING)), "ClusterRoleBinding"),
                Arguments.of(reply(422, "is forbidden: no params found for policy binding with `Deny`"), "parameters"),
                Arguments.of(reply(422, POLICY), "claimstream-managed"),
                Arguments.of(reply(422, POLICY + ": expression 'a.b' resulted in error: no such key: b"), "fix"),
                Arguments.of(reply(403, POLICY), "writer"),
                Arguments.of(reply(403, "admission webhook \"w.example.com\" denied the request: no"), "webhook"),
                Arguments.of(
                        reply(403, "pods \"a\" is forbidden: violates PodSecurity \"restricted:latest\""),
                        "component that rejects"),
                Arguments.of(reply(403, "User \"w\" cannot patch resource \"resourceclaims/status\""), "permissions"),
                Arguments.of(reply(401, "Unauthorized"), "credentials"));
    }

    @ParameterizedTest(name = "{1}")
    @MethodSource("prohibitions")
    void forbiddenResultHasRemedy(Reply reply, String remedy) {
        assertThat(WriteResultMapper.of(reply))
                .isInstanceOfSatisfying(
                        WriteResult.Forbidden.class,
                        no -> assertThat(no.remedy()).contains(remedy));
    }
}
