package dev.claimstream.console;

import dev.claimstream.console.streams.UidAndSizeCheck;
import dev.claimstream.dra.ClusterObject;
import dev.claimstream.dra.FeatureGates;
import dev.claimstream.dra.Kind;
import dev.claimstream.dra.ObjectKey;
import dev.claimstream.kubernetes.ObjectStore;
import dev.claimstream.kubernetes.VersionedObject;
import dev.claimstream.manifests.ClusterCompletion;
import dev.claimstream.manifests.DisabledFields;
import dev.claimstream.manifests.Manifest;
import dev.claimstream.manifests.ManifestFinding;
import dev.claimstream.manifests.ManifestReadResult;
import dev.claimstream.manifests.Manifests;
import dev.claimstream.manifests.ReadOptions;
import dev.claimstream.manifests.tree.Tree;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpStatus;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Consumes;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Delete;
import io.micronaut.http.annotation.PathVariable;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.annotation.QueryValue;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.swagger.v3.oas.annotations.media.Content;
import io.swagger.v3.oas.annotations.media.Schema;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Applies and deletes objects in the cluster. */
@CommonResponses
@Controller("/api/v1")
@ExecuteOn(TaskExecutors.BLOCKING)
final class ChangesController {
    private static final String BODY = "body";

    private final Optional<ObjectStore> store;
    private final ExpressionValidator expressions;

    ChangesController(Optional<ObjectStore> store, Optional<FeatureGates> gates) {
        this.store = store;
        this.expressions = new ExpressionValidator(gates.orElseGet(FeatureGates::defaults));
    }

