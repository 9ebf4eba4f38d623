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
import java.util.List;

/** Serves the schemas of the topics, and the page that documents them. */
@Controller
@ExecuteOn(TaskExecutors.BLOCKING)
final class SchemasController {
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

    @Get("/schemas")
    @Produces(MediaType.TEXT_HTML)
    HttpResponse<String> page() {
        return HttpResponse.ok(ContractPage.shipped()).contentType(MediaType.TEXT_HTML_TYPE);
    }
}
