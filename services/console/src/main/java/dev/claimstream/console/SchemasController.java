package dev.claimstream.console;

import dev.claimstream.kafka.Topic;
import dev.claimstream.kafka.Topics;
import dev.claimstream.kafka.contracts.ContractPage;
import dev.claimstream.kafka.contracts.SubjectSchemas;
import dev.claimstream.manifests.tree.Tree;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Produces;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.List;

/** Serves the schemas of the topics, and the page that documents them. */
@CommonResponses
@Controller
@ExecuteOn(TaskExecutors.BLOCKING)
final class SchemasController {
    @ApiResponse(
            responseCode = "200",
            description = "Topics with a schema.",
            content = {
                @Content(
                        mediaType = MediaType.APPLICATION_JSON,
                        schema = @Schema(ref = "#/components/schemas/SubjectList")),
                @Content(mediaType = ListResponse.LINES, schema = @Schema(ref = "#/components/schemas/Subject"))
            })
    @Get("/api/v1/schemas")
    @Produces({MediaType.APPLICATION_JSON, ListResponse.LINES})
    HttpResponse<?> subjects(HttpRequest<?> request) {
        SubjectSchemas schemas = SubjectSchemas.shipped();
        List<Topic> topics = Topics.shipped().all().stream()
                .filter(topic -> schemas.find(topic.subject()).isPresent())
                .toList();
        return ListResponse.of(
                request,
                topics,
                topic -> Tree.mapping(fields -> fields.put("subject", topic.subject())
                        .put("topic", topic.name())
                        .put("record", topic.value().orElse(""))));
    }

    @ApiResponse(
            responseCode = "200",
            description = "The Avro schema of a subject.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/AvroSchema")))
    @ApiResponse(responseCode = "404", ref = "#/components/responses/NotFound")
    @Get("/api/v1/schemas/{subject}")
    HttpResponse<String> schema(@PathVariable String subject) {
        SubjectSchemas found = SubjectSchemas.shipped()
                .find(subject)
                .orElseThrow(() -> new RejectedRequestException(
                        HttpStatus.NOT_FOUND,
                        "there is no subject %s".formatted(subject),
                        "subject",
                        "GET /api/v1/schemas lists all subjects"));
        return HttpResponse.ok(found.text()).contentType(MediaType.APPLICATION_JSON_TYPE);
    }

    @ApiResponse(
            responseCode = "200",
            description = "A page with the documentation of all topics and records.",
            content = @Content(mediaType = MediaType.TEXT_HTML, schema = @Schema(ref = "#/components/schemas/Text")))
    @Get("/schemas")
    @Produces(MediaType.TEXT_HTML)
    HttpResponse<String> page() {
        return HttpResponse.ok(ContractPage.shipped()).contentType(MediaType.TEXT_HTML_TYPE);
    }
}
