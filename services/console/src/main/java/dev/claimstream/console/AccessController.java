package dev.claimstream.console;

import dev.claimstream.kubernetes.access.AccessPermission;
import dev.claimstream.kubernetes.access.VisibleObjects;
import dev.claimstream.manifests.tree.Tree;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.Optional;

/** Serves the name of the caller and what the caller sees. */
@CommonResponses
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
final class AccessController {
    @ApiResponse(
            responseCode = "200",
            description = "The user and the objects that the user sees.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/Access")))
    @Get("/access")
    HttpResponse<String> access(HttpRequest<?> request, @QueryValue Optional<String> namespace) {
        VisibleObjects visible = RequestAccess.visible(request);
        return HttpResponse.ok(Tree.mapping(fields -> fields.put(
                                        "user", RequestAccess.caller(request).name())
                                .put("allNamespaces", Tree.of(visible.isEverything()))
                                .put(
                                        "namespaces",
                                        Tree.texts(visible.namespaces().stream()
                                                .sorted()
                                                .toList()))
                                .put("devices", Tree.of(visible.hasDevices()))
                                .put("nodes", Tree.of(visible.hasNodes()))
                                .put(
                                        "metrics",
                                        Tree.of(RequestAccess.caller(request).may(AccessPermission.AUDIT, "")))
                                .putIfPresent(
                                        "listsClaims",
                                        namespace.map(each ->
                                                RequestAccess.caller(request).may(AccessPermission.NAMESPACE, each)),
                                        Tree::of))
                        .indentedJson())
                .contentType(MediaType.APPLICATION_JSON_TYPE);
    }
}