    /**
     * Applies manifests.
     *
     * @param file name of the text in findings
     */
    @ApiResponse(
            responseCode = "200",
            description = "The applied objects and the findings.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/ChangeResult")))
    @ApiResponse(responseCode = "415", ref = "#/components/responses/UnsupportedType")
    @ApiResponse(responseCode = "413", ref = "#/components/responses/TooLarge")
    @ApiResponse(responseCode = "501", ref = "#/components/responses/NoChanges")
    @Post("/apply")
    @Consumes({"application/yaml", MediaType.APPLICATION_JSON})
    HttpResponse<String> apply(@Body byte[] text, @QueryValue(defaultValue = BODY) String file) {
        ObjectStore cluster = cluster();
        ManifestReadResult reading = read(file, text, ReadOptions.DEFAULT.with(expressions.gates()));
        List<ManifestFinding> findings = new ArrayList<>(reading.findings());
        List<Manifest> valid = new ArrayList<>();
        var admission = new UidAndSizeCheck();
        for (Manifest written : reading.manifests()) {
            DisabledFields.DropResult admitted =
                    DisabledFields.drop(written, stored(cluster, written), expressions.gates());
            findings.addAll(admitted.findings());
            Manifest manifest = admitted.manifest();
            List<ManifestFinding> problems = new ArrayList<>(expressions.findings(manifest));
            admission.check(manifest).ifPresent(problems::add);
            findings.addAll(problems);
            if (problems.isEmpty() && admitted.isValid()) {
                valid.add(manifest);
            }
        }
        List<Tree> objects = cluster.apply(valid).stream()
                .map(each -> object(each.kind(), each.key(), each.outcome().text(), each.message()))
                .toList();
        return response(findings, objects);
    }

    @ApiResponse(
            responseCode = "200",
            description = "The deleted objects and the findings.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/ChangeResult")))
    @ApiResponse(responseCode = "415", ref = "#/components/responses/UnsupportedType")
    @ApiResponse(responseCode = "413", ref = "#/components/responses/TooLarge")
    @ApiResponse(responseCode = "501", ref = "#/components/responses/NoChanges")
    @Post("/delete")
    @Consumes({"application/yaml", MediaType.APPLICATION_JSON})
    HttpResponse<String> delete(@Body byte[] text, @QueryValue(defaultValue = BODY) String file) {
        ObjectStore cluster = cluster();
        ManifestReadResult reading = read(file, text, ReadOptions.DEFAULT);
        List<Tree> objects = reading.objects().stream()
                .map(object -> deleted(cluster, object.kind(), key(object)))
                .toList();
        return response(reading.findings(), objects);
    }

    @ApiResponse(
            responseCode = "200",
            description = "The deleted objects and the findings.",
            content =
                    @Content(
                            mediaType = MediaType.APPLICATION_JSON,
                            schema = @Schema(ref = "#/components/schemas/ChangeResult")))
    @ApiResponse(responseCode = "501", ref = "#/components/responses/NoChanges")
    @Delete("/objects/{kind}/{name}")
    HttpResponse<String> delete(
            @PathVariable String kind, @PathVariable String name, @QueryValue Optional<String> namespace) {
        ObjectStore cluster = cluster();
        Kind known = KindNames.of(kind)
                .orElseThrow(() -> new RejectedRequestException(
                        HttpStatus.BAD_REQUEST,
                        "kind %s is not known".formatted(kind),
                        "kind",
                        "use " + KindNames.known()));
        ObjectKey key = KindNames.isNamespaced(known)
                ? new ObjectKey(namespace.orElse(ClusterCompletion.DEFAULT_NAMESPACE), name)
                : ObjectKey.cluster(name);
        return response(List.of(), List.of(deleted(cluster, known, key)));
    }

    private static Optional<ClusterObject> stored(ObjectStore cluster, Manifest written) {
        return written.generateName().isPresent()
                ? Optional.empty()
                : cluster.find(written.object().kind(), key(written.object())).map(VersionedObject::object);
    }

    private ObjectStore cluster() {
        return store.orElseThrow(() -> new RejectedRequestException(
                HttpStatus.NOT_IMPLEMENTED, "the objects of this cluster cannot be changed here", "", "use kubectl"));
    }

    private static ManifestReadResult read(String file, byte[] text, ReadOptions options) {
        return Manifests.read(file, new ByteArrayInputStream(text), options);
    }

    private static ObjectKey key(ClusterObject object) {
        return KindNames.isNamespaced(object.kind())
                        && object.meta().namespace().isEmpty()
                ? new ObjectKey(
                        ClusterCompletion.DEFAULT_NAMESPACE, object.meta().name())
                : object.key();
    }

    private static Tree deleted(ObjectStore cluster, Kind kind, ObjectKey key) {
        String outcome = cluster.delete(kind, key)
                .map(deleted -> switch (deleted) {
                    case DELETED -> "deleted";
                    case TERMINATING -> "terminating";
                })
                .orElse("missing");
        return object(kind, key, outcome, "");
    }

    private static Tree object(Kind kind, ObjectKey key, String outcome, String message) {
        return Tree.mapping(fields -> fields.put("kind", kind.apiName())
                .putUnlessEmpty("namespace", key.namespace())
                .put("name", key.name())
                .put("outcome", outcome)
                .putUnlessEmpty("message", message));
    }

    private static HttpResponse<String> response(List<ManifestFinding> findings, List<Tree> objects) {
        Tree.Mapping body = Tree.mapping(fields -> {
            fields.put(
                    "findings",
                    new Tree.Sequence(
                            findings.stream().map(ChangesController::finding).toList()));
            fields.put("objects", new Tree.Sequence(objects));
        });
        return HttpResponse.ok(body.indentedJson()).contentType(MediaType.APPLICATION_JSON_TYPE);
    }

    private static Tree finding(ManifestFinding finding) {
        return Tree.mapping(fields -> fields.put("severity", finding.isError() ? "error" : "warning")
                .put("place", finding.location().toString())
                .putUnlessEmpty("field", finding.field())
                .put("message", finding.message())
                .putUnlessEmpty("remedy", finding.remedy())
                .put("text", finding.toString()));
    }
}
