package dev.claimstream.console;

import dev.claimstream.manifests.tree.Tree;
import dev.claimstream.manifests.tree.TreeReader;
import io.micronaut.http.HttpHeaders;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.swagger.v3.oas.annotations.OpenAPIDefinition;
import io.swagger.v3.oas.annotations.info.Info;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Serves the OpenAPI description of the console. The build generates it from the controllers and from
 * {@code src/main/openapi}, which has the schemas of the responses.
 */
@OpenAPIDefinition(
        info =
                @Info(
                        title = "Claimstream console",
                        version = "v1",
                        description = "The current state of a cluster with Claimstream, from committed records."))
@CommonResponses
@Controller("/api/v1/openapi.json")
final class ApiDescriptionController {
    private static final String RESOURCE = "/META-INF/swagger/console.json";

    private final String description = withOptionalParameters(read()).indentedJson();

    private static Tree read() {
        try (InputStream document = ApiDescriptionController.class.getResourceAsStream(RESOURCE)) {
            if (document == null) {
                throw new IllegalStateException("the build of the console has not generated " + RESOURCE);
            }
            return TreeReader.json(new String(document.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException("the class path cannot be read: " + RESOURCE, e);
        }
    }

    /**
     * Marks every query parameter as optional. Micronaut describes an {@code Optional} in a package with
     * {@code NullMarked} as required.
     */
    private static Tree withOptionalParameters(Tree tree) {
        return switch (tree) {
            case Tree.Mapping(SortedMap<String, Tree> fields) -> {
                var changed = new TreeMap<String, Tree>();
                fields.forEach((name, value) -> changed.put(name, withOptionalParameters(value)));
                if (Tree.of("query").equals(fields.get("in"))) {
                    changed.put("required", Tree.of(false));
                }
                yield new Tree.Mapping(changed);
            }
            case Tree.Sequence(List<Tree> items) ->
                new Tree.Sequence(items.stream()
                        .map(ApiDescriptionController::withOptionalParameters)
                        .toList());
            case Tree.Text _, Tree.Numeral _, Tree.Bool _, Tree.Null _ -> tree;
        };
    }

    @ApiResponse(
            responseCode = "200",
            description = "This description.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/OpenApiDocument")))
    @Get
    HttpResponse<String> description() {
        return HttpResponse.ok(description)
                .contentType(MediaType.APPLICATION_JSON_TYPE)
                .header(HttpHeaders.CONTENT_DISPOSITION, "inline; filename=claimstream-console.json");
    }
}
